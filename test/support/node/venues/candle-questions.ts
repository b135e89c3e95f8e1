/**
 * The path of the n-th request for candles of many that no cache answers twice: each starts in another minute of the
 * past. Each asks for the largest number of candles, which costs the exchange most.
 */
export function distinctCandleQuestion(index: number): string {
  const start_ms = Date.UTC(2025, 0, 1) + index * 60_000;
  return `/api/v1/markets/BTC/candles?interval=1m&limit=1000&startTime=${new Date(start_ms).toISOString()}`;
}

/** The IP address of the n-th of many callers: each has its own /64, all in one /48. */
export function strangerAddress(index: number): string {
  return `2001:db8:7:${(index % 65_536).toString(16)}::1`;
}
