import type { Observation } from './aggregate.ts';
import { logSourceFailure } from './sources/log-failure.ts';
import type { PriceSource } from './sources/price-source.ts';
import { withDeadline } from '../http/with-deadline.ts';

/** How long one source may take. All are asked at once, so this is also how long a round lasts at most. */
const SOURCE_TIMEOUT_MS = 2_000;

/**
 * One round: asks all sources in parallel and gives what arrived in time, in the order of the sources. A source that
 * fails is left out and logged. Never rejects.
 */
export async function askPriceSources(sources: readonly PriceSource[]): Promise<Observation[]> {
  const answers = await Promise.all(sources.map(askPriceSource));
  return answers.flat();
}

async function askPriceSource(source: PriceSource): Promise<Observation[]> {
  try {
    const tickers = await withDeadline(SOURCE_TIMEOUT_MS, (signal) => source.fetchTickers(signal, Date.now()));
    const received_ms = Date.now();
    return tickers.map((ticker) => ({ source: source.name, received_ms, ticker }));
  } catch (error) {
    logSourceFailure('price_source_failed', source.name, error);
    return [];
  }
}
