// @runtime three-ledgers
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { ledgerNumberOf } from '../../src/db/record-id.ts';
import { type ProblemBody, asOperator, asToken, createKey, expectCode, json, operate } from '../support/exchange.ts';
import { accepted } from '../support/holder/holders.ts';
import { CONNECTION_LOST, aroundBatch, fail } from '../support/runtime/faults.ts';
import { env, holderEntrypoint } from '../support/runtime/test-env.ts';
import { sql, sqlIn } from '../support/db/sql.ts';
import { atOnce } from '../support/at-once.ts';

const ledgers = [0, 1, 2] as const;

interface Opened {
  readonly account: { readonly id: string; readonly externalId: string | null };
}

const setWeights = (openingWeights: Record<string, unknown>) => asOperator('PATCH', '/settings', { openingWeights });

const open = (body: Record<string, unknown> = {}, key?: string) =>
  asToken(
    env.OPERATOR_TOKEN,
    'POST',
    '/accounts',
    { label: 'drawn', ...body },
    key === undefined ? {} : { 'Idempotency-Key': key },
  );

async function idOf(answer: Promise<Response>): Promise<string> {
  const response = await answer;
  if (response.status !== 201) throw new Error(await response.text());
  return (await json<Opened>(response)).account.id;
}

/** Has the next openings draw these ledgers, one after the other, where all weights are equal. */
function draw(...drawn: readonly number[]): void {
  const random = vi.spyOn(Math, 'random');
  for (const ledger of drawn) random.mockReturnValueOnce((ledger + 0.5) / ledgers.length);
}

async function countAccounts(condition = '1 = 1'): Promise<number> {
  const counts = await Promise.all(
    ledgers.map((ledger) => sqlIn(ledger, `SELECT count(*) AS n FROM accounts WHERE ${condition}`).first<number>('n')),
  );
  return counts.reduce<number>((sum, count) => sum + (count ?? 0), 0);
}

beforeEach(async () => expect((await setWeights({ '0': 1, '1': 1, '2': 1 })).status).toBe(200));

describe('an account', () => {
  it.each(ledgers)('that is drawn for ledger %i is opened there, and so are its keys', async (ledger) => {
    draw(ledger);
    const id = await idOf(open());
    expect(ledgerNumberOf(id)).toBe(ledger);
    expect(await sqlIn(ledger, 'SELECT id FROM accounts WHERE id = ?', id).first('id')).toBe(id);
    expect(ledgerNumberOf((await createKey(id)).keyId)).toBe(ledger);
    await operate('GET', `/accounts/${id}`);
  });

  it.each(ledgers)('that a holder opens is drawn in the same way, for ledger %i', async (ledger) => {
    draw(ledger);
    const { accountId } = await accepted(holderEntrypoint.openAccount(`in-${ledger}@customers.test`));
    expect(ledgerNumberOf(accountId)).toBe(ledger);
  });

  it('that a holder opens is one for each address, though five links are spent at once and each draws another ledger', async () => {
    draw(2, 0, 1, 1, 0);
    const before = await countAccounts();
    const opened = await atOnce(5, () => accepted(holderEntrypoint.openAccount('at-once@customers.test')));
    expect(new Set(opened.map(({ accountId }) => accountId)).size).toBe(1);
    expect(await countAccounts()).toBe(before + 1);
  });

  it('is opened in no ledger that has no weight, nor in one that the settings do not name', async () => {
    await setWeights({ '0': 0, '2': 5 });
    const opened = await atOnce(12, () => idOf(open()));
    expect(new Set(opened.map(ledgerNumberOf))).toEqual(new Set([2]));
  });
});

