import { expect, it } from 'vitest';
import type { Attack } from './draw-attack.ts';
import { judge } from './judge.ts';
import type { RawAnswer } from './raw-client.ts';

const law = { operations: [], secrets: [] } as unknown as Parameters<typeof judge>[2];

function attackOn(operationId: string): Attack {
  const sent = { method: 'GET', path: '/api/v1/markets/MATIC/candles', body: undefined };
  const raw = { parts: [], isHead: false };
  // Requests that violate HTTP are not compared with a document, which this test does not have.
  return { index: 0, operationId, caller: 'rich', sent, raw, isWellFormed: false } as unknown as Attack;
}

function overload(headers: readonly [string, string][]): RawAnswer {
  const body = { code: 'service_unavailable', status: 503, requestId: 'one' };
  return {
    kind: 'answer',
    status: 503,
    headers: [['x-request-id', 'one'], ['content-type', 'application/problem+json'], ...headers],
    body: Buffer.from(JSON.stringify(body)),
  } as unknown as RawAnswer;
}

it('an overload is a violation, except of the candles with a time to try again', async () => {
  const limited = overload([['retry-after', '2']]);
  expect(await judge(attackOn('listCandles'), limited, law)).toBeUndefined();
  expect(await judge(attackOn('listCandles'), overload([]), law)).toContain('503 service_unavailable to listCandles');
  expect(await judge(attackOn('placeOrder'), limited, law)).toContain('503 service_unavailable to placeOrder');
});
