import { divideDown, divideUp } from '../../money/amounts.ts';
import type { LiquidityProvider } from './liquidity-provider.ts';

const BASIS = 10_000n;

/**
 * Fills from the exchange's own inventory: the firm price, with the spread on the client's side of it, rounded against
 * the client at 8 decimals.
 */
export const houseProvider: LiquidityProvider = {
  name: 'house',
  quote: (side, firm, spread_bps) => {
    const spread = BigInt(spread_bps);
    return side === 'BUY'
      ? divideUp(firm.price * (BASIS + spread), BASIS)
      : divideDown(firm.price * (BASIS - spread), BASIS);
  },
};
