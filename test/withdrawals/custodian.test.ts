// @runtime outside
import { runDurableObjectAlarm } from 'cloudflare:test';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { type Trader, asOperator, json, openTrader } from '../support/exchange.ts';
import type { CustodianProgramme } from '../support/node/custody/custodian-state.ts';
import { env } from '../support/runtime/test-env.ts';
import { countPayments, sweep, useCustodian, withdrawFrom } from '../support/withdrawals/withdrawal-custodian.ts';
import { WITHDRAWAL, listOwn, readTaken } from '../support/withdrawals/withdrawals.ts';
import { databaseOfId, runFor } from '../support/db/open-in-ledger.ts';
import { waitFor } from '../support/wait-for.ts';
import { custodian } from '../support/withdrawals/custodian.ts';

const { expectInFlight, expectHeld, expectPaid, expectReturned } = useCustodian();

let trader: Trader;
beforeEach(async () => {
  trader = await openTrader({ USDT: '100' });
});

describe('a custodian that works', () => {
  it('is asked once, for the amount without the fee, and its hash becomes the withdrawal’s', async () => {
    const withdrawal = await withdrawFrom(trader);
    expect(withdrawal.status).toBe('COMPLETED');
    const contractAddress = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t';
    const expected = { ...WITHDRAWAL, withdrawalId: withdrawal.id, contractAddress };
    expect((await custodian.listPayouts()).map(({ payout }) => payout)).toEqual([expected]);
    expect(await custodian.countRequests(withdrawal.id)).toEqual({ submissions: 1, lookups: 0 });
    await expectPaid(trader, withdrawal);
  });
});

describe('a custodian that holds a payout', () => {
  const says = (reason: string) => ({ status: 200, body: JSON.stringify({ status: 'held', reason }) });
  const readOpen = async (id: string) => {
    const { withdrawals } = await json<{
      withdrawals: { id: string; held: { reason: string; since: string } | null }[];
    }>(await asOperator('GET', '/withdrawals?status=PROCESSING&limit=100'));
    return withdrawals.find((one) => one.id === id)?.held;
  };

  /** What a scrape shows of held payouts. */
  const readHeld = async () => {
    const text = await (await asOperator('GET', '/metrics')).text();
    const find = (name: string) => Number(new RegExp(`^bureau_payouts_held${name} (.+)$`, 'm').exec(text)?.[1]);
    return { count: find(''), oldest_s: find('_oldest_age_seconds') };
  };

  it('tells the operator why and since when, the holder nothing, and no reason is left when it has paid', async () => {
    const withdrawal = await withdrawFrom(trader, { method: 'PUT', act: 'accept', answer: says('hot_wallet_low') });
    expect(withdrawal).not.toHaveProperty('held');
    await expectHeld(trader, withdrawal);
    const held = await readOpen(withdrawal.id);
    expect(held).toEqual({ reason: 'hot_wallet_low', since: expect.stringMatching(/^20\d\d-.*Z$/) });
    await custodian.program({ method: 'GET', answer: says('signer: hourly_limit') });
    await sweep();
    expect(await readOpen(withdrawal.id)).toEqual({ ...held, reason: 'signer: hourly_limit' });
    // Without an answer the last one stands.
    await custodian.program({ method: 'GET', answer: 'error' });
    await sweep();
    expect((await readOpen(withdrawal.id))?.reason).toBe('signer: hourly_limit');
    await sweep();
    expect(await readOpen(withdrawal.id)).toBeNull();
    await custodian.program({ method: 'GET', answer: says('hot_wallet_low') });
    await sweep();
    expect((await readOpen(withdrawal.id))?.reason).toBe('hot_wallet_low');
    await custodian.decide(withdrawal.id, 'pay');
    await sweep();
    await expectPaid(trader, withdrawal);
    expect(
      await databaseOfId(withdrawal.id)
        .prepare('SELECT held_reason, held_since FROM withdrawals WHERE id = ?')
        .bind(withdrawal.id)
        .first(),
    ).toEqual({ held_reason: null, held_since: null });
  });

  it('is counted by a metric, with the age of the oldest, until it pays', async () => {
    const other = await openTrader({ USDT: '100' });
    const withdrawal = await withdrawFrom(trader, { method: 'PUT', act: 'accept', answer: says('hot_wallet_low') });
    const accepted = await withdrawFrom(other, { method: 'PUT', act: 'accept' });
    await runFor(withdrawal.id, 'UPDATE withdrawals SET held_since = held_since - 600000 WHERE id = ?', withdrawal.id);
    const { count, oldest_s } = await readHeld();
    expect([count, Math.floor(oldest_s / 60)]).toEqual([1, 10]);
    for (const { id } of [withdrawal, accepted]) await custodian.decide(id, 'pay');
    await sweep();
    expect(await readHeld()).toEqual({ count: 0, oldest_s: 0 });
  });

  it('writes a reason once, however often it is told', async () => {
    const withdrawal = await withdrawFrom(trader, { method: 'PUT', act: 'accept', answer: says('hot_wallet_low') });
    await env.DB.exec('CREATE TABLE writes (id TEXT)');
    await env.DB.exec(
      'CREATE TRIGGER writes_count AFTER UPDATE OF held_reason ON withdrawals BEGIN INSERT INTO writes VALUES (NEW.id); END',
    );
    await custodian.program({ method: 'GET', times: 3, answer: says('hot_wallet_low') });
    for (let round = 0; round < 3; round += 1) await sweep();
    const writes = await env.DB.prepare('SELECT count(*) AS count FROM writes').first('count');
    await env.DB.exec('DROP TRIGGER writes_count');
    await env.DB.exec('DROP TABLE writes');
    expect(writes).toBe(0);
    expect((await readOpen(withdrawal.id))?.reason).toBe('hot_wallet_low');
    await custodian.decide(withdrawal.id, 'refuse');
    await sweep();
    await expectReturned(trader, withdrawal);
  });
});

