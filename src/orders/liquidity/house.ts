import { divideDown, divideUp } from '../../money/amounts.ts';
import type { LiquidityProvider } from './liquidity-provider.ts';

const BASIS = 10_000n;

/**
 * Fills from the exchange's own inventory: the firm price, with the spread and half of the dispersion on the client's
 * side of it, rounded against the client at 8 decimals. The dispersion is included because the market's price is known
 * no more exactly.
 */
export const houseProvider: LiquidityProvider = {
  name: 'house',
  quote: (side, firm, spread_bps) => {
    const spread = BigInt(spread_bps);
    const half = divideUp(firm.dispersion, 2n);
    return side === 'BUY'
      ? divideUp(firm.price * (BASIS + spread), BASIS) + half
      : divideDown(firm.price * (BASIS - spread), BASIS) - half;
  },
};
