import { fallbackPrice } from './fallback-price.ts';
import { type HubBindings, readSnapshot } from './read-hub.ts';
import { type Asset, QUOTE_ASSET } from '../money/assets.ts';
import { type Atoms, MAX_ATOMS } from '../money/amounts.ts';
import { toUsdt } from '../money/conversion.ts';

/** How old the prices of a valuation may be. */
const MAX_AGE_MS = 5_000;

/**
 * What a deposit is worth for the record, in atoms of USDT, rounded down: at the agreed price, else at the last one
 * shown, else at the fallback price. USDT is 1 by definition. It is never used to fill or to limit.
 */
export async function valueInUsdt(hub: HubBindings, asset: Asset, amount: Atoms): Promise<Atoms> {
  if (asset === QUOTE_ASSET) return amount;
  const snapshot = await readSnapshot(hub, MAX_AGE_MS);
  const market = snapshot?.markets[asset];
  const price = market?.agreed?.price ?? market?.shown?.price ?? snapshot?.fallbacks[asset] ?? fallbackPrice(asset);
  const value = toUsdt(asset, amount, price, 'down');
  // More than the ledger can count is never credited; its record says as much as it can.
  return value > MAX_ATOMS ? MAX_ATOMS : value;
}
