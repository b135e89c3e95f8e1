import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { PlayedStreams } from './played-streams.ts';
import { type PlayedServer, say, sayWrongly, serveOnLoopback } from '../run/serve-on-loopback.ts';
import type { PlayedStream, PlayedVenue, VenueAnswer } from './played-venue.ts';
import { playedBinance } from './venue-binance.ts';
import { playedBybit } from './venue-bybit.ts';
import { playedCoinbase } from './venue-coinbase.ts';
import { playedGate } from './venue-gate.ts';
import { playedKraken } from './venue-kraken.ts';
import { playedKucoin, tellStream } from './venue-kucoin.ts';
import { playedOkx } from './venue-okx.ts';
import {
  type Venue,
  type VenueChanges,
  type VenueName,
  applyChanges,
  createVenues,
  noRequests,
  venueNames,
} from './venue-state.ts';

const played: Readonly<Record<VenueName, PlayedVenue>> = {
  binance: playedBinance,
  okx: playedOkx,
  coinbase: playedCoinbase,
  kucoin: playedKucoin,
  kraken: playedKraken,
  gate: playedGate,
  bybit: playedBybit,
};

/**
 * Starts a server that plays the venues in their exact shapes on loopback, each below its name, in a state of its own.
 * Tests set it through `/control`, by way of `VenueRemote`.
 */
export async function startVenueServer(): Promise<PlayedServer> {
  let venues = createVenues();
  let requests = noRequests();
  const open = new Set<ServerResponse>();

  const streams = new PlayedStreams(
    Object.fromEntries(venueNames.map((name) => [name, played[name].stream])) as Record<VenueName, PlayedStream>,
    (name) => venues[name],
  );

  const reset = () => {
    [venues, requests] = [createVenues(), noRequests()];
    streams.cut();
    for (const response of open) response.destroy();
    open.clear();
  };

  const control = async (request: IncomingMessage, response: ServerResponse) => {
    if (request.method === 'DELETE') reset();
    if (request.method === 'PATCH') {
      const before = venues;
      venues = applyChanges(venues, JSON.parse(await text(request)) as VenueChanges);
      streams.change(before);
    }
    say(response, { status: 200, body: requests });
  };

  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    const url = new URL(request.url ?? '/', 'http://venues');
    if (url.pathname === '/control') return control(request, response);
    const name = venueNames.find((one) => url.pathname.startsWith(`/${one}/`));
    if (url.pathname === '/kucoin/api/v1/bullet-public') {
      return say(response, tellStream(`ws://${request.headers.host}/kucoin`));
    }
    const question = name && played[name].questions[url.pathname.slice(name.length + 1)];
    if (!name || !question) return say(response, { status: 404, body: { message: 'NotFound' } });
    requests[name][question.kind]++;
    if (!request.headers['user-agent']?.startsWith('Bureau/')) {
      return say(response, { status: 403, body: { message: 'Say who you are' } });
    }
    const venue = venues[name];
    const wordForWord = venue[question.kind];
    open.add(response);
    response.once('close', () => open.delete(response));
    await answer(played[name], venue, response, () =>
      wordForWord === undefined
        ? question.answer(venue, url.searchParams, Date.now())
        : { status: 200, body: wordForWord },
    );
  };

  const server = await serveOnLoopback(serve, (request, connection) => {
    const url = new URL(request.url ?? '/', 'http://venues');
    const name = venueNames.find((one) => url.pathname === `/${one}`);
    if (name) streams.accept(name, url, request, connection);
    else connection.destroy();
  });
  return {
    url: server.url,
    stop: () => {
      streams.stop();
      return server.stop();
    },
  };
}

/** Gives a venue's answer in its mode. */
async function answer(
  { error, limited }: PlayedVenue,
  venue: Venue,
  response: ServerResponse,
  make: () => VenueAnswer,
): Promise<void> {
  await sleep(venue.delay_ms);
  switch (venue.mode) {
    case 'ok':
      return say(response, make());
    case 'error':
      return sendFailure(response, error, venue);
    case 'limited':
      return sendFailure(response, limited, venue);
    case 'hang':
    case 'reset':
    case 'html':
    case 'truncated':
    case 'huge':
      sayWrongly(response, venue.mode, make(), venue.status ?? 200);
  }
}

function sendFailure(response: ServerResponse, { status, body }: VenueAnswer, venue: Venue): void {
  if (venue.retryAfter !== null) response.setHeader('Retry-After', venue.retryAfter);
  say(response, { status: venue.status ?? status, body });
}
