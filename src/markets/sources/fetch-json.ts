import { readText } from '../../http/read-text.ts';
import { SourceError } from './source-error.ts';

/** More than any answer that Bureau asks for; 1000 candles are 171 kB. */
const MAX_BODY_BYTES = 4 * 1024 * 1024;

/**
 * Fetches a venue's JSON. Rejects with a `SourceError` on any status but 200, on anything that is not JSON or is over
 * 4 MiB, when the venue cannot be reached, and when `signal` aborts. Numbers in it are JavaScript's: prices must be
 * taken from strings.
 */
export async function fetchJson(url: string, signal: AbortSignal): Promise<unknown> {
  try {
    const response = await fetch(url, { signal, redirect: 'manual', headers: { Accept: 'application/json' } });
    if (response.status !== 200) {
      await response.body?.cancel();
      throw new SourceError(`answered with status ${response.status}`);
    }
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