describe('a custodian that hangs', () => {
  it('leads to PROCESSING when the wait ends; the money is held, and the key’s lane is free meanwhile', async () => {
    await custodian.program({ method: 'PUT', act: 'nothing', answer: 'hang' });
    let isAnswered = false;
    const answering = trader.withdraw({}, 'k').finally(() => {
      isAnswered = true;
    });
    await waitFor(async () => expect(await listOwn(trader)).toHaveLength(1));
    const next = await trader.withdraw({ amount: '50' });
    expect([next.status, isAnswered]).toEqual([422, false]);
    const withdrawal = await readTaken(await answering);
    expect(withdrawal).toMatchObject({ status: 'PROCESSING', txHash: null });
    expect((await trader.balances())['USDT']).toBe('49');
    await expectInFlight(51_000_000n);

    const replay = await trader.takeOut({}, 'k');
    expect(replay).toEqual(withdrawal);
    await sweep();
    expect(await trader.readWithdrawal(withdrawal.id)).toMatchObject({ status: 'COMPLETED' });
    expect(await countPayments(withdrawal.id)).toBe(1);
  });
});

it.each([
  [
    'pay',
    [
      ['house:custody', '50'],
      ['house:fees', '1'],
    ],
  ],
  ['refuse', [['the account', '51']]],
] as const)(
  'the log has the transfers of a withdrawal with its fee, when the custodian is to %s',
  async (act, ends) => {
    const log = vi.spyOn(console, 'log').mockReturnValue();
    const { id } = await withdrawFrom(trader, { method: 'PUT', act });
    const lines = log.mock.calls.map(([line]) => JSON.parse(String(line)) as Record<string, string>);
    const moved = lines.filter(({ event, reference }) => event === 'money_moved' && reference === id);
    const nameOf = (owner = '') => (owner === trader.accountId ? 'the account' : owner);
    expect(moved.map(({ debit, credit, amount }) => [nameOf(debit), nameOf(credit), amount])).toEqual([
      ['the account', 'house:payouts', '51'],
      ...ends.map(([credit, amount]) => ['house:payouts', credit, amount]),
    ]);
  },
);

describe('a custodian that refuses', () => {
  it('fails the withdrawal, and its amount and fee are returned once', async () => {
    const withdrawal = await withdrawFrom(trader, { method: 'PUT', act: 'refuse' });
    expect(withdrawal).toMatchObject({ status: 'FAILED', txHash: null });
    await expectReturned(trader, withdrawal);
    expect(await sweep()).toBe(0);
    expect((await trader.takeOut({}, 'k')).status).toBe('FAILED');
    await expectReturned(trader, withdrawal);
  });

  it.each<[string, CustodianProgramme]>([
    ['hangs', { method: 'PUT', act: 'accept', answer: 'hang' }],
    ['accepts', { method: 'PUT', act: 'accept' }],
  ])(
    'after it %s leaves the money held however long it takes, and returned once although several look',
    async (_, first) => {
      const withdrawal = await withdrawFrom(trader, first);
      expect(withdrawal.status).toBe('PROCESSING');
      for (const later_ms of [60_000, 86_400_000, 30 * 86_400_000]) {
        await sweep(later_ms);
        await expectHeld(trader, withdrawal);
      }
      await custodian.decide(withdrawal.id, 'refuse');
      await Promise.all([sweep(), sweep(), runDurableObjectAlarm(trader.lane)]);
      await expectReturned(trader, withdrawal);
    },
  );
});
