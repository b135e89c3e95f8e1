import { beforeAll, describe, expect, it } from 'vitest';
import { type ProblemBody, type Trader, asOperator, json, openTrader, expectCode } from '../support/exchange.ts';
import { openDatabase } from '../../src/db/database.ts';
import { prepareStatement, writeStatement } from '../../src/activity/statement.ts';
import { countRowsRead, holdWakingsThroughout } from '../support/runtime/meter.ts';
import { writeHistory } from '../support/growth/write-history.ts';
import { drawHash } from '../support/deposits.ts';
import { agreeP2p, agreeQuick, readSettled, settle } from '../support/operator/settlements.ts';
import { env, worker } from '../support/runtime/test-env.ts';

import { runFor } from '../support/db/open-in-ledger.ts';

holdWakingsThroughout();

interface Amount {
  readonly asset: string;
  readonly amount: string;
}

interface Statement {
  readonly opening: readonly Amount[];
  readonly movements: readonly (Amount & { readonly type: string; readonly id: string; readonly ts: string })[];
  readonly closing: readonly Amount[];
  readonly spread: readonly { readonly month: string; readonly usdt: string }[];
}

type TaxRow = Readonly<Record<string, string>>;

const PATH = '/api/v1/account/statement';
const LONG_AGO = '2020-01-01T00:00:00Z';

/** Reads a statement; the minute between two is taken away. */
async function read(trader: Trader, query: Record<string, string>): Promise<Response> {
  await env.DB.prepare('DELETE FROM statements').run();
  return trader.get(`${PATH}?${new URLSearchParams(query).toString()}`);
}

const readJson = async (trader: Trader, query: Record<string, string>) => {
  const response = await read(trader, query);
  if (response.status !== 200) throw new Error(await response.text());
  return json<Statement>(response);
};

const DECIMALS = 8;

/** An amount with a sign as a whole number of 10^-8, read by a parser of its own. */
function atomsOf(text: string): bigint {
  const [, minus = '', whole = '', rest = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text) ?? [];
  if (whole === '') throw new Error(`not an amount: ${text}`);
  return BigInt(`${minus}${whole}${rest.padEnd(DECIMALS, '0')}`);
}

const toTable = (amounts: readonly Amount[]) =>
  Object.fromEntries(amounts.map(({ asset, amount }) => [asset, atomsOf(amount)]));

function addUp({ opening, movements }: Pick<Statement, 'opening' | 'movements'>): Record<string, bigint> {
  const sums = toTable(opening);
  for (const { asset, amount } of movements) sums[asset] = (sums[asset] ?? 0n) + atomsOf(amount);
  return sums;
}

const holdings = async (trader: Trader) =>
  toTable(Object.entries(await trader.balances()).map(([asset, amount]) => ({ asset, amount })));

