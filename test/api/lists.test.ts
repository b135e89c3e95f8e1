import { describe, expect, it } from 'vitest';
import { type ProblemBody, type Trader, json, openTrader, expectCode, readPages } from '../support/exchange.ts';

interface Row {
  readonly id: string;
  readonly ts: string;
}

type Page = Record<string, Row[]> & { readonly nextCursor: string | null };

const lists = [
  { path: '/api/v1/orders', name: 'orders' },
  { path: '/api/v1/wallet/transactions', name: 'transactions' },
];

const ORDER = { coin: 'DOGE', side: 'BUY', mode: 'USDT_AMOUNT', value: '1' };

async function readPage(trader: Trader, path: string, limit: number, cursor: string | null): Promise<Page> {
  const query = cursor === null ? `limit=${limit}` : `limit=${limit}&cursor=${encodeURIComponent(cursor)}`;
  const response = await trader.get(`${path}?${query}`);
  expect(response.status).toBe(200);
  return json<Page>(response);
}

describe.each(lists)('the list of $name', (list) => {
  it('returns every row that existed at the first page exactly once, while orders are placed', async () => {
    const trader = await openTrader({ USDT: '1000' });
    for (let order = 0; order < 23; order += 1) await trader.trade(ORDER);
    const existing = (await readPage(trader, list.path, 200, null))[list.name]?.map((row) => row.id) ?? [];
    const rows = await readPages<Row>(trader, list.path, { limit: '5' }, async () => {
      await Promise.all([trader.trade(ORDER), trader.trade(ORDER)]);
    });
    const ids = rows.map((row) => row.id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.filter((id) => existing.includes(id))).toEqual(existing);
    expect(existing.length).toBeGreaterThanOrEqual(23);
  });

  it('is newest first', async () => {
    const trader = await openTrader({ USDT: '1000' });
    for (let order = 0; order < 5; order += 1) await trader.trade(ORDER);
    const times = (await readPages<Row>(trader, list.path, { limit: '2' })).map((row) => row.ts);
    expect(times).toEqual(times.toSorted().toReversed());
  });

  it('ends with nextCursor null, also when the last page is full and when the list is empty', async () => {
    const trader = await openTrader();
    expect(await readPage(trader, list.path, 1, null)).toEqual({ [list.name]: [], nextCursor: null });
    const funded = await openTrader({ USDT: '1000' });
    await funded.trade(ORDER);
    const rows = (await readPage(funded, list.path, 200, null))[list.name] ?? [];
    expect((await readPage(funded, list.path, rows.length, null)).nextCursor).toBeNull();
  });

  it('treats an empty cursor as no cursor', async () => {
    const trader = await openTrader();
    expect((await trader.get(`${list.path}?cursor=`)).status).toBe(200);
  });

  it.each(['0', '201', '-1', '1.5', 'ten', '', '1e2', '0x10', '９'])(
    'refuses limit=%s instead of clamping it',
    async (limit) => {
      const response = await (await openTrader()).get(`${list.path}?limit=${encodeURIComponent(limit)}`);
      const problem = await expectCode(response, '400 invalid_request');
      expect(problem.errors?.[0]?.pointer).toBe('limit');
    },
  );

  it('refuses a changed cursor, a cursor of another list and a cursor of another account', async () => {
    const trader = await openTrader({ USDT: '1000', BTC: '1' });
    for (let order = 0; order < 2; order += 1) await trader.trade(ORDER);
    const cursorOf = async (path: string) => (await readPage(trader, path, 1, null)).nextCursor ?? '';
    const own = await cursorOf(list.path);
    const foreignList = await cursorOf(lists.find(({ path }) => path !== list.path)?.path ?? '');
    const refused = async (reader: Trader, cursor: string) => {
      const response = await reader.get(`${list.path}?cursor=${encodeURIComponent(cursor)}`);
      expect([response.status, (await json<ProblemBody>(response)).code], cursor).toEqual([400, 'invalid_cursor']);
    };
    await refused(trader, foreignList);
    await refused(await openTrader(), own);
    await refused(trader, "x' OR 1=1 --");
    await refused(trader, 'x'.repeat(9_000));
    const twice = await trader.get(`${list.path}?cursor=${encodeURIComponent(own)}&cursor=${encodeURIComponent(own)}`);
    await expectCode(twice, '400 invalid_cursor');
    for (let at = 0; at < own.length; at += 7) {
      await refused(trader, own.slice(0, at) + (own[at] === '0' ? '1' : '0') + own.slice(at + 1));
    }
  });
});
