/** One limit order at a venue, of which it fills at once what it can. */
export interface VenueOrder {
  /** The deal's id, and the client's id of the order at the venue. */
  readonly id: string;
  readonly coin: string;
  readonly side: 'BUY' | 'SELL';
  /** Plain decimals, as Bureau wrote them. */
  readonly amount: string;
  readonly limitPrice: string;
  readonly sendBy_ms: number;
}

/** What a venue filled, as it says: without the fee, in its own decimals. */
export interface Fill {
  readonly amount: string;
  /** In USDT. */
  readonly cost: string;
  readonly fees: readonly { readonly asset: string; readonly amount: string }[];
  /** The venue's own id of the order. */
  readonly reference: string;
}

/** What is known of an order after it was sent. */
export type Outcome =
  | { readonly kind: 'dealt'; readonly fill: Fill }
  /** Nothing was filled and nothing will be. Only an answer that the adapter lists is one. */
  | { readonly kind: 'refused'; readonly reason: string }
  /** The venue has it and has not ended it. */
  | { readonly kind: 'working' }
  /** Everything else. */
  | { readonly kind: 'unknown'; readonly why: string };

/** What a look-up found. A venue that does not find an order may still fill it, until its window and lateness are over. */
export type Found = Outcome | { readonly kind: 'absent' };

export interface Market {
  readonly coin: string;
  readonly isOpen: boolean;
  readonly amountStep: string;
  readonly priceStep: string;
  readonly minAmount: string;
  readonly minCost: string;
  readonly takerFee: string;
}

/** An order that filled something, in the venue's own list. */
export interface ListedOrder {
  /** The client's id; `null` for an order that has none. */
  readonly id: string | null;
  readonly reference: string;
  readonly coin: string;
  readonly side: 'BUY' | 'SELL';
  readonly amount: string;
  readonly cost: string;
  readonly at_ms: number;
}

/** What a venue says about the key that the dealer uses. */
export interface KeyRights {
  readonly mayWithdraw: boolean;
  readonly mayTrade: boolean;
  /** Whether the key is bound to addresses. */
  readonly isBound: boolean;
  /** What else a person should change, in words: none when all is well. */
  readonly faults: readonly string[];
}

/** One account at one venue. There is a file for each kind of venue. */
export interface Venue {
  readonly name: string;
  readonly coins: readonly string[];
  /** How long after `sendBy` an order that is not found may still be filled. */
  readonly lateness_ms: number;
  /** An order is not sent when less than this is left before `sendBy`. */
  readonly minWindow_ms: number;
  /**
   * `once`: an id is sent once and then looked up. `repeat`: the venue executes an id once, so sending the same again is the
   * look-up, within `REPEAT_MS`.
   */
  readonly again: 'once' | 'repeat';
  /** Sends the order, and never rejects: what is not an answer is *unknown*. */
  place(order: VenueOrder): Promise<Outcome>;
  /** Looks the order up by the client's id. Never rejects. */
  find(order: VenueOrder): Promise<Found>;
  /** All that the account holds, by the coin as Bureau names it. Rejects when the venue does not say it. */
  readBalances(): Promise<ReadonlyMap<string, bigint>>;
  /** The configured coins' rules. Rejects when the venue does not say them. */
  readMarkets(): Promise<readonly Market[]>;
  /** The orders since then that filled something. Rejects when the venue does not say them all. */
  readOrders(since_ms: number): Promise<readonly ListedOrder[]>;
  /** The venue's clock less ours, in ms. Rejects when the venue does not answer. */
  readClockOffset(): Promise<number>;
  /** `undefined` where the venue cannot be asked, as a testnet. Rejects when it does not answer. */
  readKeyRights(): Promise<KeyRights | undefined>;
}

/** How long the same order may be sent again where an id is executed once: an hour less than a Bureau's promise. */
export const REPEAT_MS = 23 * 3_600_000;

export const unknown = (why: string): Outcome => ({ kind: 'unknown', why: why.slice(0, 200) });

/** How an order ended that the venue has closed. */
export function endOf(fill: Fill, filled: bigint, how: string): Outcome {
  return filled > 0n ? { kind: 'dealt', fill } : { kind: 'refused', reason: `nothing_filled: ${how}` };
}
