import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { connectBureau } from '../../src/contract/bureau.ts';
import { tellBureau } from '../../src/contract/tell-bureau.ts';
import { Database } from '../../src/store/database.ts';
import { insertSpend } from '../../src/store/spends.ts';
import { newFolder } from '../support/signing.ts';

const ID = '019ac5a4-7c00-7000-8000-000000000001';

test('a payout that has ended counts as paid out only when Bureau has settled it, not when it was asked to look', async () => {
  const answers: [number, object][] = [
    [503, {}],
    [200, { id: ID, status: 'PROCESSING' }],
    [200, { id: ID, status: 'COMPLETED' }],
  ];
  const server = createServer((_, response) => {
    const [status, body] = answers.shift() ?? [404, {}];
    response.writeHead(status).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const database = new Database(join(newFolder(), 'custodian.sqlite'));
  const payment = { asset: 'ETH', contract: null, address: '0x', atoms: 1n, sourceIndex: null };
  const order = { body: '{}', signature: '' };
  insertSpend(database, { id: ID, network: 'ETH', purpose: 'payout', order, ...payment }, 'REFUSING', null, 0);
  database.run(`UPDATE spends SET state = 'FINAL_PAID'`);
  const bureau = connectBureau(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, 'a token');
  const heard: unknown[] = [];
  for (let round = 0; round < 4; round += 1) {
    await tellBureau(database, bureau, () => undefined);
    heard.push(database.one('SELECT heard FROM spends')?.['heard']);
  }
  server.close();
  expect(heard).toEqual([0, 0, 1, 1]);
  expect(answers).toEqual([]);
});
