import type { FirmPrice } from '../../markets/firm-price.ts';
import type { Price } from '../../money/prices.ts';
import type { Side } from '../fill.ts';

/** The other side of every order. A quote is valid only for the order that asked for it, at once. */
export interface LiquidityProvider {
  readonly name: string;
  /**
   * The price at which the provider fills an order of this side, with the spread in
   * hundredths of a percent, 8 decimals; 0 or less when it fills none.
   */
  quote(side: Side, firm: FirmPrice, spread_bps: number): Price;
}