describe('the statement of an account that did everything', () => {
  let trader: Trader;
  beforeAll(async () => {
    trader = await openTrader({ USDT: '10000', ETH: '10', BTC: '1' });
    const other = await openTrader({ USDT: '10000', ETH: '10' });
    await trader.trade({ coin: 'BTC', side: 'BUY', mode: 'USDT_AMOUNT', value: '33.333333' });
    await trader.trade({ coin: 'ETH', side: 'SELL', mode: 'COIN_QTY', value: '0.12345678' });
    await readSettled(await settle(agreeP2p(trader, other)));
    await readSettled(await settle(agreeP2p(other, trader)));
    await readSettled(await settle(agreeQuick(trader, 'SELL')));
    await readSettled(await settle(agreeQuick(trader, 'BUY')));
    await trader.takeOut();
    const inside = { asset: 'ETH', network: 'ETH', amount: '0.1' };
    await trader.takeOut({ ...inside, address: await other.addressOn('ETH') });
    await other.takeOut({ ...inside, address: await trader.addressOn('ETH') });
    await asOperator('PATCH', '/settings', { reviewThreshold: '1' });
    const { id } = await trader.takeOut();
    await asOperator('POST', `/accounts/${trader.accountId}/withdrawals/${id}/reject`, { reason: 'no' });
    await trader.takeOut({ amount: '20' });
    await asOperator('PATCH', '/settings', { reviewThreshold: null });
    for (const confirmations of [1, 99]) {
      const address = await trader.addressOn('ETH');
      const report = { network: 'ETH', asset: 'ETH', amount: '0.5', address, txHash: drawHash(), confirmations };
      expect((await asOperator('POST', '/deposits', report)).status).toBe(201);
    }
  });

  it('begins at nothing, has every movement once, and ends at the balances', async () => {
    const statement = await readJson(trader, { from: LONG_AGO });
    expect(Object.values(toTable(statement.opening))).toEqual(Array.from({ length: 9 }, () => 0n));
    expect(addUp(statement)).toEqual(toTable(statement.closing));
    expect(toTable(statement.closing)).toEqual(await holdings(trader));
    const types = Object.entries(Object.groupBy(statement.movements, ({ type }) => type));
    expect(Object.fromEntries(types.map(([type, rows]) => [type, rows?.length]))).toEqual({
      SPOT_BUY: 2,
      SPOT_SELL: 2,
      P2P_BUY: 2,
      P2P_SELL: 2,
      QUICK_BUY: 2,
      QUICK_SELL: 2,
      ONCHAIN_WITHDRAWAL: 3,
      ONCHAIN_WITHDRAWAL_RETURNED: 1,
      INTERNAL_WITHDRAWAL: 1,
      INTERNAL_DEPOSIT: 4,
      ONCHAIN_DEPOSIT: 1,
    });
    const results = await runFor<{ rows: number }>(
      trader.accountId,
      'SELECT count(*) AS rows FROM transfers WHERE debit = ?1 OR credit = ?1',
      trader.accountId,
    );
    expect(statement.movements).toHaveLength(results[0]?.rows ?? 0);
  });

  it('split at any moment is two statements, of which the second opens as the first closes', async () => {
    const whole = await readJson(trader, { from: LONG_AGO });
    const times = [...new Set(whole.movements.map(({ ts }) => ts))];
    for (const time of [times[1], times[Math.floor(times.length / 2)], times.at(-1)]) {
      const [before, after] = [
        await readJson(trader, { from: LONG_AGO, to: time ?? '' }),
        await readJson(trader, { from: time ?? '' }),
      ];
      expect(after.opening).toEqual(before.closing);
      expect(addUp(before)).toEqual(toTable(before.closing));
      expect(addUp(after)).toEqual(toTable(after.closing));
      expect(after.closing).toEqual(whole.closing);
      expect([...before.movements, ...after.movements]).toHaveLength(whole.movements.length);
      for (const { ts } of before.movements) expect(ts < (time ?? '')).toBe(true);
      for (const { ts } of after.movements) expect(ts >= (time ?? '')).toBe(true);
    }
  });

  it('says in CSV what it says in JSON', async () => {
    const statement = await readJson(trader, { from: LONG_AGO });
    const response = await read(trader, { from: LONG_AGO, format: 'csv' });
    expect(response.headers.get('Content-Type')).toBe('text/csv');
    const [head, ...lines] = (await response.text()).trimEnd().split('\r\n');
    expect(head).toBe('ts,type,asset,amount,id,transfer');
    const rows = lines.map((line) => line.split(','));
    const shown = rows.filter(([, type = '']) => !type.endsWith('_BALANCE'));
    expect(shown.map(([ts, type, asset, amount, id]) => ({ ts, type, asset, amount, id }))).toEqual(
      statement.movements.map(({ ts, type, asset, amount, id }) => ({ ts, type, asset, amount, id })),
    );
    const closing = rows
      .filter(([, type]) => type === 'CLOSING_BALANCE')
      .map(([, , asset = '', amount = '']) => ({ asset, amount }));
    expect(closing).toEqual(statement.closing);
    expect(rows.filter(([, type]) => type === 'OPENING_BALANCE')).toHaveLength(9);
  });

  async function readTax(query: Record<string, string>): Promise<TaxRow[]> {
    const response = await read(trader, { ...query, format: 'tax' });
    expect(response.headers.get('Content-Type')).toBe('text/csv');
    const [head = '', ...lines] = (await response.text()).trimEnd().split('\r\n');
    const names = head.split(',');
    return lines.map((line) => Object.fromEntries(line.split(',').map((field, place) => [names[place] ?? '?', field])));
  }

  it('for tax programs has a row for each record that has ended, and both sides of a trade', async () => {
    const statement = await readJson(trader, { from: LONG_AGO });
    const rows = await readTax({ from: LONG_AGO });
    const records = Map.groupBy(statement.movements, ({ id }) => id);
    const { withdrawals } = await trader.read<{ withdrawals: TaxRow[] }>('/api/v1/wallet/withdrawals');
    for (const { id = '', status } of withdrawals) if (status !== 'COMPLETED') records.delete(id);
    expect(rows.map(({ Id }) => Id)).toEqual([...records.keys()]);
    const sums: Record<string, bigint> = {};
    const add = (asset = '', text = '', sign = 1n) => {
      if (text !== '') sums[asset] = (sums[asset] ?? 0n) + sign * atomsOf(text);
    };
    for (const row of rows) {
      add(row['Received Currency'], row['Received Amount']);
      add(row['Sent Currency'], row['Sent Amount'], -1n);
      add(row['Fee Currency'], row['Fee Amount'], -1n);
      expect(row['Description']).toBe(records.get(row['Id'] ?? '')?.[0]?.type);
    }
    const ended = { opening: [], movements: [...records.values()].flat() };
    expect(sums).toEqual(addUp(ended));
    const counts = new Map(rows.map(({ Type }) => [Type, rows.filter((row) => row['Type'] === Type).length]));
    expect(Object.fromEntries(counts)).toEqual({ Trade: 6, Deposit: 5, Withdrawal: 2 });
  });

  it('for tax programs has price, spread, value, time and hash of each, by documented columns', async () => {
    const rows = await readTax({ from: LONG_AGO });
    const { orders } = await trader.read<{ orders: Record<string, string>[] }>('/api/v1/orders');
    for (const order of orders) {
      const row = rows.find(({ Id }) => Id === order['id']) ?? {};
      const [isBuy, coin] = [order['side'] === 'BUY', `${order['coinAmount']} ${order['coin']}`];
      const difference = Number(order['usdtAmount']) - Number(order['midPrice']) * Number(order['coinAmount']);
      expect(Number(row['Spread'])).toBeCloseTo(isBuy ? difference : -difference, 5);
      expect(row).toMatchObject({ Price: order['executedPrice'], 'Net Worth Amount': order['usdtAmount'] });
      const sides = [coin, `${order['usdtAmount']} USDT`];
      const [sent, received] = isBuy ? sides.toReversed() : sides;
      expect(`${row['Sent Amount']} ${row['Sent Currency']}`).toBe(sent);
      expect(`${row['Received Amount']} ${row['Received Currency']}`).toBe(received);
      expect(`${row['Spend Amount']} ${row['Spend Currency']}`).toBe(sent);
      expect(`${row['Receive Amount']} ${row['Receive Currency']}`).toBe(received);
      expect(Date.parse((row['Date'] ?? '').replace(' UTC', 'Z'))).toBe(
        Math.floor(Number(row['Timestamp']) / 1_000) * 1_000,
      );
    }
    const [paid] = rows.filter((row) => row['Type'] === 'Withdrawal' && row['TxHash'] !== '');
    expect(paid).toMatchObject({
      'Sent Amount': '50',
      'Fee Amount': '1',
      'Net Worth Amount': '50',
      Currency: 'USDT',
      Amount: '50',
      Fee: '1',
      Spread: '',
      Price: '',
    });
    const deposit = rows.find((row) => row['Description'] === 'ONCHAIN_DEPOSIT');
    expect(deposit).toMatchObject({
      'Received Amount': '0.5',
      Currency: 'ETH',
      TxHash: expect.stringMatching(/^0x/) as string,
      Location: 'external',
    });
  });

  it('tells what the spread of orders cost by month, which is that of the rows', async () => {
    const rows = (await readTax({ from: LONG_AGO })).filter((row) => row['Spread'] !== '');
    const sums: Record<string, bigint> = {};
    for (const row of rows) {
      const month = (row['Date'] ?? '').slice(0, 7);
      sums[month] = (sums[month] ?? 0n) + atomsOf(row['Spread'] ?? '');
    }
    expect(rows).toHaveLength(2);
    const { spread } = await readJson(trader, { from: LONG_AGO });
    expect(Object.fromEntries(spread.map(({ month, usdt }) => [month, atomsOf(usdt)]))).toEqual(sums);
    expect(Object.values(sums).every((sum) => sum > 0n)).toBe(true);
  });

  it('is one a minute for each account, whichever its keys, and a stranger’s is its own', async () => {
    expect((await read(trader, { from: LONG_AGO })).status).toBe(200);
    const again = await trader.get(`${PATH}?from=${LONG_AGO}`);
    await expectCode(again, '429 rate_limited');
    expect(again.headers.get('Retry-After')).toBe('60');
    const stranger = await openTrader();
    expect((await json<Statement>(await stranger.get(`${PATH}?from=${LONG_AGO}`))).movements).toEqual([]);
    await env.DB.prepare('UPDATE statements SET made_at = made_at - 60000').run();
    expect((await trader.get(`${PATH}?from=${LONG_AGO}`)).status).toBe(200);
  });

  it.each([
    ['', 'from'],
    ['from=yesterday', 'from'],
    ['from=2100-01-01T00:00:00Z', 'from'],
    ['from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z', 'from'],
    ['from=2020-01-01T00:00:00Z&format=pdf', 'format'],
  ])('is refused for %j, and is not counted', async (query, pointer) => {
    const fresh = await openTrader();
    const response = await fresh.get(`${PATH}?${query}`);
    const problem = await json<ProblemBody>(response);
    expect([response.status, problem.code, problem.errors?.[0]?.pointer]).toEqual([400, 'invalid_request', pointer]);
    expect((await fresh.get(`${PATH}?from=${LONG_AGO}`)).status).toBe(200);
  });
});

