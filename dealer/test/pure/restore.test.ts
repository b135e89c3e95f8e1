import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Deal } from '../../../src/dealing/contract.ts';
import { Store } from '../../src/store.ts';
import { type Bench, Clock, type Kind, type Played, makeDeal, openDealer, openPlayed, play } from '../support/open.ts';
import { matching } from '../support/matching.ts';
import { html } from '../support/played-server.ts';

const DECIDE = join(import.meta.dirname, '..', '..', 'src', 'commands', 'decide.ts');

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
      await bench.submit(deal);
      restore();
      clock.pass(wait_ms);
      expect(bench.stateOf(deal)).toEqual({ status: 'never_seen' });
      expect(await bench.submit(deal)).toMatchObject({ body: { status: 'dealt', amount: '0.01' } });
      expect(played.exchange.countFilled(deal.id)).toBe(1);
      played.server.fault = () => undefined;
    }
  });

  /** A deal that was filled unheard, and that neither the dealer nor the venue remembers. */
  async function forgetDeal(): Promise<Deal> {
    backUp();
    loseAnswers();
    const deal = makeDeal(clock, { venue: kind });
    await bench.submit(deal);
    restore();
    played.exchange.forget();
    clock.pass(600_000);
    return deal;
  }

  it('holds a deal that it has forgotten and the venue too, since the balance has moved', async () => {
    const deal = await forgetDeal();
    expect(await bench.submit(deal)).toMatchObject({
      status: 200,
      body: { status: 'held', reason: matching(/^balance_differs: /) },
    });
    expect(played.exchange.orders).toEqual([]);
  });

  it('holds it also after a report, which has seen the balance with the deal in it', async () => {
    const deal = await forgetDeal();
    expect(await bench.dealer.report(kind)).toMatchObject({ status: 200 });
    expect(await bench.submit(deal)).toMatchObject({ body: { status: 'held' } });
  });

  it('refuses a deal that nobody has sent', async () => {
    backUp();
    const deal = makeDeal(clock, { venue: kind });
    restore();
    clock.pass(600_000);
    expect(await bench.submit(deal)).toMatchObject({ status: 422, body: { reason: matching(/^absent: /) } });
    expect(played.exchange.orders).toEqual([]);
  });

  it('that was open in the backup is looked up, and never sent', async () => {
    const isOrder = ({ path }: { path: string }) => /(\/order|AddOrder)$/.test(path);
    played.server.fault = (request) =>
      isOrder(request) && request.method === 'POST' ? { kind: 'lost request' } : undefined;
    const deal = makeDeal(clock, { venue: kind });
    await bench.submit(deal);
    played.server.fault = () => undefined;
    backUp();
    restore();
    await bench.pass(120);
    expect(bench.stateOf(deal)).toMatchObject({ status: 'refused', reason: matching(/^absent: /) });
    expect(played.exchange.orders).toEqual([]);
  });

  it('deals on: what it has forgotten does not stand between the balances before and after a new deal', async () => {
    backUp();
    await bench.submit(makeDeal(clock, { venue: kind, amount: '0.01' }));
    restore();
    played.server.fault = ({ path, method }) =>
      method === 'POST' && /(\/order|AddOrder)$/.test(path) ? { kind: 'instead', answer: html(502) } : undefined;
    const deal = makeDeal(clock, { venue: kind });
    await bench.submit(deal);
    await bench.pass(150);
    expect(bench.stateOf(deal)).toMatchObject({ status: 'refused', reason: matching(/^absent: /) });
  });
});

