import { createScheduledController, runDurableObjectAlarm } from 'cloudflare:test';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { OperatorWithdrawal } from '../../src/withdrawals/operator-withdrawal.ts';
import worker from '../../src/index.ts';
import {
  type Trader,
  asOperator,
  createKey,
  json,
  openAccount,
  openTrader,
  operate,
  expectCode,
} from '../support/exchange.ts';
import { sumOfBalances, expectWholeLedger } from '../support/db/probes.ts';

import { env } from '../support/runtime/test-env.ts';
import { sql, listRows } from '../support/db/sql.ts';

const HASH = 'ab'.repeat(32);

interface Answer {
  readonly withdrawal: OperatorWithdrawal;
}

const withdraw = async (trader: Trader, change: object = {}) => trader.takeOut({ amount: '100', ...change });

/** The operator's decision about a withdrawal. */
const decide = (trader: Trader, id: string, verb: string, body: object = { reason: 'known customer' }) =>
  asOperator('POST', `/accounts/${trader.accountId}/withdrawals/${id}/${verb}`, body);

async function auditOf(id: string): Promise<string[]> {
  const results = await listRows<{ action: string }>('SELECT action FROM audit WHERE target = ? ORDER BY id', id);
  return results.map(({ action }) => action);
}

/** Leaves a withdrawal PROCESSING at the custodian without an answer, as when the answer was lost. */
async function leaveProcessing(trader: Trader): Promise<string> {
  const { id } = await withdraw(trader);
  const approve = decide(trader, id, 'approve');
  expect((await approve).status).toBe(200);
  return id;
}

beforeAll(() => asOperator('PATCH', '/settings', { reviewThreshold: '50' }));
afterAll(() => asOperator('PATCH', '/settings', { reviewThreshold: null }));

describe('a withdrawal above the review threshold', () => {
  it('waits as PENDING with its money held, is listed, and is paid after the approval', async () => {
    const trader = await openTrader({ USDT: '500' });
    const withdrawal = await withdraw(trader);
    expect(withdrawal).toMatchObject({ status: 'PENDING', txHash: null });
    expect((await trader.balances())['USDT']).toBe('399');
    const list = await operate<{ withdrawals: Answer['withdrawal'][] }>('GET', '/withdrawals?status=PENDING');
    expect(list.withdrawals.find(({ id }) => id === withdrawal.id)).toMatchObject({
      accountId: trader.accountId,
      usdValue: '100',
    });

    const approved = await decide(trader, withdrawal.id, 'approve');
    expect((await json<Answer>(approved)).withdrawal.status).toBe('COMPLETED');
    await expectCode(decide(trader, withdrawal.id, 'approve', { reason: 'again' }), '409 invalid_state');
    await expectCode(decide(trader, withdrawal.id, 'reject', { reason: 'no' }), '409 invalid_state');
    expect((await trader.balances())['USDT']).toBe('399');
    expect(await auditOf(withdrawal.id)).toEqual(['approve_withdrawal']);
    await expectWholeLedger();
  });

  it('has its money and fee returned after a rejection', async () => {
    const trader = await openTrader({ USDT: '500' });
    const { id } = await withdraw(trader);
    const rejected = await decide(trader, id, 'reject', { reason: 'unknown source of funds' });
    expect((await json<Answer>(rejected)).withdrawal).toMatchObject({ status: 'FAILED', reason: 'rejected' });
    await expectCode(decide(trader, id, 'reject', { reason: 'again' }), '409 invalid_state');
    expect((await trader.balances())['USDT']).toBe('500');
    expect(await auditOf(id)).toEqual(['settle_withdrawal']);
    expect(await sumOfBalances()).toEqual([]);
  });

  it('tells its holder what the rejection has for them, and never the reason', async () => {
    const trader = await openTrader({ USDT: '500' });
    const [told, untold] = [await withdraw(trader), await withdraw(trader)];
    expect(told.note).toBeNull();
    const body = { reason: 'a known thief', note: ' Ask us for the form. ' };
    const rejected = await json<Answer>(await decide(trader, told.id, 'reject', body));
    expect(rejected.withdrawal.note).toBe('Ask us for the form.');
    await decide(trader, untold.id, 'reject');
    const shown = await Promise.all([told, untold].map(({ id }) => trader.readWithdrawal(id)));
    expect(shown.map(({ reason, note }) => [reason, note])).toEqual([
      ['rejected', 'Ask us for the form.'],
      ['rejected', null],
    ]);
    expect(JSON.stringify([shown, await trader.feed()])).not.toContain('thief');
    const [audited] = await listRows<{ detail: string }>('SELECT detail FROM audit WHERE target = ?', told.id);
    expect(JSON.parse(audited?.detail ?? '')).toMatchObject({ note: 'Ask us for the form.', because: 'a known thief' });
  });

  it.each([
    ['reject', { note: '' }],
    ['reject', { note: 'x'.repeat(201) }],
    ['reject', { note: 'two\nlines' }],
    ['reject', { note: 'See thief.example' }],
    ['approve', { note: 'It is on its way.' }],
    ['settle', { outcome: 'failed', note: 'It is back.' }],
  ])('is not ended with such words for its holder: %s %j', async (verb, body) => {
    const trader = await openTrader({ USDT: '500' });
    const { id } = await withdraw(trader);
    await expectCode(decide(trader, id, verb, { reason: 'x', ...body }), '400 invalid_request');
    expect(await trader.readWithdrawal(id)).toMatchObject({ status: 'PENDING', note: null });
    expect(await auditOf(id)).toEqual([]);
  });

  it('is ended once when ten approve and reject at the same time', async () => {
    const trader = await openTrader({ USDT: '500' });
    const { id } = await withdraw(trader);
    const actions = Array.from({ length: 10 }, (_, at) => (at % 2 === 0 ? 'approve' : 'reject'));
    const responses = await Promise.all(actions.map((action) => decide(trader, id, action, { reason: 'x' })));
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(['399', '500']).toContain((await trader.balances())['USDT']);
    await expectWholeLedger();
  });

  it('to another account of Bureau is paid to it after the approval, without a fee', async () => {
    const [trader, recipientId] = [await openTrader({ USDT: '500' }), await openAccount()];
    const recipient = await createKey(recipientId);
    const address = await recipient.addressOn('TRC20');
    const withdrawal = await withdraw(trader, { address });
    expect(withdrawal).toMatchObject({ status: 'PENDING', fee: '0' });
    expect([(await recipient.balances())['USDT'], await recipient.feed()]).toEqual(['0', []]);
    const approved = await decide(trader, withdrawal.id, 'approve', { reason: 'fine' });
    expect((await json<Answer>(approved)).withdrawal).toMatchObject({ status: 'COMPLETED', txHash: null });
    expect((await recipient.balances())['USDT']).toBe('100');
    await expectWholeLedger();
  });

  it.each([{}, { reason: '' }, { reason: 1 }])('is not ended without a reason: %o', async (body) => {
    const trader = await openTrader({ USDT: '500' });
    const { id } = await withdraw(trader);
    await expectCode(decide(trader, id, 'approve', body), '400 invalid_request');
  });
});

