import { z } from 'zod';
import { AMOUNT_SYNTAX } from '../money/amounts.ts';

/**
 * The bodies of docs/dealing.md, for both of its sides: Bureau, and the dealer in `dealer/`. Amounts are plain decimal
 * strings, times are UTC with milliseconds.
 */

/** How far ahead of the dealer's clock a deal's `sendBy` may be. */
export const MAX_SEND_AHEAD_MS = 60_000;

export const MAX_DEAL_REASON_LENGTH = 500;

const Amount = z.string().regex(AMOUNT_SYNTAX);
const Positive = Amount.regex(/[1-9]/);
const Signed = z.string().regex(new RegExp(`^-?${AMOUNT_SYNTAX.source.slice(1)}`));
const Time = z.iso.datetime({ precision: 3 });
const Symbol = z.string().regex(/^[A-Z0-9]{1,16}$/);
const Reason = z.string().min(1).max(MAX_DEAL_REASON_LENGTH);

/** A name of a venue account at the dealer. */
export const VenueName = z.string().regex(/^[a-z0-9-]{1,32}$/);

/** A deal's id, and at the venue the client's id of its order: a UUID in lower case. */
export const DealId = z.string().regex(/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);

/** What Bureau orders: one limit order, of which the venue fills at once what it can and forgets the rest. */
export const Deal = z.strictObject({
  id: DealId,
  ledger: z.int().min(0).max(999),
  venue: VenueName,
  coin: Symbol,
  side: z.enum(['BUY', 'SELL']),
  /** In the coin. */
  amount: Positive,
  /** In USDT for a whole coin: the highest of a purchase, the lowest of a sale. */
  limitPrice: Positive,
  sendBy: Time,
});

export type Deal = z.output<typeof Deal>;

const Fee = z.object({ asset: Symbol, amount: Positive });

/** A dealer's answer about a deal. Other fields are ignored. */
export const DealAnswer = z.discriminatedUnion('status', [
  z.object({
    status: z.literal('dealt'),
    /** In the coin, without the fee; more than nothing and at most what was ordered. */
    amount: Positive,
    /** The sum of USDT, without the fee. */
    cost: Positive,
    fee: Fee.nullable(),
    /** The venue's own id of the order. */
    reference: z.string().min(1).max(128),
  }),
  z.object({ status: z.literal('refused'), reason: Reason }),
  z.object({ status: z.literal('busy'), reason: Reason }),
  z.object({ status: z.literal('working') }),
  z.object({ status: z.literal('unknown') }),
  z.object({ status: z.literal('held'), reason: Reason }),
  z.object({ status: z.literal('never_seen') }),
]);

export type DealAnswer = z.output<typeof DealAnswer>;

/** What a venue account holds, its rules, and what was ordered there. Other fields are ignored. */
export const VenueReport = z.object({
  venue: VenueName,
  /** When the balances were asked for. */
  at: Time,
  /** How long after `sendBy` an order that is not found may still be filled. */
  lateness_ms: z.int().min(0),
  /** The venue's clock less the dealer's. */
  clockOffset_ms: z.int(),
  /** Everything at the venue, also what an open order has reserved. An asset that is not named is not held there. */
  balances: z.array(z.object({ asset: z.string().min(1).max(32), amount: Amount })),
  markets: z.array(
    z.object({
      coin: Symbol,
      isOpen: z.boolean(),
      amountStep: Positive,
      priceStep: Positive,
      minAmount: Amount,
      /** In USDT. */
      minCost: Amount,
      /** A share of the cost: "0.001" is 10 bps. */
      takerFee: Amount,
    }),
  ),
  /** Deals that have not ended, at most one for each coin. */
  unresolved: z.array(z.object({ id: DealId, ledger: z.int().min(0), coin: Symbol, status: z.string(), since: Time })),
  /** What all deals of each ledger have moved, fees included: by it the venue's balance grew. */
  dealt: z.array(z.object({ ledger: z.int().min(0), asset: Symbol, amount: Signed })),
  /** From when on `orders` is complete. */
  ordersSince: Time,
  /** The venue's own list, not the dealer's, of every order that filled something. */
  orders: z.array(
    z.object({
      /** The client's id; `null` for an order that somebody made without one. */
      id: z.string().nullable(),
      reference: z.string(),
      coin: Symbol,
      side: z.enum(['BUY', 'SELL']),
      amount: Positive,
      cost: Positive,
      at: Time,
    }),
  ),
});

export type VenueReport = z.output<typeof VenueReport>;
