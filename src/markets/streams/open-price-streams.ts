import { withDeadline } from '../../platform/deadline.ts';
import type { CircuitBreakers } from '../sources/circuit-breakers.ts';
import { USER_AGENT, faultOf } from '../sources/fetch-json.ts';
import { SourceError } from '../sources/source-error.ts';
import { PriceStreams, type StreamPlace } from './price-streams.ts';

/** How long opening a socket may take. */
const CONNECT_MS = 5_000;

/** The streams at venues, by this object's own clock. `hear` is told when a message came. */
export function openPriceStreams(
  places: readonly StreamPlace[],
  breakers: CircuitBreakers,
  hear: () => void,
): PriceStreams {
  return new PriceStreams(places, {
    now_ms: () => Date.now(),
    random: () => Math.random(),
    breakers,
    hear,
    connect: (findUrl, listener) =>
      withDeadline(CONNECT_MS, async (signal) => {
        const socket = await openSocket(await findUrl(signal), signal);
        socket.addEventListener('message', ({ data }) => listener.hear(typeof data === 'string' ? data : ''));
        socket.addEventListener('close', () => listener.end());
        socket.addEventListener('error', () => listener.end());
        socket.accept();
        return socket;
      }),
  });
}

/**
 * Opens a WebSocket to a venue, which is silent until it is accepted. Rejects with a `SourceError` when the venue answers
 * with anything but one, cannot be reached, and when `signal` aborts.
 */
async function openSocket(url: string, signal: AbortSignal): Promise<WebSocket> {
  try {
    const headers = { Upgrade: 'websocket', 'User-Agent': USER_AGENT };
    const response = await fetch(url.replace(/^ws/, 'http'), { signal, redirect: 'manual', headers });
    if (!response.webSocket) throw await faultOf(response);
    return response.webSocket;
  } catch (error) {
    if (error instanceof SourceError) throw error;
    throw new SourceError(signal.aborted ? 'did not answer in time' : 'could not be reached', { cause: error });
  }
}
