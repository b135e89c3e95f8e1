import { setTimeout as sleep } from 'node:timers/promises';
import { unstable_readConfig } from 'wrangler';
import { withDeadline } from '../../src/platform/deadline.ts';
import { CircuitBreakers } from '../../src/markets/sources/circuit-breakers.ts';
import { SourceError } from '../../src/markets/sources/source-error.ts';
import { streamSources } from '../../src/markets/streams/list-streams.ts';
import { PriceStreams, listSymbols } from '../../src/markets/streams/price-streams.ts';
import type { SocketListener, StreamTools } from '../../src/markets/streams/venue-stream.ts';
import { priceVenues } from '../../src/money/venue-symbols.ts';

const CONNECT_MS = 5_000;
const ADVANCE_MS = 250;

/** A price is an order's only where so many venues are heard. */
const NEEDED = 4;

/** What one venue's stream was like. */
interface Heard {
  messages: number;
  refusal: string | undefined;
}

/**
 * Opens the stream of each venue that a configuration names, from this machine, and says what came of it in so many
 * seconds: how many markets, messages a second, and how late they were. `isEnough` when so many venues were heard that
 * orders could fill.
 */
export async function listenToVenues(
  { configFile, environment }: { readonly configFile: string; readonly environment: string },
  seconds: number,
): Promise<{ readonly lines: readonly string[]; readonly isEnough: boolean }> {
  const { vars } = unstable_readConfig({ config: configFile, env: environment }, { hideWarnings: true });
  const textOf = (name: string) => String(vars[name] ?? '');
  const named = textOf('PRICE_SOURCES').split(',');
  const venues = priceVenues.filter((venue) => named.includes(venue));
  const listeners = venues.map((venue) => {
    const heard: Heard = { messages: 0, refusal: undefined };
    const url = textOf(`${venue.toUpperCase()}_STREAM_URL`);
    const streams = new PriceStreams([{ source: streamSources[venue], url }], toolsOf(heard));
    return { venue, heard, streams };
  });
  for (let advances = 0; advances < (seconds * 1_000) / ADVANCE_MS; advances += 1) {
    for (const { streams } of listeners) streams.advance();
    await sleep(ADVANCE_MS);
  }
  const found = listeners.map(({ venue, heard, streams }) => {
    const state = streams.states(Date.now())[venue];
    streams.close();
    const isHeard = state?.standing === 'open';
    const books = `${state?.books ?? 0} of ${listSymbols(venue).length} markets`;
    const rate = `${(heard.messages / seconds).toFixed(0)} messages a second`;
    const said = isHeard ? `${books}, ${rate}, ${state.delay_ms ?? '?'} ms later than the fastest` : 'is not heard';
    return {
      isHeard,
      line: `${isHeard ? 'ok' : 'error'}: ${venue}: ${said}${heard.refusal ? `; ${heard.refusal}` : ''}.`,
    };
  });
  const isEnough = found.filter(({ isHeard }) => isHeard).length >= NEEDED;
  const end = isEnough
    ? 'Orders have a price by streams here.'
    : `Fewer than ${NEEDED} venues are heard here: orders wait for polls.`;
  return { lines: [...found.map(({ line }) => line), end], isEnough };
}

function toolsOf(heard: Heard): StreamTools {
  return {
    now_ms: () => Date.now(),
    random: () => Math.random(),
    breakers: new CircuitBreakers({}, () => undefined),
    hear: () => void (heard.messages += 1),
    connect: async (findUrl, listener) => {
      try {
        return await withDeadline(CONNECT_MS, async (signal) => open(await findUrl(signal), listener));
      } catch (error) {
        heard.refusal = error instanceof Error ? error.message : 'failed';
        throw error;
      }
    },
  };
}

/** Opens a socket of Node's own. */
function open(url: string, listener: SocketListener): Promise<WebSocket> {
  const socket = new WebSocket(url);
  socket.addEventListener('message', ({ data }) => listener.hear(typeof data === 'string' ? data : ''));
  socket.addEventListener('close', () => listener.end());
  return new Promise((resolve, reject) => {
    socket.addEventListener('open', () => resolve(socket));
    socket.addEventListener('error', () => reject(new SourceError('could not be reached')));
  });
}
