import { describe, expect, it } from 'vitest';
import { BUY, type Client, type OrderBody, readRefusal } from '../support/client.ts';
import { fetchDocumented } from '../support/node/exchange/fetch-documented.ts';
import type { ProbeStatement } from '../support/node/exchange/probe.ts';
import { runWithoutTriggers } from '../support/node/exchange/run-without-triggers.ts';
import { openExchange } from '../support/node/exchange/open-exchange.ts';

const BALANCES = '/api/v1/wallet/balances';
const ORDER = { value: '10' };

/** The default limit of reads in a minute. */
const READS = 120;

const { exchange, operator } = await openExchange();

const pathOf = ({ accountId, keyId }: Client) => `/accounts/${accountId}/api-keys/${keyId}`;
const setStatus = ({ accountId }: Client, status: string) =>
  operator.operate('PATCH', `/accounts/${accountId}`, { status });

/** Changes the database as a restore to an earlier time does, which the triggers would refuse. */
const restoreTo = (statement: ProbeStatement) =>
  runWithoutTriggers(exchange.probe, ['api_keys_are_kept', 'api_keys_stay_what_they_are'], [statement]);

const countOrders = async ({ accountId }: Client) => {
  const sql = 'SELECT count(*) AS n FROM orders WHERE account_id = ?';
  const [[row] = []] = await exchange.probe.batch([{ sql, values: [accountId] }]);
  return Number(row?.['n']);
};

/** Expects that the key is refused, also after a change of its account and after a restart of its object. */
async function expectRevokedForGood(client: Client): Promise<void> {
  const expectRefused = async () => {
    for (const response of [await client.get(BALANCES), await client.order(ORDER), await client.withdraw()]) {
      expect(await readRefusal(response)).toEqual([401, 'invalid_api_key']);
    }
  };
  await expectRefused();
  await setStatus(client, 'active');
  await expectRefused();
  await exchange.runtime.unsafeEvictDurableObject('bureau', 'KeyLane', { name: client.keyId });
  await expectRefused();
}

describe('a key', () => {
  it('is named by its orders and withdrawals, so a holder of several keys sees which one was used', async () => {
    const client = await operator.openClient({ USDT: '1000' });
    const other = await operator.createClient(client.accountId);
    const keys = [(await client.trade(ORDER)).keyId, (await other.takeOut()).keyId];
    expect(keys).toEqual([client.keyId, other.keyId]);
  });
});

describe('a key that was revoked', () => {
  it('stays revoked when the database is restored to an earlier time, whatever changes afterwards', async () => {
    const client = await operator.openClient({ USDT: '1000' });
    await client.trade(ORDER);
    await operator.operate('DELETE', pathOf(client));
    await restoreTo({ sql: 'UPDATE api_keys SET revoked_at = NULL WHERE id = ?', values: [client.keyId] });
    await expectRevokedForGood(client);
    expect(await countOrders(client)).toBe(1);
  });
});

describe('a key that was made after the point that the database is restored to', () => {
  it('can be revoked although its row is gone, and stays revoked when the row comes back', async () => {
    const client = await operator.openClient({ USDT: '1000' });
    await client.trade(ORDER);
    const [[row = {}] = []] = await exchange.probe.batch([
      { sql: 'SELECT * FROM api_keys WHERE id = ?', values: [client.keyId] },
    ]);
    await restoreTo({ sql: 'DELETE FROM api_keys WHERE id = ?', values: [client.keyId] });
    await operator.operate('DELETE', pathOf(client));
    const names = Object.keys(row);
    await restoreTo({
      sql: `INSERT INTO api_keys (${names.join()}) VALUES (${names.map(() => '?').join()})`,
      values: Object.values(row) as (string | number | null)[],
    });
    await expectRevokedForGood(client);
    expect(await countOrders(client)).toBe(1);
  });

  it('fills no order and takes no withdrawal while its row is gone', async () => {
    const client = await operator.openClient({ USDT: '1000' });
    await client.trade(ORDER);
    await restoreTo({ sql: 'DELETE FROM api_keys WHERE id = ?', values: [client.keyId] });
    expect(await readRefusal(await client.order(ORDER))).toEqual([401, 'invalid_api_key']);
    expect(await readRefusal(await client.withdraw())).toEqual([401, 'invalid_api_key']);
    expect(await countOrders(client)).toBe(1);
  });
});

describe('a frozen account', () => {
  it('gets its earlier answers again, and fills nothing new', async () => {
    const client = await operator.openClient({ USDT: '1000' });
    const first = await client.order(ORDER, 'before-the-freeze');
    await setStatus(client, 'frozen');
    const again = await client.order(ORDER, 'before-the-freeze');
    expect([again.status, again.headers.get('X-Idempotency-Replay')]).toEqual([201, 'true']);
    expect(await again.text()).toBe(await first.text());
    expect(await readRefusal(await client.order(ORDER))).toEqual([403, 'account_frozen']);
    expect(await countOrders(client)).toBe(1);
  });
});

