import type { Deal } from '../../src/dealing/contract.ts';
import { multiplyUp, readAmount, shortenAmount, writeAmount } from './amounts.ts';
import type { End } from './store.ts';
import type { Fill, Market } from './venues/venue.ts';

/** What the venue says of a deal that it has filled: its end, or why a person must look at it. */
export type FillJudgement = { readonly end: End } | { readonly held: string };

/** Venues round a cost to their own decimals, Kraken to five. */
const ROUNDING = 10n ** 13n;

/** Judges a fill: docs/dealing.md, "The states". */
export function judgeFill(deal: Deal, { amount, cost, fees, reference }: Fill): FillJudgement {
  const [filled, paid] = [readAmount(amount), readAmount(cost)];
  const said = `${amount} ${deal.coin} for ${cost} USDT, order ${reference}`;
  if (filled > readAmount(deal.amount) || filled === 0n || paid === 0n) {
    return { held: `contradiction: the venue says ${said}` };
  }
  const limit = multiplyUp(filled, readAmount(deal.limitPrice));
  const isWorse = deal.side === 'BUY' ? paid > limit + ROUNDING : paid + ROUNDING < limit;
  if (isWorse) return { held: `contradiction: the venue says ${said}, which is beyond the limit` };
  const [fee = null, another] = fees;
  if (another || (fee && fee.asset !== deal.coin && fee.asset !== 'USDT')) {
    const paidIn = fees.map((one) => `${one.amount} ${one.asset}`).join(' and ');
    return { held: `fee_asset: ${said}, with a fee of ${paidIn}` };
  }
  return {
    end: {
      state: 'DEALT',
      amount: writeAmount(filled),
      cost: writeAmount(paid),
      fee: fee && { asset: fee.asset, amount: shortenAmount(fee.amount) },
      reference,
    },
  };
}

/** Why a deal does not fit the rules of its market; `undefined` when it does. */
export function findMisfit(deal: Deal, market: Market): string | undefined {
  if (!market.isOpen) return 'paused: the market is not open';
  const [amount, price] = [readAmount(deal.amount), readAmount(deal.limitPrice)];
  if (amount % readAmount(market.amountStep) !== 0n) return `steps: the amount is no multiple of ${market.amountStep}`;
  if (price % readAmount(market.priceStep) !== 0n) return `steps: the price is no multiple of ${market.priceStep}`;
  if (amount < readAmount(market.minAmount)) return `steps: less than ${market.minAmount} ${deal.coin}`;
  if (multiplyUp(amount, price) < readAmount(market.minCost)) return `steps: less than ${market.minCost} USDT`;
  return undefined;
}
