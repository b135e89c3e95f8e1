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
 * Empties the edge cache of the Worker, but for candles: they are kept by their question, and a test that counts them
 * asks one of its own.
 */
export async function emptyEdgeCache(): Promise<void> {
  await Promise.all(keys.map((key) => caches.default.delete(`https://edge-cache.invalid/${key}`)));
}
