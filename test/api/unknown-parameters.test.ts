import { beforeAll, describe, expect, it } from 'vitest';
import { app } from '../../src/app.ts';
import { type ProblemBody, type Trader, json, openTrader, send, expectCode } from '../support/exchange.ts';
import { env } from '../support/runtime/test-env.ts';

const STRANGER = 'noSuchParameter';

const operations = app.openAPIRegistry.definitions.flatMap((definition) => {
  if (definition.type !== 'route') return [];
  const { operationId, method, path, security } = definition.route;
  return [{ operationId: String(operationId), method: method.toUpperCase(), path, isPublic: security === undefined }];
});

let trader: Trader;
beforeAll(async () => {
  trader = await openTrader({ USDT: '1000' }, { scopes: ['read', 'trade', 'withdraw', 'webhooks'] });
});

/** Sends a request with parameters in its query; a body, where one is needed, is empty. */
function ask({ method, path }: (typeof operations)[number], query: string): Promise<Response> {
  const token = path.startsWith('/operator/') ? env.OPERATOR_TOKEN : trader.token;
  const filled = path
    .replace('{symbol}', 'BTC')
    .replace('{email}', 'ada@bureau.test')
    .replaceAll(/{\w+}/g, trader.accountId);
  return send(`${filled}?${query}`, {
    method,
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    ...(method !== 'GET' && { body: '{}' }),
  });
}

it('the queries of all operations are checked', () => {
  expect(operations.filter(({ isPublic }) => !isPublic).length).toBeGreaterThanOrEqual(60);
  expect(operations.filter(({ isPublic }) => isPublic).map(({ operationId }) => operationId)).toEqual(
    expect.arrayContaining(['listTickers', 'getTicker', 'listCandles', 'listAssets', 'getStatus']),
  );
});

describe.each(operations.filter(({ isPublic }) => !isPublic))('the query of $operationId', (operation) => {
  it('takes no parameter that it does not name: each is refused by its name', async () => {
    const response = await ask(operation, `${STRANGER}=1&__proto__=2&Limit=3`);
    const { errors = [] } = await expectCode(response, '400 invalid_request');
    const unknown = errors.filter((error) => 'code' in error && error.code === 'unknown_parameter');
    expect(unknown.map(({ pointer }) => pointer).toSorted()).toEqual(['Limit', '__proto__', STRANGER]);
  });
});

describe.each(operations.filter(({ isPublic }) => isPublic))(
  'the query of $operationId, which is public',
  (operation) => {
    it('may have parameters that it does not name', async () => {
      const [plain, strange] = [await ask(operation, ''), await ask(operation, `${STRANGER}=1`)];
      // A stream is told that it needs an upgrade.
      expect(plain.status).toBe(operation.operationId === 'openMarketStream' ? 400 : 200);
      const [told, toldStrange] = [await json<ProblemBody>(plain), await json<ProblemBody>(strange)];
      expect([strange.status, toldStrange.code, toldStrange.detail]).toEqual([plain.status, told.code, told.detail]);
    });
  },
);

it('a misspelt limit of a list is refused, and not taken for the default', async () => {
  const response = await trader.get('/api/v1/orders?limits=1');
  const { errors = [] } = await json<ProblemBody>(response);
  expect([response.status, errors]).toMatchObject([400, [{ pointer: 'limits', code: 'unknown_parameter' }]]);
});

it('a cursor where there is no list is refused as a parameter that is not known', async () => {
  const response = await trader.get('/api/v1/account/api-key?cursor=abc');
  const { code, errors } = await json<ProblemBody>(response);
  expect([response.status, code, errors]).toMatchObject([
    400,
    'invalid_request',
    [{ pointer: 'cursor', code: 'unknown_parameter' }],
  ]);
});
