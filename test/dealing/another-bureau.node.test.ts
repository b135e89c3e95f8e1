import { join } from 'node:path';
import { setTimeout as rest } from 'node:timers/promises';
import { afterAll, expect, it } from 'vitest';
import type { VenueSettings } from '../../dealer/src/config.ts';
import { type DealerProcess, startDealer } from '../../dealer/test/support/dealer-process.ts';
import { askDealer } from '../../dealer/test/support/sign.ts';
import { createRandom } from '../../src/markets/sandbox-random.ts';
import { floorAmount, formatAmount } from '../../src/money/amounts.ts';
import { startFaultyNetwork } from '../support/node/exchange/faulty-network.ts';
import { openExchange } from '../support/node/exchange/open-exchange.ts';
import { openFolder } from '../support/node/open-folder.ts';

/**
 * A real Bureau is the venue, behind a network that loses requests and answers, and the dealer is a process that is killed.
 * What the dealer says must be what the venue's balances moved by, to the atom.
 */

/** `npm run test:long` runs the long form. */
const isLong = process.env['TEST_LENGTH'] === 'long';
const DEALS = isLong ? 300 : 12;
const KILL_EACH = 5;

/** A deal whose answer is lost waits a second or two for a look. */
const PATIENCE_MS = 1_800_000;

const { origin, operator } = await openExchange();
const unlimited = { perMinute: 100_000, perDay: 100_000 };
const client = await operator.openClient(
  { USDT: '100000', BTC: '2' },
  { scopes: ['read', 'trade'], rateLimits: { read: unlimited, trade: unlimited } },
);

const random = createRandom(20_261_127);
let onOrder: () => void = () => undefined;
const network = await startFaultyNetwork({
  target: () => origin,
  seed: 20_261_128,
  onOrder: (moment) => moment === 'sent' && onOrder(),
});

const folder = openFolder('dealer');
const venue: VenueSettings = {
  name: 'other',
  kind: 'bureau',
  url: network.url,
  coins: ['BTC'],
  lateness_ms: 2_000,
  isTestnet: false,
  key: client.token,
  secret: '',
};

let dealer: DealerProcess;
const begin = async () => {
  dealer = await startDealer(join(folder, 'dealer.db'), [venue]);
};
await begin();

afterAll(async () => {
  dealer.kill();
  await dealer.ended;
  await network.stop();
});

const scales = { BTC: 8, USDT: 6 } as const;
const atoms = (text: string, asset: keyof typeof scales) => floorAmount(text, scales[asset]);

async function readBalances(): Promise<Record<keyof typeof scales, bigint>> {
  const balances = await client.balances();
  return { BTC: atoms(balances['BTC'] ?? '0', 'BTC'), USDT: atoms(balances['USDT'] ?? '0', 'USDT') };
}

async function readPrice(): Promise<bigint> {
  const response = await fetch(`${origin}/api/v1/markets/BTC`);
  const { ticker } = (await response.json()) as { ticker: { price: string } };
  return floorAmount(ticker.price, 8);
}

/** A deal's id of this number. */
const idOf = (number: number) => `019ac5a4-7c00-7000-8000-${String(number).padStart(12, '0')}`;

it(
  'a real Bureau as the venue, a faulty network and a dealer that is killed: equal to the atom, and each deal once',
  async () => {
    const before = await readBalances();
    const moved = { BTC: 0n, USDT: 0n };
    const ends = { dealt: 0, refused: 0 };
    let kills = 0;
    for (let number = 1; number <= DEALS; number += 1) {
      const price = await readPrice();
      const side = random() < 0.5 ? 'BUY' : 'SELL';
      const deal = {
        id: idOf(number),
        ledger: number % 2,
        venue: 'other',
        coin: 'BTC',
        side,
        amount: formatAmount(BigInt(Math.floor(20_000 + random() * 200_000)), 8),
        limitPrice: formatAmount(side === 'BUY' ? (price * 102n) / 100n : (price * 98n) / 100n, 8),
        sendBy: new Date(Date.now() + 5_000).toISOString(),
      };
      const isKilled = number % KILL_EACH === 0;
      onOrder = () => {
        onOrder = () => undefined;
        if (isKilled) dealer.kill();
      };
      let body: Record<string, unknown> = {};
      while (!['dealt', 'refused', 'busy'].includes(String(body['status']))) {
        const answer = await askDealer(dealer.url, 'PUT', `/v1/deals/${deal.id}`, JSON.stringify(deal));
        if (!answer) {
          kills += 1;
          await dealer.ended;
          await begin();
        }
        body = answer?.body ?? {};
        if (body['status'] === 'unknown' || answer?.status === 503) await rest(100);
      }
      if (body['status'] === 'dealt') {
        const sign = side === 'BUY' ? 1n : -1n;
        ends.dealt += 1;
        moved.BTC += sign * atoms(String(body['amount']), 'BTC');
        moved.USDT -= sign * atoms(String(body['cost']), 'USDT');
      } else {
        ends.refused += 1;
      }
    }
    network.areFaults = false;
    const after = await readBalances();
    console.log(JSON.stringify({ ...network.seen, ...ends, kills }));
    expect({ BTC: after.BTC - before.BTC, USDT: after.USDT - before.USDT }).toEqual(moved);
    expect(kills).toBeGreaterThan(0);
    expect(ends.dealt).toBeGreaterThan(DEALS / 2);
    // The report says the same, and names each order of the venue once, by its deal.
    const ended_ms = Date.now();
    let report = await askDealer(dealer.url, 'GET', '/v1/venues/other');
    // A report may be a few seconds old.
    while (Date.parse(String(report?.body['at'])) < ended_ms) {
      await rest(500);
      report = await askDealer(dealer.url, 'GET', '/v1/venues/other');
    }
    const orders = report?.body['orders'] as { readonly id: string }[];
    expect(orders).toHaveLength(ends.dealt);
    expect(new Set(orders.map(({ id }) => id)).size).toBe(ends.dealt);
    expect(report?.body['unresolved']).toEqual([]);
  },
  PATIENCE_MS,
);

it('whoever asks under a new id after silence buys twice', async () => {
  network.areFaults = true;
  const before = await readBalances();
  let believed = 0n;
  const amount = '0.001';
  for (let number = DEALS + 1; number <= DEALS + 12; number += 1) {
    for (let attempt = 0; ; attempt += 1) {
      const limitPrice = formatAmount(((await readPrice()) * 102n) / 100n, 8);
      const id = idOf(number * 1_000 + attempt);
      try {
        const response = await fetch(`${network.url}/api/v1/orders`, {
          method: 'POST',
          headers: {
            Authorization: `Bearer ${client.token}`,
            'Content-Type': 'application/json',
            'Idempotency-Key': id,
          },
          body: JSON.stringify({ coin: 'BTC', side: 'BUY', mode: 'COIN_QTY', value: amount, limitPrice }),
        });
        if (response.status === 201) break;
      } catch {
        // Silence.
      }
    }
    believed += atoms(amount, 'BTC');
  }
  const after = await readBalances();
  expect(after.BTC - before.BTC).toBeGreaterThan(believed);
});
