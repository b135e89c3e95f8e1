/** A market as the dealer tells it: the rules and the fee of a large venue. */
export const MARKET = {
  coin: 'BTC',
  isOpen: true,
  amountStep: '0.00001',
  priceStep: '0.01',
  minAmount: '0.00001',
  minCost: '5',
  takerFee: '0.001',
} as const;

/** How a coin is hedged there, beside the name of the venue. */
export const HEDGING = {
  outer: '600',
  inner: '300',
  maxAgeSeconds: 60,
  limitBps: 100,
  maxHedge: '50000',
  feeBps: 10,
} as const;
