import { beforeEach, describe, expect, it } from 'vitest';
import type { OperatorDeposit } from '../../src/deposits/operator-deposit.ts';
import { newRecordId } from '../../src/db/record-id.ts';
import { type Trader, asOperator, json, openTrader, operate, expectCode, codeOf } from '../support/exchange.ts';
import { NEXT, UPDATES, audit, expectRefused } from '../support/db/raw-ledger.ts';
import { reportDeposit, reportFor } from '../support/deposits.ts';
import { quarantine } from '../support/operator/quarantine.ts';
import { env } from '../support/runtime/test-env.ts';
import { expectAllWell } from '../support/reconciliation.ts';
import { sql } from '../support/db/sql.ts';
import { atOnce } from '../support/at-once.ts';

let trader: Trader;
beforeEach(async () => {
  trader = await openTrader();
});

const decide = (id: string, verb: 'credit' | 'keep', accountId?: string) =>
  asOperator('POST', `/deposits/${id}/${verb}`, { reason: 'its owner asked', ...(accountId && { accountId }) });
const credit = (id: string) => decide(id, 'credit', trader.accountId);

async function read(response: Response): Promise<OperatorDeposit> {
  expect(response.status, await response.clone().text()).toBe(200);
  return (await json<{ deposit: OperatorDeposit }>(response)).deposit;
}

const look = async (id: string) => read(await asOperator('GET', `/deposits/${id}`));
const list = async (query: string) =>
  (
    await operate<{ deposits: OperatorDeposit[] }>('GET', `/deposits?status=QUARANTINED&limit=200${query}`)
  ).deposits.map(({ id }) => id);

/** A deposit of LTC above the supply cap, to the trader's own address. */
async function overCap() {
  const report = await reportFor(trader, { network: 'LTC', amount: '99999999' });
  return { id: (await reportDeposit(report)).id, report };
}

describe('a quarantined deposit that is credited', () => {
  it('is received once by the account, shows what became of it, and waits for nobody any more', async () => {
    const { id, report } = await quarantine('ETH', '1.500000000000000001');
    expect(await list('')).toContain(id);
    expect((await look(id)).remedies).toEqual(['credit', 'keep']);
    const credited = await read(await credit(id));
    expect(credited).toMatchObject({
      id,
      status: 'QUARANTINED',
      remedies: [],
      decision: 'CREDITED',
      creditAccountId: trader.accountId,
    });
    expect(await look(id)).toEqual(credited);
    expect((await trader.balances())['ETH']).toBe('1.5');
    expect([await list(''), await list('&decision=CREDITED'), await list('&decision=KEPT')]).toEqual([
      expect.not.arrayContaining([id]),
      expect.arrayContaining([id]),
      expect.not.arrayContaining([id]),
    ]);
    const { deposit } = await json<{ deposit: Record<string, string> }>(
      await trader.get(`/api/v1/wallet/deposits/${credited.creditId}`),
    );
    expect(deposit).toMatchObject({ type: 'INTERNAL_DEPOSIT', amount: '1.5', status: 'COMPLETED' });
    expect(Number(deposit['usdValue'])).toBeGreaterThan(0);

    // The same decision again, in a row and at once, and every later report.
    const again = await atOnce(5, () => credit(id));
    for (const answer of again) expect(await read(answer)).toEqual(credited);
    await expectCode(asOperator('POST', '/deposits', { ...report, confirmations: 200 }), '200');
    await expectCode(asOperator('POST', '/deposits', { ...report, failed: true }), '409 invalid_state');
    expect((await trader.balances())['ETH']).toBe('1.5');
    await expectAllWell();
  });

  it('is credited to one account when two are sent at the same time', async () => {
    const other = await openTrader();
    const { id } = await quarantine('LTC', '3');
    const answers = await atOnce(10, (at) => decide(id, 'credit', at % 2 ? other.accountId : trader.accountId));
    const codes = await Promise.all(answers.map((answer) => codeOf(answer)));
    expect(codes.filter((code) => code === '200')).toHaveLength(5);
    expect(codes.filter((code) => code === '409 invalid_state')).toHaveLength(5);
    const held = [(await trader.balances())['LTC'], (await other.balances())['LTC']];
    expect(new Set(held)).toEqual(new Set(['0', '3']));
    await expectAllWell();
  });

  it('names in the audit who decided, to whom it went and why', async () => {
    const { id } = await quarantine('LTC', '3');
    const { creditId } = await read(await credit(id));
    const { entries } = await operate<{ entries: object[] }>('GET', `/audit?target=${id}&limit=1`);
    expect(entries).toMatchObject([
      {
        action: 'credit_deposit',
        actor: 'operator',
        detail: { accountId: trader.accountId, creditId, because: 'its owner asked' },
      },
    ]);
  });
});

