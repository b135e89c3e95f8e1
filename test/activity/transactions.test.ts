import { beforeAll, describe, expect, it } from 'vitest';
import { type Trader, json, openTrader, readPages } from '../support/exchange.ts';
import { writeHistory } from '../support/growth/write-history.ts';
import { countRowsRead, holdWakingsThroughout } from '../support/runtime/meter.ts';
import { agreeP2p, agreeQuick, readSettled, settle } from '../support/operator/settlements.ts';

holdWakingsThroughout();

const FEED = '/api/v1/wallet/transactions';

interface Page {
  readonly transactions: Record<string, string>[];
  readonly nextCursor: string | null;
}

async function readPage(trader: Trader, limit: number, cursor: string | null): Promise<Page> {
  const query = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`;
  return json<Page>(await trader.get(`${FEED}?limit=${limit}${query}`));
}

describe('the feed of an account with records of every kind', () => {
  let trader: Trader;
  let other: Trader;
  /** The ids of all its records, and the times of its settlements, oldest first. */
  const ids: string[] = [];
  const times: string[] = [];
  beforeAll(async () => {
    [trader, other] = [await openTrader({ USDT: '10000', ETH: '10' }), await openTrader({ USDT: '10000', ETH: '10' })];
    ids.push((await trader.trade({ coin: 'ETH', side: 'BUY', mode: 'USDT_AMOUNT', value: '10' })).id);
    for (const wanted of [
      agreeP2p(trader, other),
      agreeQuick(trader, 'BUY', { coinAmount: '0.6', usdtAmount: '120' }),
      agreeP2p(other, trader, { coinAmount: '0.7', usdtAmount: '140.5' }),
      agreeQuick(trader, 'SELL', { coinAmount: '0.8', usdtAmount: '160' }),
    ]) {
      const { id, ts } = await readSettled(await settle(wanted));
      ids.push(id);
      times.push(ts);
    }
    ids.push((await trader.trade({ coin: 'ETH', side: 'SELL', mode: 'COIN_QTY', value: '0.1' })).id);
    ids.push((await trader.takeOut()).id);
  });

  it('shows the account’s side of each settlement, with the id and time that the operator was given', async () => {
    const feed = await trader.feed();
    const settled = feed.filter(({ category }) => category === 'P2P' || category === 'QUICK_TRADE');
    const shown = [
      { category: 'P2P', type: 'P2P_BUY', amount: '0.5', usdValue: '100' },
      { category: 'QUICK_TRADE', type: 'QUICK_BUY', amount: '0.6', usdValue: '120' },
      { category: 'P2P', type: 'P2P_SELL', amount: '0.7', usdValue: '140.5' },
      { category: 'QUICK_TRADE', type: 'QUICK_SELL', amount: '0.8', usdValue: '160' },
    ].map((row, at) => ({
      ...row,
      id: ids[at + 1],
      ts: times[at],
      asset: 'ETH',
      status: 'COMPLETED',
      keyId: null,
      reason: null,
    }));
    expect(settled).toEqual(shown.toReversed());
  });

  it('shows the other account its side of the settlements between the two, and nothing else', async () => {
    const settled = (await other.feed()).filter(({ category }) => category !== 'DEPOSIT');
    expect(settled.map(({ id, type, amount, usdValue }) => ({ id, type, amount, usdValue }))).toEqual([
      { id: ids[3], type: 'P2P_BUY', amount: '0.7', usdValue: '140.5' },
      { id: ids[1], type: 'P2P_SELL', amount: '0.5', usdValue: '100' },
    ]);
  });

  it('shows an unrelated account nothing', async () => {
    expect(await (await openTrader()).feed()).toEqual([]);
  });

  it.each([
    ['TRADE', ['SPOT_SELL', 'SPOT_BUY']],
    ['DEPOSIT', ['INTERNAL_DEPOSIT', 'INTERNAL_DEPOSIT']],
    ['WITHDRAWAL', ['ONCHAIN_WITHDRAWAL']],
    ['P2P', ['P2P_SELL', 'P2P_BUY']],
    ['QUICK_TRADE', ['QUICK_SELL', 'QUICK_BUY']],
  ])('has, in the category %s, exactly the types of that category, newest first', async (category, types) => {
    const rows = (await trader.feed()).filter((row) => row['category'] === category);
    expect(rows.map(({ type }) => type)).toEqual(types);
  });

  it('returns every row once, newest first, at any page size, while more is settled', async () => {
    const before = await trader.feed();
    expect(before.slice(0, ids.length).map(({ id }) => id)).toEqual(ids.toReversed());
    for (const limit of [1, 2, 3, before.length, 200]) {
      const standing = (await trader.feed()).map(({ id }) => id);
      const rows = await readPages<{ id: string }>(trader, FEED, { limit: String(limit) }, async (page) => {
        expect(page.length).toBeLessThanOrEqual(limit);
        await readSettled(await settle(agreeP2p(trader, other, { coinAmount: '0.00000001', usdtAmount: '0.01' })));
      });
      expect(rows.map(({ id }) => id)).toEqual(standing);
    }
  });
});

describe('a page of the feed', () => {
  /** Adds records of every kind to an account, in turns, as `writeHistory` writes them. */
  async function fill(accountId: string, count: number): Promise<void> {
    for (const table of ['deposits', 'orders', 'withdrawals', 'settlements'] as const) {
      await writeHistory(table, { account: `'${accountId}'`, count: 1 }, count);
    }
  }

  it('reads one row of D1 for each row that it shows and at most 8 more, however long the feed is', async () => {
    const [young, old] = [await openTrader(), await openTrader()];
    await fill(young.accountId, 30);
    await fill(old.accountId, 3_000);
    for (const limit of [1, 50]) {
      const costs = [];
      for (const trader of [young, old]) {
        const first = await readPage(trader, limit, null);
        expect(first.transactions).toHaveLength(limit);
        costs.push(await countRowsRead(() => readPage(trader, limit, null)));
        costs.push(await countRowsRead(() => readPage(trader, limit, first.nextCursor)));
      }
      expect(new Set(costs).size, String(costs)).toBe(1);
      expect(costs[0]).toBeLessThanOrEqual(limit + 8);
    }
  });
});