describe('a database', () => {
  beforeEach(() => begin('binance'));

  it('that two processes have open lets one of them send a deal', async () => {
    const other = openDealer([openPlayed(played, clock)], clock, new Store(file('live')));
    const deal = makeDeal(clock);
    const body = JSON.stringify(deal);
    await Promise.allSettled([bench.submit(deal), other.dealer.submit(deal.id, body)]);
    expect(played.exchange.countFilled(deal.id)).toBe(1);
    expect(bench.stateOf(deal)).toEqual(other.dealer.lookUp(deal.id).body);
    other.store.close();
  });

  it('takes a person’s decision while the dealer runs, once', async () => {
    loseAnswers();
    const deal = makeDeal(clock);
    await bench.submit(deal);
    const decide = (...words: string[]) =>
      spawnSync(process.execPath, [DECIDE, ...words], { env: { ...process.env, DEALER_DATABASE: file('live') } })
        .status;
    const numbers = ['--amount', '0.03', '--cost', '1800.240', '--fee', '0.00003', '--fee-asset', 'BTC'];
    expect(decide('dealt', deal.id, ...numbers)).not.toBe(0);
    expect(decide('dealt', deal.id, ...numbers, '--reference', '28')).toBe(0);
    expect(bench.stateOf(deal)).toEqual({
      status: 'dealt',
      amount: '0.03',
      cost: '1800.24',
      fee: { asset: 'BTC', amount: '0.00003' },
      reference: '28',
    });
    expect(decide('never', deal.id, 'seen')).not.toBe(0);
    await bench.pass(10);
    expect(bench.stateOf(deal)).toMatchObject({ reference: '28' });
  });

  it('changes no deal that has ended, and deletes none', async () => {
    const deal = makeDeal(clock);
    await bench.submit(deal);
    expect(bench.store.end(deal.id, { state: 'REFUSED', reason: 'by_hand: x' }, clock.now_ms)).toBe(false);
    bench.store.close();
    const raw = new DatabaseSync(file('live'));
    expect(() => raw.exec(`UPDATE deals SET state = 'REFUSED', reason = 'x'`)).toThrow('is not changed');
    expect(() => raw.exec('DELETE FROM deals')).toThrow('never deleted');
    raw.close();
    bench = openDealer([], clock, new Store(file('live')));
  });
});

describe('a dealer at another Bureau', () => {
  beforeEach(() => begin('bureau'));

  it('sends a deal again under its id until the answer comes, also after sendBy, and it is filled once', async () => {
    loseAnswers();
    const deal = makeDeal(clock, { venue: 'bureau' });
    expect(await bench.submit(deal)).toMatchObject({ body: { status: 'unknown' } });
    await bench.pass(60);
    played.server.fault = () => undefined;
    await bench.pass(60);
    expect(bench.stateOf(deal)).toMatchObject({ status: 'dealt', amount: '0.03', fee: null });
    expect(played.exchange.countFilled(deal.id)).toBe(1);
    expect(played.server.requests.filter(({ method }) => method === 'POST').length).toBeGreaterThan(2);
  });

  it('stops before the 24 hours are over in which the venue knows the id: then the look-up decides, and the balance', async () => {
    loseAnswers();
    const deal = makeDeal(clock, { venue: 'bureau' });
    await bench.submit(deal);
    // A venue that shows nothing of it.
    played.exchange.forget();
    clock.pass(23 * 3_600_000);
    played.server.fault = () => undefined;
    const sent = played.server.requests.filter(({ method }) => method === 'POST').length;
    await bench.pass(300);
    expect(bench.stateOf(deal)).toMatchObject({ status: 'held', reason: matching(/^balance_differs: /) });
    expect(played.server.requests.filter(({ method }) => method === 'POST')).toHaveLength(sent);
  });

  it('and was restored never sends a deal first seen after sendBy: it is found, or absent', async () => {
    backUp();
    const [lost, unsent] = [
      makeDeal(clock, { venue: 'bureau' }),
      makeDeal(clock, { venue: 'bureau', coin: 'ETH', amount: '1' }),
    ];
    loseAnswers();
    await bench.submit(lost);
    restore();
    played.server.fault = () => undefined;
    clock.pass(600_000);
    const sent = played.server.requests.filter(({ method }) => method === 'POST').length;
    expect(await bench.submit(lost)).toMatchObject({ body: { status: 'dealt' } });
    expect(await bench.submit(unsent)).toMatchObject({ status: 422, body: { reason: matching(/^absent: /) } });
    const late = makeDeal(clock, { venue: 'bureau', sendBy: new Date(clock.now_ms - 1).toISOString() });
    expect(await bench.submit(late)).toMatchObject({ body: { status: 'unknown' } });
    await bench.pass(65);
    expect(bench.stateOf(late)).toMatchObject({ status: 'refused', reason: matching(/^absent: /) });
    expect(played.server.requests.filter(({ method }) => method === 'POST')).toHaveLength(sent);
  });
});