describe('a quarantined deposit that is kept', () => {
  it('waits no longer, is credited by no later report, and can still be credited by the operator', async () => {
    const { id, report } = await overCap();
    expect((await look(id)).remedies).toEqual(['raise_supply_cap', 'credit', 'keep']);
    await expectCode(credit(id), '422 supply_cap_exceeded');
    const kept = await read(await decide(id, 'keep'));
    expect(kept).toMatchObject({
      status: 'QUARANTINED',
      decision: 'KEPT',
      remedies: ['credit'],
      creditAccountId: null,
    });
    expect([await list(''), await list('&decision=KEPT')]).toEqual([
      expect.not.arrayContaining([id]),
      expect.arrayContaining([id]),
    ]);
    expect(await read(await decide(id, 'keep'))).toEqual(kept);
    await asOperator('PATCH', '/settings', { supplyCaps: { LTC: '1000000000' } });
    await expectCode(asOperator('POST', '/deposits', { ...report, confirmations: 200 }), '200');
    expect((await trader.balances())['LTC']).toBe('0');
    expect((await read(await credit(id))).decision).toBe('CREDITED');
    expect((await trader.balances())['LTC']).toBe('99999999');
    await expectCode(decide(id, 'keep'), '409 invalid_state');
    await asOperator('PATCH', '/settings', { supplyCaps: { LTC: '100000000' } });
    await expectAllWell();
  });

  it('can still fail on its chain, and then nothing can be done with it', async () => {
    const { id, report } = await quarantine('ETH', '1');
    await read(await decide(id, 'keep'));
    await expectCode(asOperator('POST', '/deposits', { ...report, failed: true }), '200');
    expect(await look(id)).toMatchObject({ status: 'FAILED', remedies: [] });
    await expectCode(credit(id), '409 invalid_state');
    expect((await trader.balances())['ETH']).toBe('0');
  });
});

describe('a decision is refused', () => {
  const own = async (change: object) => (await reportDeposit(await reportFor(trader, change))).id;
  it.each([
    ['a deposit that waits for confirmations', { confirmations: 1 }, '409 invalid_state', '409 invalid_state'],
    ['one that was credited', {}, '409 invalid_state', '409 invalid_state'],
    ['one below the minimum', { amount: '0.0000000001' }, '409 invalid_state', '409 invalid_state'],
    ['one of an asset that is not listed', { asset: 'SHIB' }, '409 invalid_state', '200'],
    ['one of an asset that its network does not carry', { asset: 'BTC' }, '409 invalid_state', '200'],
  ])('for %s', async (_what, change, ofCredit, ofKeep) => {
    const id = await own(change);
    const before = await trader.balances();
    await expectCode(credit(id), ofCredit);
    await expectCode(decide(id, 'keep'), ofKeep);
    expect(await trader.balances()).toEqual(before);
  });

  it('for an account or a deposit that does not exist, and without a reason', async () => {
    const { id } = await quarantine('ETH', '1');
    const nobody = newRecordId(Date.now());
    await expectCode(decide(id, 'credit', nobody), '404 not_found');
    await expectCode(decide(nobody, 'credit', trader.accountId), '404 not_found');
    await expectCode(decide(nobody, 'keep'), '404 not_found');
    await expectCode(asOperator('GET', `/deposits/${nobody}`), '404 not_found');
    const bare = { accountId: trader.accountId };
    await expectCode(asOperator('POST', `/deposits/${id}/credit`, bare), '400 invalid_request');
    await expectCode(asOperator('GET', '/deposits?status=PENDING&decision=KEPT'), '400 invalid_request');
  });

  it('to a credit by hand under the name of a quarantined deposit’s credit', async () => {
    const { id } = await quarantine('ETH', '1');
    const body = { asset: 'ETH', amount: '1', reference: `quarantine ${id}` };
    const answer = await asOperator('POST', `/accounts/${trader.accountId}/credits`, body);
    await expectCode(answer, '400 invalid_request');
  });
});

