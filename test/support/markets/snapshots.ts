import { vi } from 'vitest';
import { firmPrice } from '../../../src/markets/firm-price.ts';
import { readSnapshot } from '../../../src/markets/read-hub.ts';
import type { MarketSnapshot } from '../../../src/markets/snapshot.ts';
import { formatPrice } from '../../../src/money/amounts.ts';
import { env } from '../runtime/test-env.ts';

/** The snapshot, under a stopped clock. For a new one the clock moves on, so that every venue may be asked again. */
export function snapshotNow(maxAge_ms = 0): Promise<MarketSnapshot | undefined> {
  if (maxAge_ms === 0) vi.setSystemTime(Date.now() + 1_500);
  return readSnapshot(env, maxAge_ms);
}

export async function firmNow(): Promise<string | undefined> {
  const snapshot = await snapshotNow();
  const price = snapshot && firmPrice(snapshot, 'BTC', Date.now())?.price;
  return price === undefined ? undefined : formatPrice(price);
}
