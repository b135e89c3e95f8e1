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
