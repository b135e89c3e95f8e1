import type { Leg, RecordKind } from '../reconciliation/record-kind.ts';

/** A transfer at the end of a hedge: the next number after those of the legs before it, if it moves anything. */
const atEnd = (isThere: string, before: string, leg: Omit<Leg, 'number'>): Leg => ({
  ...leg,
  number: `iif(r.status <> 'OPEN' AND ${isThere}, r.ended_transfer + ${before}, NULL)`,
});

const hedging = `'house:hedging'`;
const liquidity = `'house:liquidity'`;

/**
 * Hedges. One transfer sets aside what the hedge may spend. At its end what was spent goes to the venue and the rest comes
 * back; then comes what the venue gave for it, and goes its fee.
 */
export const hedgeRecords: RecordKind = {
  name: 'hedge_moves',
  title: 'hedge',
  kind: 'hedge',
  type: `'HEDGE_' || r.side`,
  isSlow: true,
  legs: [
    { number: 'r.taken_transfer', debit: liquidity, credit: hedging, asset: 'r.gives', amount: 'r.set_aside' },
    atEnd('r.spent > 0', '0', { debit: hedging, credit: 'r.account_id', asset: 'r.gives', amount: 'r.spent' }),
    atEnd('r.spent < r.set_aside', '(r.spent > 0)', {
      debit: hedging,
      credit: liquidity,
      asset: 'r.gives',
      amount: 'r.set_aside - r.spent',
    }),
    atEnd('r.received > 0', '1 + (r.spent < r.set_aside)', {
      debit: 'r.account_id',
      credit: liquidity,
      asset: 'r.gets',
      amount: 'r.received',
    }),
    atEnd('r.fee > 0', '2 + (r.spent < r.set_aside)', {
      debit: liquidity,
      credit: 'r.account_id',
      asset: `coalesce(r.fee_asset, '')`,
      amount: 'r.fee',
    }),
  ],
  odd: `r.account_id NOT GLOB 'house:venue:*' OR (r.status = 'OPEN') IS NOT (r.ended_transfer IS NULL)
    OR (r.status = 'DEALT') IS NOT (r.spent > 0) OR (r.spent > 0) IS NOT (r.received > 0)`,
  found: 'r.id = t.reference',
  weight: 4,
  shown: ['status', 'coin'],
};
