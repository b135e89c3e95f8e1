import { recentAnswers } from '../../../src/http/edge-cache.ts';
import { coinSymbols } from '../../../src/money/assets.ts';

const keys = [
  'assets',
  'exchange-info',
  'status',
  'openapi',
  'tickers',
  ...coinSymbols.map((coin) => `ticker/${coin}`),
];

/**
 * Empties the isolate's answers and the edge cache of the Worker, the latter except for candles. These are cached by their request, and a test that counts
 * them makes a request of its own.
 */
export async function emptyEdgeCache(): Promise<void> {
  recentAnswers.forgetAll();
  await Promise.all(keys.map((key) => caches.default.delete(`https://edge-cache.invalid/${key}`)));
}
