import type { Asset } from '../money/assets.ts';
import type { Network } from '../money/networks.ts';
import type { RefusalProof } from './verify-refusal.ts';

/** How long any request to the custodian may take. */
export const CUSTODY_DEADLINE_MS = 6_000;

/** What the custodian must pay. It is the same in every request for one withdrawal. */
export interface Payout {
  /** Bureau's id. The custodian pays it at most once. */
  readonly withdrawalId: string;
  readonly asset: Asset;
  readonly network: Network;
  /** The token's contract or mint; `null` for the network's own coin. */
  readonly contractAddress: string | null;
  readonly address: string;
  /** What the address receives, a plain decimal string in the asset. */
  readonly amount: string;
}

export type CustodyState =
  /** Paid, under this hash. */
  | { readonly kind: 'sent'; readonly txHash: string }
  /** It will be paid; there is no final hash yet. */
  | { readonly kind: 'accepted' }
  /** As accepted, but the custodian waits for something before it pays, such as coins for its hot wallet. */
  | { readonly kind: 'held'; readonly reason: string }
  /** It was not paid and never will be. Only the custodian's own well-formed answer counts as this. */
  | { readonly kind: 'refused'; readonly reason: string; readonly proof?: RefusalProof }
  /** It may have been paid, or may still be. Only another look-up helps. */
  | { readonly kind: 'unknown' };

/** The custodian has not heard of the payout, but a submission may still be on its way. */
export interface NeverSeen {
  readonly kind: 'never_seen';
}

/** What the custodian holds for Bureau on one network, as of a time. */
export interface NetworkHoldings {
  readonly network: Network;
  readonly at_ms: number;
  /** Plain decimals in the asset, `null` where it does not say. An asset that is not named is not held there. */
  readonly amounts: readonly (readonly [Asset, string | null])[];
}

/**
 * The custodian: it holds the coins and pays withdrawals. No method ever rejects, and all end within
 * `CUSTODY_DEADLINE_MS`: time-outs, broken connections and unreadable answers are `unknown`.
 */
export interface Custody {
  readonly name: string;
  /**
   * Submits the payout, perhaps again: by contract the custodian pays one withdrawal's id once, however often it is
   * submitted, and answers a later call with the result of the first.
   */
  submit(payout: Payout): Promise<CustodyState>;
  /** Looks the payout up. A later answer may have another hash, if the custodian replaced a transaction. */
  lookup(payout: Payout): Promise<CustodyState | NeverSeen>;
  /** What it holds, network by network: none where it does not say. `undefined` when it did not answer. */
  holdings(): Promise<readonly NetworkHoldings[] | undefined>;
}
