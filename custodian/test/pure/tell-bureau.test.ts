import { type Server, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { connectBureau } from '../../src/contract/bureau.ts';
import { lookUp } from '../../src/contract/take-order.ts';
import { tellBureau } from '../../src/contract/tell-bureau.ts';
import { Database } from '../../src/store/database.ts';
import { holdSpend, insertSpend } from '../../src/store/spends.ts';
import { newFolder } from '../support/signing.ts';

const ID = '019ac5a4-7c00-7000-8000-000000000001';

let server: Server;

afterEach(() => {
  server.close();
});

/** A custodian's database with one payout, and a Bureau that answers each request to look with the next answer. */
async function begin(answer: () => [number, object]) {
  server = createServer((_, response) => {
    const [status, body] = answer();
    response.writeHead(status).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const database = new Database(join(newFolder(), 'custodian.sqlite'));
  const payment = { asset: 'ETH', contract: null, address: '0x', atoms: 1n, sourceIndex: null };
  const order = { body: '{}', signature: '' };
  insertSpend(database, { id: ID, network: 'ETH', purpose: 'payout', order, ...payment }, 'QUEUED', null, 0);
  const bureau = connectBureau(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, {
    depositToken: 'a token',
  });
  return { database, tell: () => tellBureau(database, bureau, () => undefined) };
}

test('a payout that has ended counts as paid out only when Bureau has settled it, not when it was asked to look', async () => {
  const answers: [number, object][] = [
    [503, {}],
    [200, { id: ID, status: 'PROCESSING' }],
    [200, { id: ID, status: 'COMPLETED' }],
  ];
  const { database, tell } = await begin(() => answers.shift() ?? [404, {}]);
  database.run(`UPDATE spends SET state = 'FINAL_PAID'`);
  const heard: unknown[] = [];
  for (let round = 0; round < 4; round += 1) {
    await tell();
    heard.push(database.one('SELECT heard FROM spends')?.['heard']);
  }
  expect(heard).toEqual([0, 0, 1, 1]);
  expect(answers).toEqual([]);
});

test('Bureau is asked to look at a payout once it is held and once it no longer is, until it has looked', async () => {
  let asked = 0;
  let looks = (): unknown => undefined;
  const { database, tell } = await begin(() => {
    asked += 1;
    looks();
    return [200, { id: ID, status: 'PROCESSING' }];
  });
  const book = { database, served: new Set(['ETH']), bureauKeys: [], log: () => undefined, now: () => 0 };
  await tell();
  expect(asked).toBe(0);
  holdSpend(database, ID, 'hot_wallet_low');
  // Bureau's own look-up fails, so it is asked again.
  await tell();
  await tell();
  expect(asked).toBe(2);
  looks = () => expect(lookUp(book, ID).body).toEqual({ status: 'held', reason: 'hot_wallet_low' });
  await tell();
  await tell();
  expect(asked).toBe(3);
  database.run(`UPDATE spends SET state = 'SIGNED', reason = NULL`);
  looks = () => expect(lookUp(book, ID).body).toEqual({ status: 'accepted' });
  await tell();
  await tell();
  expect(asked).toBe(4);
});

test('Bureau is asked only once to look at a held payout whose withdrawal it has settled', async () => {
  let asked = 0;
  const { database, tell } = await begin(() => [(asked += 1) && 404, {}]);
  holdSpend(database, ID, 'hot_wallet_low');
  await tell();
  await tell();
  expect(asked).toBe(1);
  expect(database.one('SELECT heard FROM spends')?.['heard']).toBe(0);
});
