import { readText } from '../../platform/read-text.ts';
import { SourceError, type SourceFault } from './source-error.ts';

/** The largest answer that is read. All tickers of the largest venue take some 2 MB. */
const MAX_BODY_BYTES = 4 * 1024 * 1024;

/**
 * The statuses with a meaning of their own. Binance bans with 418. A 403 is a firewall's, of which the address was asked
 * too often or is one that many share, unless the venue's own API says in JSON that it refuses us.
 */
const faults: Readonly<Record<number, SourceFault>> = {
  400: 'question_refused',
  404: 'question_refused',
  429: 'rate_limited',
  418: 'rate_limited',
  403: 'address_blocked',
  451: 'geo_blocked',
};

/** The User-Agent, so that a venue can recognise Bureau and contact it before it blocks it. */
export const USER_AGENT = 'Bureau/1.0 (market data of an exchange)';

/**
 * Fetches a venue's JSON. Rejects with a `SourceError` on any status but 200, on anything that is not JSON or is over
 * 4 MiB, when the venue cannot be reached, and when `signal` aborts. Numbers in it are JavaScript's: prices must be
 * taken from strings.
 */
export async function fetchJson(url: string, signal: AbortSignal, method: 'GET' | 'POST' = 'GET'): Promise<unknown> {
  try {
    const headers = { Accept: 'application/json', 'User-Agent': USER_AGENT };
    const response = await fetch(url, { method, signal, redirect: 'manual', headers });
    if (response.status !== 200) throw await faultOf(response);
    if (!response.headers.get('Content-Type')?.includes('json')) {
      await response.body?.cancel();
      throw new SourceError('answered with something other than JSON');
    }
    const text = await readText(response, MAX_BODY_BYTES);
    if (text === undefined) throw new SourceError('answered with too large a body');
    return JSON.parse(text) as unknown;
  } catch (error) {
    if (error instanceof SourceError) throw error;
    throw new SourceError(signal.aborted ? 'did not answer in time' : 'could not be read', { cause: error });
  }
}

/** What an answer means that is not the one asked for. */
export async function faultOf(response: Response): Promise<SourceError> {
  await response.body?.cancel();
  const isJson = response.headers.get('Content-Type')?.includes('json') === true;
  return new SourceError(`answered with status ${response.status}`, {
    fault: response.status === 403 && isJson ? 'geo_blocked' : faults[response.status],
    retryAfter_ms: readRetryAfter(response.headers.get('Retry-After'), Date.now()),
  });
}

/** The wait that a Retry-After asks for, in seconds or until a date (RFC 9110, section 10.2.3). */
function readRetryAfter(header: string | null, now_ms: number): number | undefined {
  if (header === null) return undefined;
  const wait_ms = /^\d{1,9}$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - now_ms;
  return wait_ms >= 0 ? wait_ms : undefined;
}
