import { describe, expect, it } from 'vitest';
import { lowestRecordId } from '../../src/db/record-id.ts';
import type { Coin } from '../../src/money/assets.ts';
import { type PlannedOrder, commitOrders } from '../../src/orders/batches.ts';
import { unexplainedBalances } from '../support/db/probes.ts';
import {
  NOON_MS,
  balanceOf,
  credit,
  database,
  expectRefused,
  keyOf,
  openFunded,
  order,
  setFloor,
} from '../support/db/raw-ledger.ts';
import { VENUE, funding, openHedge } from '../support/db/house-money.ts';
import { env } from '../support/runtime/test-env.ts';
import { measureDatabase } from '../support/runtime/meter.ts';
import { sql, listRows } from '../support/db/sql.ts';

const newId = () => `${lowestRecordId(NOON_MS)}-7000-8000-${crypto.randomUUID().slice(-12)}`;

interface Terms {
  readonly id?: string;
  readonly side?: 'BUY' | 'SELL';
  readonly coin?: Coin;
  readonly amount?: bigint;
  readonly round?: number;
  readonly clientOrderId?: string;
}

/** An order of so many atoms of BTC for as many of USDT, as `order` writes it. */
function want(accountId: string, terms: Terms = {}): PlannedOrder {
  const { id = newId(), side = 'BUY', coin = 'BTC', amount = 1n, round = 0, clientOrderId = null } = terms;
  const prices = { executedPrice: 100_000_000n, middlePrice: 100_000_000n, priceRound: round, priceAsOf_ms: NOON_MS };
  return {
    placement: { orderId: id, accountId, keyId: keyOf(accountId) },
    admitted_ms: NOON_MS,
    plan: { coin, side, coinAmount: amount * 100n, usdtAmount: amount, ...prices, clientOrderId },
  };
}

/** Commits orders in one batch, and gives for each why it was refused; `undefined` for one that was filled. */
async function decide(...wanted: PlannedOrder[]) {
  const outcome = await commitOrders(database, wanted);
  if (outcome.kind !== 'decided') throw new Error(outcome.kind);
  return wanted.map(({ placement }) => outcome.refused.get(placement.orderId)?.reason);
}

const countNotes = () => sql('SELECT count(*) AS notes FROM refused_orders').first<number>('notes');

const HOUSE_FLOOR = '-20000000000';

/** What makes each reason apply to the purchases of an account, the last reason first. */
const spoil: readonly (readonly [string, (accountId: string, other: string) => D1PreparedStatement[]])[] = [
  ['house_full', () => setFloor('house:liquidity', 'BTC', '-100')],
  [
    'insufficient_balance',
    (id) => [order(id, { price: '100000000', side: 'SELL', coinAmount: '100', usdtAmount: '1' })],
  ],
  ['price_overtaken', (_, other) => [order(other, { side: 'SELL', priceRound: 7 })]],
  ['trading_halted', () => [sql('UPDATE settings SET trading_halted = 1')]],
  ['account_frozen', (id) => [sql(`UPDATE accounts SET status = 'frozen' WHERE id = ?`, id)]],
  ['key_expired', (id) => [sql('UPDATE api_keys SET expires_at = 1 WHERE id = ?', keyOf(id))]],
  ['key_revoked', (id) => [sql('UPDATE api_keys SET revoked_at = 1 WHERE id = ?', keyOf(id))]],
];

/** Has the table itself refuse an order. */
const expectRefusedByLaw = (accountId: string, amount: bigint, id = newId()) =>
  expectRefused(
    'SQLITE_CONSTRAINT',
    order(accountId, { id, price: '100000000', coinAmount: `${amount}00`, usdtAmount: `${amount}`, priceRound: 0 }),
  );