describe('an unknown member', () => {
  async function readPointers(response: Response): Promise<string[]> {
    const { code, errors } = (await response.json()) as { code: string; errors: { pointer: string }[] };
    expect([response.status, code]).toEqual([400, 'invalid_request']);
    return errors.map(({ pointer }) => pointer);
  }

  it('in an order is refused: price and type, which other exchanges know, are both named and nothing is filled', async () => {
    const client = await operator.openClient({ USDT: '1000' });
    const wish = { ...ORDER, type: 'LIMIT', price: '1' };
    expect(await readPointers(await client.order(wish))).toEqual(['/type', '/price']);
    expect(await countOrders(client)).toBe(0);
  });

  it('in a withdrawal is refused, and takes no money', async () => {
    const client = await operator.openClient({ USDT: '1000' });
    expect(await readPointers(await client.withdraw({ memo: '4711' }))).toEqual(['/memo']);
    expect((await client.balances())['USDT']).toBe('1000');
  });

  it('in the settings is refused, so the operator knows that a misspelt halt did not take effect', async () => {
    const response = await operator.ask('PATCH', '/settings', { tradingHalt: true });
    expect(await readPointers(response)).toEqual(['/tradingHalt']);
  });

  it('in a new key is refused, so no key is made without the list of IP addresses that was meant', async () => {
    const { accountId } = await operator.openClient();
    const wanted = { label: 'bot', scopes: ['read'], ipAllowList: ['192.0.2.1'] };
    const response = await operator.ask('POST', `/accounts/${accountId}/api-keys`, wanted);
    expect(await readPointers(response)).toEqual(['/ipAllowList']);
    const keys = { sql: 'SELECT id FROM api_keys WHERE account_id = ?', values: [accountId] };
    expect((await exchange.probe.batch([keys]))[0]).toHaveLength(1);
  });
});

describe('an empty totpCode', () => {
  it.each([[null], ['']])('counts as absent: %j', async (totpCode) => {
    const client = await operator.openClient({ USDT: '1000' });
    expect((await client.withdraw({ totpCode })).status).toBe(201);
  });
});

describe('an order with a limit', () => {
  it('fills at no worse price, and its preview says the same and changes nothing', async () => {
    const client = await operator.openClient({ USDT: '1000' });
    const preview = (wish: OrderBody) => client.post('/api/v1/orders/preview', { ...BUY, ...wish });
    const previewed = await preview(ORDER);
    expect(previewed.status).toBe(200);
    const { executedPrice } = ((await previewed.json()) as { preview: { executedPrice: string } }).preview;
    for (const limitPrice of ['0.01', String(Number(executedPrice) / 2)]) {
      for (const ask of [preview, (wish: OrderBody) => client.order(wish)]) {
        expect(await readRefusal(await ask({ ...ORDER, limitPrice }))).toEqual([422, 'price_limit_exceeded']);
      }
    }
    expect(await countOrders(client)).toBe(0);
    expect((await client.balances())['USDT']).toBe('1000');
    const limitPrice = String(Number(executedPrice) * 2);
    const filled = await client.trade({ ...ORDER, limitPrice });
    expect(Number(filled.executedPrice)).toBeLessThanOrEqual(Number(limitPrice));
  });
});

describe('a preflight', () => {
  it('names the methods of a public path, and is refused for a path that needs a key', async () => {
    const headers = { Origin: 'https://page.test', 'Access-Control-Request-Method': 'POST' };
    const ask = (path: string) => fetchDocumented(operator.origin, path, { method: 'OPTIONS', headers });
    const open = await ask('/api/v1/markets/tickers');
    const methods = open.headers.get('Access-Control-Allow-Methods')?.split(',').toSorted();
    expect([open.status, methods]).toEqual([204, ['GET', 'HEAD']]);
    const closed = await ask('/api/v1/orders');
    expect([closed.status, closed.headers.get('Access-Control-Allow-Origin')]).toEqual([405, null]);
  });
});

describe('the read bucket', () => {
  it('admits 120 reads in a minute and no more, over several endpoints at once', async () => {
    const client = await operator.openClient({}, { rateLimits: {} });
    const paths = [BALANCES, '/api/v1/markets/BTC', '/api/v1/orders', '/api/v1/account/api-key'];
    const asked = Array.from({ length: READS + 10 }, (_, index) => client.get(paths[index % paths.length] ?? ''));
    const statuses = (await Promise.all(asked)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(READS);
    expect(statuses.filter((status) => status === 429)).toHaveLength(10);
  });
});
