import { fallbackPrice } from './fallback-price.ts';
import { type HubBindings, readSnapshot } from './read-hub.ts';
import { type Asset, QUOTE_ASSET, toUsdt } from '../money/assets.ts';
import { type Atoms, MAX_ATOMS } from '../money/amounts.ts';

const MAX_AGE_MS = 5_000;

/** What an amount is worth, in atoms of USDT, rounded down. */
export type Valuation = (asset: Asset, amount: Atoms) => Atoms;

/**
 * The present value of amounts: at the agreed price, else at the last one shown, else at the fallback price. USDT is 1 by
 * definition. It is never used for a fill or a limit. Never rejects.
 */
export async function readValuation(hub: HubBindings): Promise<Valuation> {
  const snapshot = await readSnapshot(hub, MAX_AGE_MS);
  return (asset, amount) => {
    if (asset === QUOTE_ASSET) return amount;
    const market = snapshot?.markets[asset];
    const price = market?.agreed?.price ?? market?.shown?.price ?? snapshot?.fallbacks[asset] ?? fallbackPrice(asset);
    const value = toUsdt(asset, amount, price, 'down');
    // An amount that the ledger cannot count is never credited; its record gets the largest value.
    return value > MAX_ATOMS ? MAX_ATOMS : value;
  };
}

/** Gives the value that is recorded for a deposit, in atoms of USDT, as `readValuation` has it. */
export function valueIn(hub: HubBindings): (asset: Asset, amount: Atoms) => Promise<Atoms> {
  return async (asset, amount) => (asset === QUOTE_ASSET ? amount : (await readValuation(hub))(asset, amount));
}
