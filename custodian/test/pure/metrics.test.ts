import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { EventCounts, serveMetrics, writeMetrics } from '../../src/metrics.ts';
import { beginAt, halt, raiseFinalHeight } from '../../src/store/chain-state.ts';
import { Database } from '../../src/store/database.ts';
import { insertSpend } from '../../src/store/spends.ts';
import { newFolder } from '../support/signing.ts';

test('metrics show the heights of each chain and the open payouts, and count the events', async () => {
  const database = new Database(join(newFolder(), 'custodian.sqlite'));
  beginAt(database, 'ETH', { height: 7, hash: 'b7' });
  raiseFinalHeight(database, 'ETH', 5);
  halt(database, 'LTC', 'a final block is gone');
  const payment = { asset: 'ETH', contract: null, address: '0x', atoms: 1n, sourceIndex: null };
  const order = { body: '{}', signature: '' };
  insertSpend(database, { id: 'a', network: 'ETH', purpose: 'payout', order, ...payment }, 'QUEUED', null, 1_000);
  const lines: string[] = [];
  const counts = new EventCounts();
  const log = counts.wrap((event) => lines.push(event));
  log('spend_held');
  log('spend_held');
  const seen = { height: 7, finalHeight: 5, finalByTag: 5, tipHeight: 9, isCurrent: false, tipMined_ms: 31_000 };
  const branches = [
    { chain: { network: 'ETH' }, seen },
    { chain: { network: 'LTC' }, seen: undefined },
  ] as const;
  const server = await serveMetrics(() => writeMetrics({ database, branches, counts, now: () => 61_000 }), 0);
  const { port } = server.address() as AddressInfo;
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  server.close();
  expect(lines).toEqual(['spend_held', 'spend_held']);
  expect(text.trimEnd().split('\n')).toEqual([
    'custodian_head_height{network="ETH"} 7',
    'custodian_final_height{network="ETH"} 5',
    'custodian_blocks_behind{network="ETH"} 2',
    'custodian_tip_age_seconds{network="ETH"} 30',
    'custodian_halted{network="ETH"} 0',
    'custodian_deposits_open{network="ETH"} 0',
    'custodian_head_height{network="LTC"} -1',
    'custodian_final_height{network="LTC"} -1',
    'custodian_halted{network="LTC"} 1',
    'custodian_deposits_open{network="LTC"} 0',
    'custodian_spends_open{network="ETH",purpose="payout",state="QUEUED"} 1',
    'custodian_spends_open_oldest_seconds{network="ETH",purpose="payout",state="QUEUED"} 60',
    'custodian_events_total{event="spend_held"} 2',
  ]);
});