describe('the database', () => {
  const creditId = () => newRecordId(Date.now());
  const set = (id: string, values: string, update = 'UPDATE') =>
    sql(`${update} deposits SET ${values} WHERE id = ?`, id);
  const crediting = (accountId: string, as = creditId()) =>
    `decision = 'CREDITED', credit_account = '${accountId}', credit_id = '${as}', credit_usd_value = 1`;

  it('refuses a decision without the audit’s row of it, or with one that says another account', async () => {
    const { id } = await quarantine('LTC', '2');
    for (const update of UPDATES) {
      await expectRefused('no audit row names the decision', set(id, crediting(trader.accountId), update));
      await expectRefused('no audit row names the decision', set(id, `decision = 'KEPT'`, update));
    }
    const elsewhere = audit('credit_deposit', id, { accountId: newRecordId(1) });
    await expectRefused('no audit row names the decision', elsewhere, set(id, crediting(trader.accountId)));
    const stale = [audit('credit_deposit', id, { accountId: trader.accountId }), audit('other', id)];
    await expectRefused('no audit row names the decision', ...stale, set(id, crediting(trader.accountId)));
    const kept = audit('keep_deposit', id, { accountId: trader.accountId });
    await expectRefused('no audit row names the decision', kept, set(id, crediting(trader.accountId)));
  });

  it('refuses a second credit, one of half a name, and a change or a removal of one', async () => {
    const { id } = await quarantine('LTC', '2');
    const named = audit('credit_deposit', id, { accountId: trader.accountId });
    for (const values of [
      `decision = 'CREDITED'`,
      `decision = 'CREDITED', credit_account = '${trader.accountId}', credit_id = 'x'`,
      `credit_id = 'x'`,
    ]) {
      await expect(env.DB.batch([named, set(id, values)]), values).rejects.toThrow();
    }
    await read(await credit(id));
    for (const update of UPDATES) {
      await expectRefused('quarantine_decided', named, set(id, crediting(trader.accountId), update));
      await expectRefused(
        'quarantine_decided',
        set(id, 'decision = NULL, credit_account = NULL, credit_id = NULL, credit_usd_value = NULL', update),
      );
      await expectRefused('quarantine_decided', set(id, `status = 'FAILED', reason = NULL`, update));
      await expectRefused(
        'quarantine_decided',
        set(id, `status = 'COMPLETED', reason = NULL, transfer = ${NEXT}`, update),
      );
    }
    expect((await trader.balances())['LTC']).toBe('2');
  });

  it('refuses a credit that no decision explains, and a deposit that begins decided', async () => {
    const { id } = await quarantine('LTC', '2');
    const insert = (columns: string, values: string, reference = `quarantine ${id}`, credited = creditId()) =>
      sql(
        `INSERT OR REPLACE INTO deposits (account_id, id, type, asset, amount, usd_value, status, transfer, reference ${columns})
         VALUES (?, ?, 'INTERNAL_DEPOSIT', 'LTC', 200000000, 1, 'COMPLETED', ${NEXT}, ? ${values})`,
        trader.accountId,
        credited,
        reference,
      );
    await expectRefused('no decision explains the credit', insert('', ''));
    await expectRefused(
      'a deposit begins undecided',
      insert(', decision, credit_account, credit_id, credit_usd_value', `, 'CREDITED', 'x', 'y', 1`, 'wire 7'),
    );
    await read(await credit(id));
    const explained = await sql('SELECT credit_id FROM deposits WHERE id = ?', id).first<string>('credit_id');
    await expectRefused('deposit exists', insert('', '', undefined, explained ?? ''));
  });

  it('refuses to decide one below the minimum, or one that is not quarantined', async () => {
    for (const [amount, confirmations, refusal] of [
      ['0.0000000001', 100, 'below the minimum'],
      ['1', 1, 'quarantine_decided'],
      ['1', 100, 'quarantine_decided'],
    ] as const) {
      const { id } = await reportDeposit(await reportFor(trader, { amount, confirmations }));
      const named = audit('credit_deposit', id, { accountId: trader.accountId });
      await expectRefused(refusal, named, set(id, crediting(trader.accountId)));
    }
  });
});