describe('an account that is opened with an Idempotency-Key', () => {
  it('is opened once, though every repetition draws another ledger', async () => {
    draw(2, 0, 1, 1, 0, 2);
    const before = await countAccounts();
    const opened = await atOnce(6, () => idOf(open({}, 'at-once')));
    expect(new Set(opened).size).toBe(1);
    draw(0, 1, 2);
    for (let n = 0; n < 3; n += 1) {
      const again = await open({}, 'at-once');
      expect(again.headers.get('X-Idempotency-Replay')).toBe('true');
      expect((await json<Opened>(again)).account.id).toBe(opened[0]);
    }
    expect(await countAccounts()).toBe(before + 1);
  });

  it('is refused for another body under the same key, whichever ledger is drawn', async () => {
    draw(1);
    await idOf(open({ externalId: 'reused-1' }, 'reused'));
    for (const ledger of ledgers) {
      draw(ledger);
      await expectCode(open({ label: 'other' }, 'reused'), '422 idempotency_key_reused');
      draw(ledger);
      const other = open({ externalId: `reused-2-${ledger}` }, 'reused');
      await expectCode(other, '422 idempotency_key_reused');
    }
  });

  it.each(['before', 'after'] as const)('is one account when the connection is lost %s its batch', async (moment) => {
    const before = await countAccounts();
    const lost = aroundBatch('account', moment, 1, fail(CONNECTION_LOST));
    draw(2);
    await open({ externalId: `lost-${moment}` }, `lost-${moment}`);
    expect(lost.state.injected).toBe(1);
    lost.restore();
    draw(1);
    const id = await idOf(open({ externalId: `lost-${moment}` }, `lost-${moment}`));
    expect(ledgerNumberOf(id)).toBe(2);
    expect(await countAccounts()).toBe(before + 1);
  });

  it('is found again when it was opened before there were other ledgers', async () => {
    await setWeights({ '0': 1 });
    const id = await idOf(open({}, 'newer'));
    // As the only ledger has recorded it: without a claim in the directory.
    await sql(`INSERT INTO operator_requests SELECT caller, 'older', fingerprint, record_id FROM operator_requests
       WHERE idempotency_key = 'newer'`).run();
    await setWeights({ '1': 1 });
    const again = await open({}, 'older');
    expect([again.status, again.headers.get('X-Idempotency-Replay')]).toEqual([201, 'true']);
    expect((await json<Opened>(again)).account.id).toBe(id);
  });
});

describe('an externalId', () => {
  it('is of one account in all ledgers, whichever is drawn', async () => {
    draw(1);
    await idOf(open({ externalId: 'one-of-all' }));
    for (const ledger of ledgers) {
      draw(ledger);
      await expectCode(open({ externalId: 'one-of-all' }), '409 invalid_state');
    }
    expect(await countAccounts(`external_id = 'one-of-all'`)).toBe(1);
  });

  it('is of one account when several are opened with it at once', async () => {
    draw(0, 1, 2, 0, 1, 2);
    const answers = await atOnce(6, () => open({ externalId: 'raced' }));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(5);
    expect(await countAccounts(`external_id = 'raced'`)).toBe(1);
  });

  it('can still be used when the account that claimed it was not opened', async () => {
    const lost = aroundBatch('account', 'before', 1, fail(CONNECTION_LOST));
    draw(2);
    expect((await open({ externalId: 'cut-off' })).status).toBe(503);
    lost.restore();
    draw(0);
    expect(ledgerNumberOf(await idOf(open({ externalId: 'cut-off' })))).toBe(2);
  });
});

describe('the weights', () => {
  it('are a setting, whose change is in the audit', async () => {
    await setWeights({ '0': 3, '1': 1 });
    const { settings } = await operate<{ settings: Record<string, unknown> }>('GET', '/settings');
    expect(settings['openingWeights']).toEqual({ '0': 3, '1': 1 });
    const row = await sql('SELECT action, detail FROM audit ORDER BY id DESC LIMIT 1').first<Record<string, string>>();
    expect(row?.['action']).toBe('change_settings');
    expect(JSON.parse(row?.['detail'] ?? '')).toEqual({ openingWeights: { '0': 3, '1': 1 } });
  });

  it.each([
    [{ '0': 1, '3': 1 }, '/openingWeights/3'],
    [{ '0': 1, '3': 0 }, '/openingWeights/3'],
    [{ '0': 0, '1': 0 }, '/openingWeights'],
    [{}, '/openingWeights'],
    [{ '0': -1 }, '/openingWeights/0'],
    [{ '0': 1.5 }, '/openingWeights/0'],
    [{ '0': 1_001 }, '/openingWeights/0'],
    [{ '00': 1 }, '/openingWeights/00'],
    [{ first: 1 }, '/openingWeights/first'],
  ])('%j are refused', async (weights, pointer) => {
    const refused = await setWeights(weights);
    const { code, errors } = await json<ProblemBody>(refused);
    expect([refused.status, code, errors?.[0]?.pointer]).toEqual([400, 'invalid_request', pointer]);
    const { settings } = await operate<{ settings: Record<string, unknown> }>('GET', '/settings');
    expect(settings['openingWeights']).toEqual({ '0': 1, '1': 1, '2': 1 });
  });
});
