import { beforeAll, describe, expect, it } from 'vitest';
import { MAX_LOOKED_AT } from '../../src/http/list.ts';
import { type ProblemBody, type Trader, asOperator, json, openTrader, readPages } from '../support/exchange.ts';
import { writeHistory } from '../support/growth/write-history.ts';
import { drawHash } from '../support/deposits.ts';
import { agreeP2p, agreeQuick, readSettled, settle } from '../support/operator/settlements.ts';
import { countRowsRead, holdWakingsThroughout } from '../support/runtime/meter.ts';

import { runFor } from '../support/db/open-in-ledger.ts';

holdWakingsThroughout();

type Row = Readonly<Record<string, string>>;
type Page = Record<string, Row[]> & { readonly nextCursor: string | null };

const FEED = '/api/v1/wallet/transactions';
const ORDERS = '/api/v1/orders';
const WITHDRAWALS = '/api/v1/wallet/withdrawals';
const DEPOSITS = '/api/v1/wallet/deposits';

const nameOf = (path: string) => path.split('/').at(-1) ?? '';

const walk = (trader: Trader, path: string, filter: Record<string, string>, limit = '200') =>
  readPages<Row>(trader, path, { ...filter, limit });

async function expectRefused(trader: Trader, path: string, code: string, pointer?: string): Promise<void> {
  const response = await trader.get(path);
  const problem = await json<ProblemBody>(response);
  expect([response.status, problem.code, problem.errors?.[0]?.pointer]).toEqual([400, code, pointer]);
}

