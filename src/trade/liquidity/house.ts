import { divideDown, divideUp } from '../../money/amounts.ts';
import type { LiquidityProvider } from './liquidity-provider.ts';

const BASIS = 10_000n;

/**
 * Fills from the exchange's own inventory: the firm price, with a spread on the client's side of it, rounded against
 * the client at 8 decimals. `spread_bps` is in hundredths of a percent.
 */
export function provideFromHouse(spread_bps: number): LiquidityProvider {
  const spread = BigInt(spread_bps);
  return {
    name: 'house',
    quote: (side, firm) =>
      side === 'BUY'
        ? divideUp(firm.price * (BASIS + spread), BASIS)
        : divideDown(firm.price * (BASIS - spread), BASIS),
  };
}
