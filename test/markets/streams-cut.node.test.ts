import { afterAll, beforeAll, expect, it } from 'vitest';
import { openExchange } from '../support/node/exchange/open-exchange.ts';
import { forkVenues } from '../support/node/venues/fork-venues.ts';
import { VenueRemote, allVenuesByStreams } from '../support/node/venues/venue-remote.ts';
import { atOnce } from '../support/at-once.ts';
import type { Client } from '../support/client.ts';
import { waitFor } from '../support/wait-for.ts';

const played = await forkVenues();
const venues = new VenueRemote(played.url);
const { exchange, operator } = await openExchange({
  variables: allVenuesByStreams(played.url),
});

let trader: Client;

beforeAll(async () => {
  trader = await operator.openClient({ USDT: '100000' });
  await expectStreams();
});

afterAll(() => played.stop());

async function buy(): Promise<string> {
  const answer = await trader.order({ value: '10' });
  return answer.status === 201 ? 'filled' : answer.text();
}

async function countQuestions(): Promise<number> {
  const counts = Object.values(await venues.count());
  return counts.reduce((sum, { tickers }) => sum + tickers, 0);
}

/** Waits until an order fills although no venue is asked. */
function expectStreams(): Promise<void> {
  return waitFor(async () => {
    const before = await countQuestions();
    expect(await buy()).toBe('filled');
    expect(await countQuestions()).toBe(before);
  });
}

interface Hub {
  after(question: { coin: 'BTC'; waited_ms: number }): Promise<{ votes: number; since_ms: number } | null>;
}

/** What an order of this moment would fill by: the answer of the hub itself. */
async function askHub() {
  const objects = await exchange.runtime.getDurableObjectNamespace('PRICE_HUB');
  const hub = objects.get(objects.idFromName('prices weur')) as unknown as Hub;
  return hub.after({ coin: 'BTC', waited_ms: 0 });
}

/** What comes of orders of one moment while `act` runs, and that each price is of four votes and of a time after it. */
async function tradeWhile(act: () => Promise<void>): Promise<void> {
  const orders = atOnce(6, buy);
  const prices = atOnce(3, askHub);
  await act();
  expect(await orders).toEqual(Array.from({ length: 6 }, () => 'filled'));
  for (const price of await prices) {
    expect(price?.votes).toBeGreaterThanOrEqual(4);
    expect(price?.since_ms).toBeGreaterThanOrEqual(150);
  }
}

async function cutAll(): Promise<void> {
  await venues.setEach({ stream: 'refused', status: 503 });
  await venues.setEach({ stream: 'ok' });
}

it('all sockets cut again and again refuse no order, and no order is filled by fewer than four votes', async () => {
  for (let cuts = 0; cuts < 5; cuts += 1) {
    // The orders that wait while the sockets are cut, and those that come just after it.
    await tradeWhile(cutAll);
    await tradeWhile(async () => undefined);
    await expectStreams();
  }
}, 300_000);

it('while all venues refuse their streams, polls fill the orders by the same rule, and the streams come back by themselves', async () => {
  await venues.setEach({ stream: 'refused', status: 503 });
  for (let tries = 0; tries < 3; tries += 1) {
    const before = await countQuestions();
    await tradeWhile(async () => undefined);
    expect(await countQuestions()).toBeGreaterThan(before);
  }
  await venues.setEach({ stream: 'ok' });
  await expectStreams();
}, 300_000);

it('sockets that are open and silent delay an order, and polls fill it', async () => {
  await venues.setEach({ stream: 'silent' });
  await tradeWhile(async () => undefined);
  await tradeWhile(async () => undefined);
  await venues.setEach({ stream: 'ok' });
  await expectStreams();
}, 300_000);
