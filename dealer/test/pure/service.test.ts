import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as rest } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { DealAnswer, VenueReport } from '../../../src/dealing/contract.ts';
import { readConfig } from '../../src/config.ts';
import { type Service, startService } from '../../src/service.ts';
import { type DealerProcess, startDealer, writeEnvironment } from '../support/dealer-process.ts';
import { Clock, type Played, makeDeal, play } from '../support/open.ts';
import type { PlayedRequest } from '../support/played-server.ts';
import { DEALING_KEY, askDealer } from '../support/sign.ts';

const DOCTOR = join(import.meta.dirname, '..', '..', 'src', 'commands', 'doctor.ts');

const withFolder = () => {
  const folder = mkdtempSync(join(tmpdir(), 'dealer-'));
  return { file: join(folder, 'dealer.db'), remove: () => rmSync(folder, { recursive: true }) };
};

describe('the service', () => {
  const place = withFolder();
  let played: Played;
  let service: Service;
  let url: string;

  beforeAll(async () => {
    played = await play('binance', Date.now);
    const environment = writeEnvironment(place.file, [played.settings]);
    const config = readConfig({ ...environment, DEALER_METRICS_PORT: '0' });
    service = await startService(config, () => undefined, Date.now);
    url = `http://127.0.0.1:${service.port}`;
  });

  afterAll(async () => {
    await service.stop();
    await played.server.stop();
    place.remove();
  });

  const makeNow = () => {
    const clock = new Clock();
    clock.now_ms = Date.now();
    return makeDeal(clock);
  };

  it('takes a deal, finds it again, and reports its venue, as the contract’s schemas say', async () => {
    const deal = makeNow();
    const path = `/v1/deals/${deal.id}`;
    expect(await askDealer(url, 'GET', path)).toEqual({ status: 404, body: { status: 'never_seen' } });
    const answered = await askDealer(url, 'PUT', path, JSON.stringify(deal));
    expect(DealAnswer.parse(answered?.body)).toMatchObject({ status: 'dealt', amount: '0.03' });
    expect(await askDealer(url, 'GET', path)).toEqual(answered);
    const report = VenueReport.parse((await askDealer(url, 'GET', '/v1/venues/binance'))?.body);
    expect(report).toMatchObject({ venue: 'binance', lateness_ms: 20_000 });
    expect(report.markets.map(({ coin }) => coin)).toEqual(['BTC', 'ETH']);
  });

  it('serves metrics on loopback: what is open, for how long, how old the report is, and each event', async () => {
    const read = async () => {
      const said = await (await fetch(`http://127.0.0.1:${service.metricsPort}/metrics`)).text();
      return new Map(
        said
          .trimEnd()
          .split('\n')
          .map((line) => line.split(' ') as [string, string]),
      );
    };
    const asked_ms = Date.now();
    /** No age may be more than what has passed; a report may be three seconds old, and ages are rounded. */
    const most = () => (Date.now() - asked_ms) / 1_000 + 4;
    await askDealer(url, 'GET', '/v1/venues/binance');
    const before = await read();
    expect(before.get('dealer_deals_open{venue="binance"}')).toBe('0');
    expect(Number(before.get('dealer_report_age_seconds{venue="binance"}'))).toBeLessThanOrEqual(most());
    played.server.fault = (request) => (isOrder(request) ? { kind: 'lost request' } : undefined);
    const deal = makeNow();
    await askDealer(url, 'PUT', `/v1/deals/${deal.id}`, JSON.stringify(deal));
    const open = await read();
    played.server.fault = () => undefined;
    expect(open.get('dealer_deals_open{venue="binance"}')).toBe('1');
    expect(open.get('dealer_deals_held{venue="binance"}')).toBe('0');
    expect(Number(open.get('dealer_deals_open_oldest_seconds{venue="binance"}'))).toBeLessThanOrEqual(most());
    const stored = 'dealer_events_total{event="deal_stored"}';
    expect(Number(open.get(stored))).toBe(Number(before.get(stored)) + 1);
  });

  it.each([
    ['GET', '/v1/venues/nowhere', 404],
    ['GET', '/v1/nothing', 404],
    ['PUT', '/v1/venues/binance', 405],
    ['GET', '/v1/deals/019AC5A4-7c00-7000-8000-000000000001', 404],
  ] as const)('answers %s %s with %d and no state', async (method, path, status) => {
    const answer = await askDealer(url, method, path);
    expect(answer).toMatchObject({ status, body: { error: expect.any(String) as string } });
  });

  it('does nothing for a request that is not signed, is five minutes old, or is too long', async () => {
    const deal = makeNow();
    const path = `/v1/deals/${deal.id}`;
    const body = JSON.stringify(deal);
    const sent = () => played.server.requests.filter(({ method }) => method === 'POST').length;
    const before = sent();
    expect((await fetch(`${url}${path}`, { method: 'PUT', body })).status).toBe(401);
    expect(await askDealer(url, 'PUT', path, body, Date.now() - 302_000)).toMatchObject({ status: 401 });
    expect(await askDealer(url, 'PUT', path, ' '.repeat(5_000))).toMatchObject({ status: 413 });
    expect(sent()).toBe(before);
  });

  it('has a doctor, a command whose exit code says whether all is well', async () => {
    const run = async () => {
      const environment = writeEnvironment(place.file, [played.settings]);
      const child = spawn(process.execPath, [DOCTOR], { env: { ...process.env, ...environment } });
      const [said, [code]] = await Promise.all([text(child.stdout), once(child, 'exit') as Promise<[number]>]);
      return { said, code };
    };
    expect(await run()).toMatchObject({ code: 0, said: expect.stringContaining('ok     binance: ') as string });
    played.exchange.isOpen = false;
    const wrong = await run();
    played.exchange.isOpen = true;
    expect(wrong).toMatchObject({
      code: 1,
      said: expect.stringContaining('WRONG  binance: every coin is traded') as string,
    });
    expect(wrong.said).not.toContain(played.settings.secret);
  });

  it('shows no secret when its configuration is wrong', () => {
    const environment = writeEnvironment(place.file, [played.settings]);
    const wrong = [
      { DEALER_VENUE_KEYS: `{"binance":{"key":"${played.settings.key}"` },
      { DEALER_VENUE_KEYS: '{}' },
      { DEALER_SECRETS: JSON.stringify({ bureau: 'too short' }) },
      { DEALER_VENUES: environment['DEALER_VENUES']?.replace('http://127.0.0.1', 'http://venue.example') },
      { DEALER_VENUES: environment['DEALER_VENUES']?.replace('"ETH"', '"BTC"') },
      { DEALER_DATABASE: undefined },
    ];
    for (const change of wrong) {
      const read = () => readConfig({ ...environment, ...change });
      expect(read).toThrow();
      expect(read).not.toThrow(played.settings.key);
      expect(read).not.toThrow(DEALING_KEY.secret);
    }
  });
});

