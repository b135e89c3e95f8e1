import { type IncomingMessage, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import type { TestProject } from 'vitest/node';
import { type VenueAnswer, answerBinanceKlines, answerBinanceTickers, binanceError } from './venue-binance.ts';
import { answerKrakenTickers, krakenError } from './venue-kraken.ts';
import { type Venue, type VenueName, type VenueRequests, createVenues } from './venue-state.ts';

const errors: Record<VenueName, VenueAnswer> = { binance: binanceError, kraken: krakenError };

/** Starts one for all tests of a project: its state is shared, as the venues' is. */
export default async function provideVenueServer(project: TestProject): Promise<() => Promise<void>> {
  const { url, stop } = await startVenueServer();
  project.provide('venueServer' as never, url as never);
  return stop;
}

/**
 * Starts a server that plays the venues in their exact shapes on loopback, in a state of its own. Tests set it through
 * `/control`, by way of test/support/venues.ts.
 */
export async function startVenueServer(): Promise<{ readonly url: string; readonly stop: () => Promise<void> }> {
  let venues = createVenues();
  let requests = noRequests();

  const control = async (request: IncomingMessage, response: ServerResponse) => {
    if (request.method === 'DELETE') [venues, requests] = [createVenues(), noRequests()];
    if (request.method === 'PATCH') {
      const changes = JSON.parse(await text(request)) as Partial<Record<VenueName, Partial<Venue>>>;
      for (const name of ['binance', 'kraken'] as const) {
        const markets = { ...venues[name].markets, ...changes[name]?.markets };
        venues[name] = { ...venues[name], ...changes[name], markets };
      }
    }
    sendJson(response, { status: 200, body: requests });
  };

  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    const url = new URL(request.url ?? '/', 'http://venues');
    switch (url.pathname) {
      case '/control':
        return control(request, response);
      case '/binance/api/v3/ticker/24hr':
        requests.binance.tickers++;
        return answer('binance', venues.binance, response, () =>
          answerBinanceTickers(venues.binance, url.searchParams, Date.now()),
        );
      case '/binance/api/v3/klines':
        requests.binance.klines++;
        return answer('binance', venues.binance, response, () =>
          answerBinanceKlines(venues.binance, url.searchParams, Date.now()),
        );
      case '/kraken/0/public/Ticker':
        requests.kraken.tickers++;
        return answer('kraken', venues.kraken, response, () => answerKrakenTickers(venues.kraken, url.searchParams));
      default:
        return sendJson(response, { status: 404, body: { message: 'NotFound' } });
    }
  };

  const server = createServer((request, response) => {
    serve(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const stop = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, stop };
}

function noRequests(): VenueRequests {
  return { binance: { tickers: 0, klines: 0 }, kraken: { tickers: 0, klines: 0 } };
}

/** Gives a venue's answer in its mode. */
async function answer(name: VenueName, venue: Venue, response: ServerResponse, make: () => VenueAnswer): Promise<void> {
  await sleep(venue.delay_ms);
  switch (venue.mode) {
    case 'ok':
      return sendJson(response, make());
    case 'error':
      return sendJson(response, { ...errors[name], status: venue.status ?? errors[name].status });
    case 'html':
      response.writeHead(200, { 'Content-Type': 'text/html' }).end('<!DOCTYPE html><title>Just a moment...</title>');
      return;
    case 'truncated':
      response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(make().body).slice(0, -20));
      return;
    case 'huge':
      response
        .writeHead(200, { 'Content-Type': 'application/json' })
        .end(JSON.stringify(make().body).padEnd(5_000_000, ' '));
      return;
    case 'hang':
      return;
    case 'reset':
      response.destroy();
  }
}

function sendJson(response: ServerResponse, { status, body }: VenueAnswer): void {
  response.writeHead(status, { 'Content-Type': 'application/json;charset=UTF-8' }).end(JSON.stringify(body));
}