describe('the lists of an account that did everything', () => {
  let trader: Trader;
  let all: Record<string, Row[]>;
  beforeAll(async () => {
    trader = await openTrader({ USDT: '10000', ETH: '10', BTC: '1' });
    const other = await openTrader({ USDT: '10000', ETH: '10' });
    for (const coin of ['BTC', 'ETH', 'BTC']) {
      await trader.trade({ coin, side: 'BUY', mode: 'USDT_AMOUNT', value: '10' });
      await trader.trade({ coin, side: 'SELL', mode: 'COIN_QTY', value: coin === 'BTC' ? '0.0005' : '0.01' });
    }
    await readSettled(await settle(agreeP2p(trader, other)));
    await readSettled(await settle(agreeQuick(trader, 'SELL')));
    await trader.takeOut();
    await trader.takeOut({ asset: 'ETH', network: 'ETH', amount: '0.1', address: await other.addressOn('ETH') });
    for (const confirmations of [1, 99]) {
      const address = await trader.addressOn('ETH');
      const report = { network: 'ETH', asset: 'ETH', amount: '0.5', address, txHash: drawHash(), confirmations };
      expect((await asOperator('POST', '/deposits', report)).status).toBe(201);
    }
    const lists = [FEED, ORDERS, WITHDRAWALS, DEPOSITS];
    all = Object.fromEntries(await Promise.all(lists.map(async (path) => [path, await walk(trader, path, {})])));
  });

  const filters: readonly (readonly [string, Record<string, string>, (row: Row) => boolean])[] = [
    [ORDERS, { coin: 'eth' }, (row) => row['coin'] === 'ETH'],
    [ORDERS, { coin: 'BTC', side: 'SELL' }, (row) => row['coin'] === 'BTC' && row['side'] === 'SELL'],
    [ORDERS, { status: 'COMPLETED' }, (row) => row['status'] === 'COMPLETED'],
    [FEED, { asset: 'ETH' }, (row) => row['asset'] === 'ETH'],
    [FEED, { asset: 'usdt' }, (row) => row['asset'] === 'USDT'],
    ...['SPOT_BUY', 'SPOT_SELL', 'ONCHAIN_DEPOSIT', 'INTERNAL_DEPOSIT', 'ONCHAIN_WITHDRAWAL'].map(
      (type) => [FEED, { type }, (row: Row) => row['type'] === type] as const,
    ),
    ...['INTERNAL_WITHDRAWAL', 'P2P_BUY', 'QUICK_SELL'].map(
      (type) => [FEED, { type }, (row: Row) => row['type'] === type] as const,
    ),
    [FEED, { status: 'PENDING' }, (row) => row['status'] === 'PENDING'],
    [FEED, { status: 'COMPLETED', asset: 'BTC' }, (row) => row['status'] === 'COMPLETED' && row['asset'] === 'BTC'],
    [WITHDRAWALS, { asset: 'ETH' }, (row) => row['asset'] === 'ETH'],
    [WITHDRAWALS, { type: 'ONCHAIN_WITHDRAWAL' }, (row) => row['network'] === 'TRC20'],
    [WITHDRAWALS, { status: 'COMPLETED' }, (row) => row['status'] === 'COMPLETED'],
    [DEPOSITS, { status: 'PENDING' }, (row) => row['status'] === 'PENDING'],
    [DEPOSITS, { type: 'INTERNAL_DEPOSIT', asset: 'BTC' }, (row) => row['network'] === null && row['asset'] === 'BTC'],
  ];

  it.each(filters)('%s with %o has exactly the rows that fit, at any size of page', async (path, filter, fits) => {
    const expected = (all[path] ?? []).filter(fits);
    expect(expected.length).toBeGreaterThan(0);
    expect(expected.length).toBeLessThanOrEqual((all[path] ?? []).length);
    for (const limit of ['1', '2', '200']) expect(await walk(trader, path, filter, limit)).toEqual(expected);
  });

  it('a status or type that no row has gives an empty list', async () => {
    expect(await walk(trader, FEED, { type: 'QUICK_BUY' })).toEqual([]);
    expect(await walk(trader, FEED, { type: 'SPOT_BUY', status: 'PENDING' })).toEqual([]);
    expect(await walk(trader, ORDERS, { status: 'FAILED' })).toEqual([]);
  });

  it.each([FEED, ORDERS, WITHDRAWALS, DEPOSITS])('%s has a time span: from it on, and before its end', async (path) => {
    const rows = all[path] ?? [];
    const times = [...new Set(rows.map(({ ts = '' }) => ts))];
    for (const time of times) {
      expect(await walk(trader, path, { from: time }, '2')).toEqual(rows.filter(({ ts = '' }) => ts >= time));
      expect(await walk(trader, path, { to: time }, '2')).toEqual(rows.filter(({ ts = '' }) => ts < time));
    }
    expect(await walk(trader, path, { from: times.at(-1) ?? '', to: times[0] ?? '' })).toEqual(
      rows.filter(({ ts = '' }) => ts < (times[0] ?? '')),
    );
  });

  it('a withdrawal shows its fee in the feed, as its own record has it, and nothing else has one', async () => {
    const fees = new Map((all[WITHDRAWALS] ?? []).map(({ id, fee }) => [id, fee]));
    expect([...fees.values()]).toContain('1');
    for (const { id, category, fee } of all[FEED] ?? []) {
      const own = fees.get(id);
      expect([id, fee]).toEqual([id, category === 'WITHDRAWAL' && own !== '0' ? own : undefined]);
    }
  });

  it('a deposit shows where it came from, and how many confirmations it still needs', async () => {
    const [confirmed, waiting] = (all[DEPOSITS] ?? []).filter(({ network }) => network === 'ETH');
    const address = await trader.addressOn('ETH');
    const seen = { network: 'ETH', address, asset: 'ETH', amount: '0.5', confirmationsNeeded: 32 };
    expect(confirmed).toMatchObject({ ...seen, status: 'COMPLETED', confirmations: 99 });
    expect(waiting).toMatchObject({ ...seen, status: 'PENDING', confirmations: 1 });
    expect(confirmed?.['txHash']).toMatch(/^0x[0-9a-f]{64}$/);
    const read = await trader.get(`${DEPOSITS}/${waiting?.['id']}`);
    expect(await json(read)).toEqual({ deposit: waiting });
    const stranger = await openTrader();
    expect((await stranger.get(`${DEPOSITS}/${waiting?.['id']}`)).status).toBe(404);
  });

  it('a quarantined deposit is shown to its holder neither in the list nor by its id', async () => {
    const { supplyCaps } = (
      await json<{ settings: { supplyCaps: Record<string, string> } }>(await asOperator('GET', '/settings'))
    ).settings;
    const address = await trader.addressOn('LTC');
    const txHash = drawHash().slice(2);
    const amount = String(Number(supplyCaps['LTC']) + 1);
    const report = { network: 'LTC', asset: 'LTC', amount, address, txHash, confirmations: 99 };
    const { deposit } = await json<{ deposit: Row }>(await asOperator('POST', '/deposits', report));
    expect(deposit).toMatchObject({ status: 'QUARANTINED', reason: 'supply_cap', accountId: trader.accountId });
    expect(await walk(trader, DEPOSITS, { asset: 'LTC' })).toEqual([]);
    expect((await trader.get(`${DEPOSITS}/${deposit['id']}`)).status).toBe(404);
  });

  it.each([
    [`${FEED}?type=SPOT`, 'type'],
    [`${FEED}?status=QUARANTINED`, 'status'],
    [`${FEED}?asset=XRP`, 'asset'],
    [`${ORDERS}?coin=USDT`, 'coin'],
    [`${ORDERS}?side=buy`, 'side'],
    [`${WITHDRAWALS}?from=yesterday`, 'from'],
    [`${DEPOSITS}?to=2026-02-30T00:00:00Z`, 'to'],
    [`${DEPOSITS}?status=QUARANTINED`, 'status'],
  ])('%s is refused', async (path, pointer) => {
    await expectRefused(trader, path, 'invalid_request', pointer);
  });

  it('a cursor opens no list with other filters', async () => {
    const page = await json<Page>(await trader.get(`${FEED}?asset=ETH&limit=1`));
    const cursor = encodeURIComponent(page.nextCursor ?? '');
    for (const filter of ['', 'asset=BTC&', 'asset=ETH&status=COMPLETED&', 'asset=ETH&from=2026-01-01T00:00:00Z&']) {
      await expectRefused(trader, `${FEED}?${filter}cursor=${cursor}`, 'invalid_cursor');
    }
    // The same filter in another case is the same list.
    expect((await trader.get(`${FEED}?cursor=${cursor}&asset=eth`)).status).toBe(200);
  });
});