describe('an order among others of its batch', () => {
  it('is refused for the first of several reasons that apply, and by the law of the table as well', async () => {
    const [account, other] = [await openFunded(), await openFunded()];
    const made = newId();
    expect(await decide(want(account, { id: made, clientOrderId: 'mine' }))).toEqual([undefined]);
    let amount = 1n;
    for (const [reason, statements] of spoil) {
      await env.DB.batch(statements(account, other));
      if (reason === 'insufficient_balance') amount = 1_000n;
      expect(await decide(want(account, { amount }))).toEqual([reason]);
      const isBeforeName = ['trading_halted', 'account_frozen', 'key_expired', 'key_revoked'].includes(reason);
      expect(await decide(want(account, { amount, clientOrderId: 'mine' }))).toEqual([
        isBeforeName ? reason : 'client_order_id_reused',
      ]);
      await expectRefusedByLaw(account, amount);
    }
    expect(await decide(want(account, { id: made, clientOrderId: 'mine' }))).toEqual(['exists']);
    await expectRefusedByLaw(account, 1n, made);
    await sql('UPDATE settings SET trading_halted = 0').run();
    await env.DB.batch(setFloor('house:liquidity', 'BTC', HOUSE_FLOOR));
    expect(await countNotes()).toBe(0);
  });

  it('is refused when the house cannot pay the USDT of a sale, which the law refuses as well', async () => {
    const account = await openFunded();
    const paid = await balanceOf('house:liquidity', 'USDT');
    await env.DB.batch(setFloor('house:liquidity', 'USDT', `${paid}`));
    const sale = { price: '100000000', coinAmount: '100', usdtAmount: '1', priceRound: 7, side: 'SELL' };
    expect(await decide(want(account, { side: 'SELL', round: 7 }))).toEqual(['house_full']);
    await expectRefused('ledger: floor house:liquidity USDT', order(account, sale));
    await env.DB.batch(setFloor('house:liquidity', 'USDT', '-10000000000000'));
    expect(await decide(want(account, { side: 'SELL', round: 7 }))).toEqual([undefined]);
  });

  it('is refused when its coin is halted, and when the house would be longer of it than its exposure', async () => {
    const account = await openFunded();
    const sell = (amount: bigint) => want(account, { side: 'SELL', amount, round: 7 });
    await sql(`UPDATE settings SET halted_coins = '["BTC"]'`).run();
    expect(await decide(sell(1n))).toEqual(['trading_halted']);
    await expectRefusedByLaw(account, 1n);
    await sql(`UPDATE settings SET halted_coins = '["ETH"]'`).run();
    await env.DB.batch(funding('house:liquidity', VENUE, 'BTC', '5000'));
    const long = (await balanceOf('house:liquidity', 'BTC')) - 5_000n;
    await env.DB.batch([credit(account, 'BTC', '1000'), ...setFloor('house:liquidity', 'BTC', String(-400n - long))]);
    expect(await decide(sell(2n), sell(3n), want(account, { amount: 1n, round: 7 }), sell(3n))).toEqual([
      undefined,
      'house_full',
      undefined,
      undefined,
    ]);
    // What an open hedge has set aside is still the house's.
    await openHedge(newId(), 'SELL', { coin_amount: 300, set_aside: 300 }).run();
    expect(await decide(sell(1n))).toEqual(['house_full']);
    await env.DB.batch(setFloor('house:liquidity', 'BTC', HOUSE_FLOOR));
  });

  it('finds the balance that the orders before it left', async () => {
    const account = await openFunded();
    const round = 7;
    const wanted = [60n, 41n, -10n, 50n, 1n].map((amount) =>
      want(account, amount < 0n ? { amount: -amount, side: 'SELL', round } : { amount, round }),
    );
    const outcome = await commitOrders(database, wanted);
    if (outcome.kind !== 'decided') throw new Error(outcome.kind);
    const tooLittle = (figure: bigint) => ({ reason: 'insufficient_balance', figure, firstId: null });
    const answers = wanted.map(({ placement }) => outcome.refused.get(placement.orderId));
    expect(answers).toEqual([undefined, tooLittle(40n), undefined, undefined, tooLittle(0n)]);
    expect(await balanceOf(account, 'USDT')).toBe(0n);
    expect(await unexplainedBalances()).toEqual([]);
  });

  it('is refused when an earlier one has its name, also of the same batch, and all others are filled', async () => {
    const [account, other] = [await openFunded(), await openFunded()];
    const named = (accountId: string, clientOrderId: string) => want(accountId, { clientOrderId, round: 7 });
    const first = named(account, 'one');
    const wanted = [
      first,
      want(account, { round: 7 }),
      named(account, 'one'),
      named(other, 'one'),
      named(account, 'two'),
      want(account, { round: 7 }),
    ];
    const outcome = await commitOrders(database, wanted);
    if (outcome.kind !== 'decided') throw new Error(outcome.kind);
    const reused = { reason: 'client_order_id_reused', figure: 0n, firstId: first.placement.orderId };
    const answers = wanted.map(({ placement }) => outcome.refused.get(placement.orderId));
    expect(answers).toEqual([undefined, undefined, reused, undefined, undefined, undefined]);
    expect(await decide(named(account, 'two'))).toEqual(['client_order_id_reused']);
    expect(await balanceOf(account, 'USDT')).toBe(96n);
    await expectRefused('UNIQUE constraint failed', order(account, { clientOrderId: 'one' }));
  });

  it('reads no row and writes no row for the names that others have', async () => {
    const account = await openFunded();
    const count = async (wanted: PlannedOrder) => {
      const { databaseRowsRead, databaseRowsWritten } = await measureDatabase(() => decide(wanted));
      return { read: databaseRowsRead, written: databaseRowsWritten };
    };
    await decide(want(account, { round: 7 }));
    const plain = await count(want(account, { round: 7 }));
    for (let index = 0; index < 20; index += 1) {
      await decide(want(account, { round: 7, clientOrderId: `name-${index}` }));
    }
    expect(await count(want(account, { round: 7 }))).toEqual(plain);
    const named = await count(want(account, { round: 7, clientOrderId: 'another' }));
    expect([named.written - plain.written, named.read - plain.read]).toEqual([1, 0]);
  });

  it('leaves no gap in the numbers when it is refused', async () => {
    const [account, poor] = [await openFunded(), await openFunded()];
    const first = await sql('SELECT max(id) + 1 AS first FROM transfers').first<number>('first');
    const wanted = Array.from({ length: 50 }, (_, index) => {
      const isRefused = index % 3 === 1;
      return want(isRefused ? poor : account, { amount: isRefused ? 1_000n : 1n, round: 7 });
    });
    const answers = await decide(...wanted);
    expect(answers.filter((reason) => reason === undefined)).toHaveLength(33);
    const results = await listRows<{ number: number }>(
      'SELECT first_transfer AS number FROM orders WHERE account_id = ? ORDER BY first_transfer',
      account,
    );
    expect(results.map(({ number }) => number)).toEqual(results.map((_, index) => (first ?? 0) + 2 * index));
    expect(await countNotes()).toBe(0);
  });

  it('keeps amounts beyond 2^53 to the atom, and names a balance of that size', async () => {
    const account = await openFunded();
    const coinAmount = 2n ** 53n + 1n;
    await env.DB.batch([
      ...setFloor('house:custody', 'MATIC', `-${coinAmount}`),
      ...setFloor('house:liquidity', 'MATIC', `-${coinAmount}`),
      credit(account, 'MATIC', `${coinAmount}`),
    ]);
    const prices = { executedPrice: 1_000_000n, middlePrice: 1_000_000n, priceRound: 0, priceAsOf_ms: NOON_MS };
    const terms = { coin: 'MATIC', side: 'SELL', ...prices, clientOrderId: null } as const;
    const sell = (atoms: bigint): PlannedOrder => ({
      ...want(account),
      plan: { ...terms, coinAmount: atoms, usdtAmount: atoms / 10_000n },
    });
    const [tooMuch, all] = [sell(coinAmount + 1n), { ...sell(coinAmount), placement: want(account).placement }];
    const outcome = await commitOrders(database, [tooMuch, all]);
    expect(outcome).toEqual({
      kind: 'decided',
      refused: new Map([
        [tooMuch.placement.orderId, { reason: 'insufficient_balance', figure: coinAmount, firstId: null }],
      ]),
    });
    expect(await balanceOf(account, 'MATIC')).toBe(0n);
  });

  it('that only a guard of the table refuses, as a bug would have it, is refused with its whole batch', async () => {
    const account = await openFunded();
    const wrong = want(account, { round: 7 });
    const batch = [want(account, { round: 7 }), { ...wrong, plan: { ...wrong.plan, usdtAmount: 50n } }];
    await expect(commitOrders(database, batch)).rejects.toThrow('guard: no such coin, or not at this price');
    expect(await balanceOf(account, 'USDT')).toBe(100n);
  });

  it('writes an event only if its account listens and it is filled', async () => {
    const [listens, silent] = [await openFunded(), await openFunded()];
    await sql('INSERT INTO listeners (account_id) VALUES (?)', listens).run();
    const filled = newId();
    await decide(
      want(listens, { id: filled, round: 7 }),
      want(listens, { amount: 1_000n, round: 7 }),
      want(silent, { round: 7 }),
    );
    const results = await listRows(`SELECT account_id, subject FROM events WHERE type = 'order.filled'`);
    expect(results).toEqual([{ account_id: listens, subject: filled }]);
  });
});