const isOrder = ({ method, path }: PlayedRequest) => method === 'POST' && path === '/api/v3/order';

/** Where the process dies, as the venue sees it, and whether the order is executed. */
const points: Readonly<Record<string, (played: Played, die: () => void) => void>> = {
  'before the row, while it asks': ({ server }, die) => {
    server.onRequest = ({ path }) => void (path === '/api/v3/account' && die());
  },
  'after the row, and the order is lost': ({ server }, die) => {
    server.onRequest = (request) => void (isOrder(request) && die());
    server.fault = (request) => (isOrder(request) ? { kind: 'lost request' } : undefined);
  },
  'after the row, and the order is filled': ({ server }, die) => {
    server.onRequest = (request) => void (isOrder(request) && die());
  },
  'before the answer’s row': ({ server }, die) => {
    server.onAnswer = (request) => void (isOrder(request) && die());
  },
};

describe.each(Object.keys(points))('a dealer that is killed %s', (point) => {
  const place = withFolder();
  let played: Played;
  let dealer: DealerProcess;
  /** The venue shows an order at once, so half a second is late enough. */
  const begin = () => startDealer(place.file, [{ ...played.settings, lateness_ms: 500 }]);

  beforeEach(async () => {
    played = await play('binance', Date.now);
    dealer = await begin();
  });

  afterEach(async () => {
    dealer.kill();
    await dealer.ended;
    await played.server.stop();
    place.remove();
  });

  it('sends the deal at most once, and ends it as the venue did', async () => {
    const clock = new Clock();
    clock.now_ms = Date.now();
    // Of an order that is lost the end is known after `sendBy`; where none is, a start may take long.
    const window_ms = point.endsWith('lost') ? 8_000 : 55_000;
    const deal = makeDeal(clock, { sendBy: new Date(Date.now() + window_ms).toISOString() });
    const submit = () => askDealer(dealer.url, 'PUT', `/v1/deals/${deal.id}`, JSON.stringify(deal));
    points[point]?.(played, () => {
      played.server.onRequest = () => undefined;
      played.server.onAnswer = () => undefined;
      dealer.kill();
    });
    await submit();
    await dealer.ended;
    played.server.fault = () => undefined;
    dealer = await begin();
    let status: unknown = 'unknown';
    while (status === 'unknown' || status === 'working' || status === undefined) {
      await rest(100);
      status = (await submit())?.body['status'];
    }
    const filled = played.exchange.countFilled(deal.id);
    expect(filled).toBeLessThanOrEqual(1);
    expect(status).toBe(filled === 1 ? 'dealt' : 'refused');
    expect(played.server.requests.filter(isOrder).length).toBe(1);
  });
});
