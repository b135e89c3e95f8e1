import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Deal } from '../../../src/dealing/contract.ts';
import { Store } from '../../src/store.ts';
import { type Bench, Clock, type Kind, type Played, makeDeal, openDealer, openPlayed, play } from '../support/open.ts';
import { html } from '../support/played-server.ts';

let folder: string;
let clock: Clock;
let played: Played;
let bench: Bench;

const file = (name: string) => join(folder, `${name}.db`);

async function begin(kind: Kind): Promise<void> {
  played = await play(kind, clock.now);
  bench = openDealer([openPlayed(played, clock)], clock, new Store(file('live')));
  await bench.dealer.report(kind);
  clock.pass(120_000);
}

/** Takes a backup, as a copy of the closed file, and goes on. */
function backUp(): void {
  bench.store.close();
  copyFileSync(file('live'), file('backup'));
  bench = openDealer([openPlayed(played, clock)], clock, new Store(file('live')));
}

/** A dealer that knows only what the backup has. */
function restore(): void {
  bench.store.close();
  copyFileSync(file('backup'), file('restored'));
  clock.pass(1_000);
  bench = openDealer([openPlayed(played, clock)], clock, new Store(file('restored')));
}

const submit = (deal: Deal) => bench.dealer.submit(deal.id, JSON.stringify(deal));
const stateOf = ({ id }: Deal) => bench.dealer.lookUp(id).body;

async function pass(seconds: number): Promise<void> {
  for (let passed = 0; passed < seconds; passed += 5) {
    clock.pass(5_000);
    await bench.dealer.resolveOpen();
  }
}

/** Orders are filled, and their answers are lost. */
function loseAnswers(): void {
  played.server.fault = ({ method, path }) =>
    method === 'POST' && /(\/order|\/orders|AddOrder)$/.test(path) ? { kind: 'lost answer' } : undefined;
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'dealer-'));
  clock = new Clock();
});

afterEach(async () => {
  bench.store.close();
  await played.server.stop();
  rmSync(folder, { recursive: true });
});

describe.each<Kind>(['binance', 'kraken'])('a dealer at %s that was restored from a backup', (kind) => {
  beforeEach(() => begin(kind));

  it('has forgotten a deal, and finds it at the venue, within sendBy and after it: nothing is sent twice', async () => {
    backUp();
    for (const wait_ms of [1_000, 600_000]) {
      loseAnswers();
      const deal = makeDeal(clock, { venue: kind, amount: '0.01' });
      await submit(deal);
      restore();
      clock.pass(wait_ms);
      expect(stateOf(deal)).toEqual({ status: 'never_seen' });
      expect(await submit(deal)).toMatchObject({ body: { status: 'dealt', amount: '0.01' } });
      expect(played.exchange.countFilled(deal.id)).toBe(1);
      played.server.fault = () => undefined;
    }
  });

  it('holds a deal that it has forgotten and the venue too, since the balance has moved', async () => {
    backUp();
    loseAnswers();
    const deal = makeDeal(clock, { venue: kind });
    await submit(deal);
    restore();
    played.exchange.forget();
    clock.pass(600_000);
    expect(await submit(deal)).toMatchObject({ status: 200, body: { status: 'held', reason: /^balance_differs: / } });
    expect(played.exchange.orders).toEqual([]);
  });

  it('holds it also after a report, which has seen the balance with the deal in it', async () => {
    backUp();
    loseAnswers();
    const deal = makeDeal(clock, { venue: kind });
    await submit(deal);
    restore();
    played.exchange.forget();
    clock.pass(600_000);
    expect(await bench.dealer.report(kind)).toMatchObject({ status: 200 });
    expect(await submit(deal)).toMatchObject({ body: { status: 'held' } });
  });

  it('refuses a deal that nobody has sent', async () => {
    backUp();
    const deal = makeDeal(clock, { venue: kind });
    restore();
    clock.pass(600_000);
    expect(await submit(deal)).toMatchObject({ status: 422, body: { reason: /^absent: / } });
    expect(played.exchange.orders).toEqual([]);
  });

  it('that was open in the backup is looked up, and never sent', async () => {
    const isOrder = ({ path }: { path: string }) => /(\/order|AddOrder)$/.test(path);
    played.server.fault = (request) =>
      isOrder(request) && request.method === 'POST' ? { kind: 'lost request' } : undefined;
    const deal = makeDeal(clock, { venue: kind });
    await submit(deal);
    played.server.fault = () => undefined;
    backUp();
    restore();
    await pass(120);
    expect(stateOf(deal)).toMatchObject({ status: 'refused', reason: /^absent: / });
    expect(played.exchange.orders).toEqual([]);
  });

  it('deals on: what it has forgotten does not stand between the balances before and after a new deal', async () => {
    backUp();
    await submit(makeDeal(clock, { venue: kind, amount: '0.01' }));
    restore();
    played.server.fault = ({ path, method }) =>
      method === 'POST' && /(\/order|AddOrder)$/.test(path) ? { kind: 'instead', answer: html(502) } : undefined;
    const deal = makeDeal(clock, { venue: kind });
    await submit(deal);
    await pass(150);
    expect(stateOf(deal)).toMatchObject({ status: 'refused', reason: /^absent: / });
  });
});

describe('a dealer at another Bureau', () => {
  beforeEach(() => begin('bureau'));

  it('sends a deal again under its id until the answer comes, also after sendBy, and it is filled once', async () => {
    loseAnswers();
    const deal = makeDeal(clock, { venue: 'bureau' });
    expect(await submit(deal)).toMatchObject({ body: { status: 'unknown' } });
    await pass(60);
    played.server.fault = () => undefined;
    await pass(60);
    expect(stateOf(deal)).toMatchObject({ status: 'dealt', amount: '0.03', fee: null });
    expect(played.exchange.countFilled(deal.id)).toBe(1);
    expect(played.server.requests.filter(({ method }) => method === 'POST').length).toBeGreaterThan(2);
  });

  it('stops before the 24 hours are over in which the venue knows the id: then the balance decides', async () => {
    loseAnswers();
    const deal = makeDeal(clock, { venue: 'bureau' });
    await submit(deal);
    clock.pass(23 * 3_600_000);
    played.server.fault = () => undefined;
    const sent = played.server.requests.filter(({ method }) => method === 'POST').length;
    await pass(300);
    expect(stateOf(deal)).toMatchObject({ status: 'held', reason: /^balance_differs: / });
    expect(played.server.requests.filter(({ method }) => method === 'POST')).toHaveLength(sent);
  });

  it('and was restored never sends a deal first seen after sendBy: held when the balance moved, else refused', async () => {
    backUp();
    const [lost, unsent] = [
      makeDeal(clock, { venue: 'bureau' }),
      makeDeal(clock, { venue: 'bureau', coin: 'ETH', amount: '1' }),
    ];
    loseAnswers();
    await submit(lost);
    restore();
    played.server.fault = () => undefined;
    clock.pass(600_000);
    const sent = played.server.requests.filter(({ method }) => method === 'POST').length;
    expect(await submit(lost)).toMatchObject({ body: { status: 'held' } });
    expect(await submit(unsent)).toMatchObject({ status: 422 });
    expect(played.server.requests.filter(({ method }) => method === 'POST')).toHaveLength(sent);
  });

  it('names its own id of an order in the report, as the venue shows none', async () => {
    const deal = makeDeal(clock, { venue: 'bureau' });
    await submit(deal);
    clock.pass(60_000);
    expect(await bench.dealer.report('bureau')).toMatchObject({ body: { orders: [{ id: deal.id, amount: '0.03' }] } });
  });
});