describe('the end of a withdrawal', () => {
  it('happens once: a paid withdrawal is not settled again, as paid or as failed', async () => {
    const trader = await openTrader({ USDT: '500' });
    const id = await leaveProcessing(trader);
    for (const outcome of [{ outcome: 'paid', txHash: HASH }, { outcome: 'failed' }]) {
      await expectCode(decide(trader, id, 'settle', { ...outcome, reason: 'x' }), '409 invalid_state');
    }
  });

  it('can be set by hand for a stuck one: paid with its hash, or failed with the money returned', async () => {
    for (const [body, status, balance] of [
      [{ outcome: 'paid', txHash: HASH.toUpperCase(), reason: 'seen on the chain' }, 'COMPLETED', '399'],
      [{ outcome: 'failed', reason: 'the custodian confirmed by phone' }, 'FAILED', '500'],
    ] as const) {
      const trader = await openTrader({ USDT: '500' });
      const { id } = await withdraw(trader);
      await sql(
        "UPDATE withdrawals SET status = 'PROCESSING', released_at = 1, next_ask_at = 1 WHERE id = ?",
        id,
      ).run();
      await expectCode(
        decide(trader, id, 'settle', { ...body, txHash: 'no hash', outcome: 'paid' }),
        '400 invalid_request',
      );
      const settled = await json<Answer>(await decide(trader, id, 'settle', body));
      expect(settled.withdrawal).toMatchObject({ status, txHash: status === 'COMPLETED' ? HASH : null });
      expect((await trader.balances())['USDT']).toBe(balance);
      expect(await auditOf(id)).toEqual(['settle_withdrawal']);
    }
    await expectWholeLedger();
  });
});

describe('the scheduled sweep', () => {
  it('finishes what is PROCESSING for more than half a minute, and leaves younger ones to their requests', async () => {
    const trader = await openTrader({ USDT: '500' });
    const [young, old] = [(await withdraw(trader)).id, (await withdraw(trader)).id];
    const release =
      "UPDATE withdrawals SET status = 'PROCESSING', released_at = ?1, next_ask_at = ?1 + 30000 WHERE id = ?2";
    await sql(release, Date.now(), young).run();
    await sql(release, Date.now() - 31_000, old).run();
    await worker.scheduled(createScheduledController(), env);
    await runDurableObjectAlarm(env.LEDGER_KEEPER.getByName('0'));
    const statusOf = async (id: string) =>
      (await json<Answer>(await trader.get(`/api/v1/wallet/withdrawals/${id}`))).withdrawal.status;
    expect([await statusOf(young), await statusOf(old)]).toEqual(['PROCESSING', 'COMPLETED']);
    expect(await sumOfBalances()).toEqual([]);
  });
});
