import { expect, it } from 'vitest';
import { type NearlyUsed, watchShares } from '../../src/db/shares/watch-shares.ts';
import { NOON_MS, credit, database, openFunded, setFloor } from '../support/db/raw-ledger.ts';
import { env } from '../support/runtime/test-env.ts';
import { listRows } from '../support/db/sql.ts';

const listTold = async () =>
  (await listRows<{ detail: string }>(`SELECT detail FROM audit WHERE action = 'share_nearly_used' ORDER BY id`)).map(
    ({ detail }) => JSON.parse(detail) as Record<string, unknown>,
  );

it('a share that is used to 80 % is told once, and again only after less than 70 % was', async () => {
  const account = await openFunded();
  await env.DB.batch(setFloor('house:custody', 'LTC', '-1000'));
  let known: NearlyUsed = [];
  const watch = async () => {
    known = await watchShares(database, 0, known, NOON_MS);
  };
  await credit(account, 'LTC', '799').run();
  await watch();
  expect(await listTold()).toEqual([]);
  await credit(account, 'LTC', '1').run();
  await watch();
  await watch();
  expect(await listTold()).toEqual([
    { ledger: 0, limit: 'supplyCaps', asset: 'LTC', used: '0.000008', share: '0.00001' },
  ]);
  // 70 % of a higher share is still nearly all of it; less is not, and then 80 % is told again.
  await env.DB.batch(setFloor('house:custody', 'LTC', '-1142'));
  await watch();
  await env.DB.batch(setFloor('house:custody', 'LTC', '-1000'));
  await watch();
  expect(await listTold()).toHaveLength(1);
  await env.DB.batch(setFloor('house:custody', 'LTC', '-1143'));
  await watch();
  expect(known).toEqual([]);
  await env.DB.batch(setFloor('house:custody', 'LTC', '-1000'));
  await watch();
  expect(await listTold()).toHaveLength(2);
});