describe('a page of a filtered list, of an account with thousands of other rows', () => {
  const COUNT = 3_000;
  let trader: Trader;
  beforeAll(async () => {
    trader = await openTrader({ USDT: '10000', ETH: '10' });
    for (const table of ['deposits', 'orders', 'withdrawals', 'settlements'] as const) {
      await writeHistory(table, { account: `'${trader.accountId}'`, count: 1 }, COUNT);
    }
    // One row that fits, older than all others: an order of 2020, as if it had been placed then.
    await runFor(
      trader.accountId,
      `INSERT INTO orders (account_id, id, coin, side, executed_price, coin_amount, usdt_amount, status, price_round, key_id,
         admitted_at, price_as_of)
       VALUES (?, '0170a1fc-895a-7000-b43c-11f474a4f8d5', 'DOGE', 'BUY', 10000000, 100000000, 100000, 'FAILED', 9000000000000, ?,
         0, 0)`,
      trader.accountId,
      trader.keyId,
    );
  });

  it.each([
    [ORDERS, { coin: 'DOGE' }, 1],
    [ORDERS, { status: 'FAILED' }, 1],
    [FEED, { asset: 'DOGE' }, 1],
    [FEED, { asset: 'ETH' }, 1],
    [FEED, { type: 'P2P_BUY' }, 0],
    [WITHDRAWALS, { asset: 'BTC' }, 0],
    [DEPOSITS, { status: 'PENDING' }, 0],
  ])('%s with %o looks at no more rows than it may, and the walk finds every row', async (path, filter, found) => {
    const rows: Row[] = [];
    let cursor = '';
    let pages = 0;
    do {
      const query = new URLSearchParams({ ...filter, cursor }).toString();
      let page: Page | undefined;
      const read = await countRowsRead(async () => {
        page = await json<Page>(await trader.get(`${path}?${query}`));
      });
      expect(read).toBeLessThanOrEqual(MAX_LOOKED_AT + 20);
      rows.push(...(page?.[nameOf(path)] ?? []));
      cursor = page?.nextCursor ?? '';
      pages += 1;
    } while (cursor !== '' && pages < 100);
    expect(pages).toBeGreaterThan(2);
    expect(pages).toBeLessThan(60);
    expect(rows).toHaveLength(found);
  });

  it('without a filter, or with a span of time alone, is as full as ever', async () => {
    const page = await json<Page>(await trader.get(`${FEED}?limit=200&to=2100-01-01T00:00:00Z`));
    expect(page['transactions']).toHaveLength(200);
    const read = await countRowsRead(() => trader.get(`${FEED}?limit=200&from=2020-01-01T00:00:00Z`));
    expect(read).toBeLessThan(250);
  });
});