describe('the statement of an account with 100,000 movements', () => {
  it('is sent in small pieces as it is read, and adds up', async () => {
    const trader = await openTrader({ USDT: '1000000' });
    await writeHistory('orders', { account: `'${trader.accountId}'`, count: 1 }, 49_990);
    await writeHistory('withdrawals', { account: `'${trader.accountId}'`, count: 1 }, 30);
    const response = await worker.fetch(
      new Request(`https://bureau.test${PATH}?from=${LONG_AGO}&format=csv`, {
        headers: { Authorization: `Bearer ${trader.token}` },
      }),
    );
    const sums: Record<string, bigint> = {};
    const closing: Record<string, bigint> = {};
    let [largest, lines, pieces, rest] = [0, 0, 0, ''];
    const decoder = new TextDecoder();
    for await (const piece of response.body ?? []) {
      pieces += 1;
      largest = Math.max(largest, piece.byteLength);
      const parts = (rest + decoder.decode(piece, { stream: true })).split('\r\n');
      rest = parts.pop() ?? '';
      for (const [, type = '', asset = '', amount = ''] of parts.map((line) => line.split(','))) {
        if (type === 'CLOSING_BALANCE') closing[asset] = atomsOf(amount);
        else if (type !== 'type') sums[asset] = (sums[asset] ?? 0n) + atomsOf(amount);
        if (!type.endsWith('_BALANCE') && type !== 'type') lines += 1;
      }
    }
    expect(rest).toBe('');
    expect(lines).toBe(2 * 49_990 + 30 + 1);
    expect(closing).toEqual(sums);
    expect(closing).toEqual(await holdings(trader));
    // A piece is what one read of the database gave.
    expect(pieces).toBeGreaterThan(100);
    expect(largest).toBeLessThan(150_000);
    expect(await countSteps(trader)).toBeLessThan(2_100);
  });

  /** The most rows that D1 reads for one piece. */
  async function countSteps({ accountId }: Trader): Promise<number> {
    const database = openDatabase(env.DB);
    const prepared = await prepareStatement(database, accountId, 0, null, Date.now());
    const pieces = writeStatement(prepared, 'json');
    let most = 0;
    for (let step = { isDone: false }; !step.isDone;) {
      const rows = await countRowsRead(async () => {
        step = { isDone: (await pieces.next()).done === true };
      });
      most = Math.max(most, rows);
    }
    return most;
  }
});
