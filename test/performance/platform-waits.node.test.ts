import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, inject, it } from 'vitest';
import { type Wait, listSteps, takeWaits, writePlatformEntry } from '../../lab/bench/platform-entry.ts';
import { type Exchange, startExchange } from '../support/node/exchange/start-exchange.ts';
import { makeTemporaryFolder } from '../../scripts/temporary-folder.ts';
import { Operator } from '../support/node/exchange/operator.ts';

const ORDER = { coin: 'BTC', side: 'BUY', mode: 'USDT_AMOUNT', value: '10' };

/** Beside an order the gate reads settings, the hub stores prices and the keeper works, whenever it is time. */
const isBeside = ({ name }: Wait) =>
  name === 'write of PriceHub' || name === 'D1 query of LedgerGate' || name.endsWith(' of LedgerKeeper');

async function placeOrder({ urls: [url = ''] }: Exchange, token: string): Promise<string[]> {
  await takeWaits(url);
  const answer = await fetch(`${url}/api/v1/orders`, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${token}`,
      'Content-Type': 'application/json',
      'Idempotency-Key': crypto.randomUUID(),
    },
    body: JSON.stringify(ORDER),
  });
  const waits = await takeWaits(url);
  expect([answer.status, await answer.json()]).toMatchObject([201, { order: { status: 'COMPLETED' } }]);
  // What the lane stored late for the call before may still be on its way when an order comes.
  return listSteps(waits.filter((wait) => !isBeside(wait))).slice(-2);
}

it('an order waits for two durable steps, its intent and its batch, also the first one of a key', async () => {
  using temporary = makeTemporaryFolder('waits');
  const bundle = temporary.path;
  copyFileSync(join(inject('workerBundle'), 'index.js'), join(bundle, 'index.js'));
  await using exchange = await startExchange({ bundle, entry: writePlatformEntry(bundle), site: false });
  const [url = ''] = exchange.urls;
  const operator = new Operator(url);
  const client = await operator.createClient(await operator.openAccount({ USDT: '1000' }));
  // Its first call makes the lane's tables and has it read its key. The first order sets its alarm.
  await client.get('/api/v1/wallet/balances');
  for (let order = 0; order < 2; order += 1) {
    expect(await placeOrder(exchange, client.token)).toEqual(['write of KeyLane', 'D1 batch of LedgerGate']);
  }
});
