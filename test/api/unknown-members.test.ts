import { beforeAll, describe, expect, it } from 'vitest';
import { drawDocuments } from '../../src/api/api-document.ts';
import { app } from '../../src/app.ts';
import { type Document, listOperations } from '../../scripts/openapi/document.ts';
import type { Schema, Schemas } from '../../scripts/openapi/flatten-schema.ts';
import { type Trader, openTrader, send, expectCode } from '../support/exchange.ts';
import { env } from '../support/runtime/test-env.ts';

const STRANGER = 'noSuchField';

const operations = Object.values(drawDocuments(app.openAPIRegistry) as unknown as Record<string, Document>).flatMap(
  (document) =>
    listOperations(document).flatMap(({ path, method, operation: { operationId, requestBody } }) => {
      const schema = requestBody?.content?.['application/json']?.schema;
      const schemas = document.components?.schemas ?? {};
      return schema ? [{ operationId, method: method.toUpperCase(), path, schema, schemas }] : [];
    }),
);

type Described = (typeof operations)[number];

/** Bodies that the schema allows, with every field of it: one body for each variant of the schema. */
function drawBodies(schema: Schema, schemas: Schemas): unknown[] {
  const { $ref, properties, additionalProperties, items } = schema;
  if ($ref !== undefined) return drawBodies(schemas[$ref.split('/').at(-1) ?? ''] ?? {}, schemas);
  const variants = schema.oneOf ?? schema.anyOf;
  if (variants) return variants.flatMap((variant) => drawBodies(variant, schemas));
  if (schema.enum) return [schema.enum[0]];
  if (items) return [[drawBodies(items, schemas)[0]]];
  if (properties) {
    const fields = Object.entries(properties).map(([name, field]) => [name, drawBodies(field, schemas)[0]] as const);
    return [Object.fromEntries(fields)];
  }
  if (typeof additionalProperties === 'object') return [{}];
  return [schema.example ?? (schema.type === 'boolean' ? false : 0)];
}

function addStrangers(body: unknown, pointer = ''): { readonly pointer: string; readonly body: unknown }[] {
  if (Array.isArray(body)) {
    return body.flatMap((item, at) =>
      addStrangers(item, `${pointer}/${at}`).map((found) => ({ ...found, body: body.with(at, found.body) })),
    );
  }
  if (typeof body !== 'object' || body === null) return [];
  const inner = Object.entries(body).flatMap(([name, value]) =>
    addStrangers(value, `${pointer}/${name}`).map((found) => ({ ...found, body: { ...body, [name]: found.body } })),
  );
  return [{ pointer: `${pointer}/${STRANGER}`, body: { ...body, [STRANGER]: true } }, ...inner];
}

const scopes = ['read', 'trade', 'withdraw', 'webhooks'] as const;

let trader: Trader;
beforeAll(async () => {
  trader = await openTrader({ USDT: '1000' }, { scopes });
});

function call({ method, path }: Described, body: unknown): Promise<Response> {
  const token = path.startsWith('/operator/') ? env.OPERATOR_TOKEN : trader.token;
  return send(path.replace('{email}', 'ada@bureau.test').replaceAll(/{\w+}/g, trader.accountId), {
    method,
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
}

async function readPointers(response: Response): Promise<string[]> {
  const { errors = [] } = await expectCode(response, '400 invalid_request');
  return errors.map(({ pointer }) => pointer);
}

/** The rows of all tables that a request with a body may change, but for counters of refusals. */
async function readEverything() {
  const names = ['accounts', 'api_keys', 'settings', 'balances', 'transfers', 'orders', 'withdrawals', 'audit'];
  return env.DB.batch(names.map((name) => env.DB.prepare(`SELECT * FROM ${name}`))).then((tables) =>
    tables.map(({ results }) => results),
  );
}

it('the bodies of all operations are checked, with every object in them', () => {
  expect(operations.map(({ operationId }) => operationId)).toEqual(
    expect.arrayContaining(['placeOrder', 'createWithdrawal', 'changeSettings', 'createApiKey', 'settleTrade']),
  );
  expect(operations.length).toBeGreaterThanOrEqual(15);
});

describe.each(operations)('the body of $operationId', (operation) => {
  const bodies = drawBodies(operation.schema, operation.schemas).flatMap((body) => addStrangers(body));

  it.each(bodies)('may have no unknown member: $pointer is refused by name, and nothing changes', async (strange) => {
    const before = await readEverything();
    expect(await readPointers(await call(operation, strange.body))).toContain(strange.pointer);
    expect(await readEverything()).toEqual(before);
  });
});

it.each([
  ['/coin', '{"coin":"BTC","side":"BUY","coin":"ETH","mode":"USDT_AMOUNT","value":"10"}'],
  ['/side', '{"coin":"BTC","side":"BUY","si\\u0064e":"BUY","mode":"USDT_AMOUNT","value":"10"}'],
])('a member that comes twice is refused by its name, and nothing changes: %s', async (pointer, body) => {
  const before = await readEverything();
  const response = await trader.post('/api/v1/orders', body);
  const { errors = [] } = await expectCode(response, '400 invalid_request');
  expect(errors).toMatchObject([{ pointer, code: 'repeated' }]);
  expect(await readEverything()).toEqual(before);
});

describe('an unknown member', () => {
  const placeOrder = operations.find(({ operationId }) => operationId === 'placeOrder');
  const order = { coin: 'BTC', side: 'BUY', mode: 'USDT_AMOUNT', value: '10' };

  it.each([
    ['a/b~c', '/a~1b~0c'],
    ['__proto__', '/__proto__'],
    ['constructor', '/constructor'],
    ['', '/'],
    ['Coin', '/Coin'],
  ])('may have any name, and the error points at it as RFC 6901 says: %j', async (name, pointer) => {
    if (!placeOrder) throw new Error('there is no placeOrder');
    const body = JSON.stringify(order).replace('{', `{${JSON.stringify(name)}:1,`);
    expect(await readPointers(await trader.post('/api/v1/orders', body))).toEqual([pointer]);
  });
});
