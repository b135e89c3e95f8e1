import type { Asset } from '../../money/assets.ts';
import type { Network } from '../../money/networks.ts';

/** How long a custodian is waited for, at most, whatever is asked of it. */
export const CUSTODY_DEADLINE_MS = 6_000;

/** What the custodian is to pay. It is the same in every question about one withdrawal. */
export interface Payout {
  /** Bureau's id, under which the custodian pays once at most. */
  readonly withdrawalId: string;
  readonly asset: Asset;
  readonly network: Network;
  /** The token's contract or mint; `null` for the network's own coin. */
  readonly contractAddress: string | null;
  readonly address: string;
  /** What the address receives, a plain decimal string in the asset. */
  readonly amount: string;
}

/** What is known of a payout. */
export type CustodyState =
  /** On the network, under this hash. */
  | { readonly kind: 'sent'; readonly txHash: string }
  /** Will be paid; there is no hash yet. */
  | { readonly kind: 'accepted' }
  /** Was not paid and never will be: only the custodian's own well-formed word for it counts. */
  | { readonly kind: 'refused'; readonly reason: string }
  /** It may have been paid, or may yet be. Nothing follows from it but another look. */
  | { readonly kind: 'unknown' };

/** The custodian has not heard of the payout, which is no promise: a submission may still be on its way to it. */
export interface NeverSeen {
  readonly kind: 'never_seen';
}

/**
 * Whoever holds the coins and pays them out. Neither method ever rejects, and both end within `CUSTODY_DEADLINE_MS`:
 * time-outs, broken connections and unreadable answers are `unknown`.
 */
export interface Custody {
  readonly name: string;
  /**
   * Asks for the payout, or asks again: by contract the custodian pays one withdrawal's id once, however often it is
   * asked, and tells a later call what came of the first.
   */
  submit(payout: Payout): Promise<CustodyState>;
  /**
   * What became of the payout. A later answer may name another hash, when the custodian had to replace a transaction;
   * the port reports each as it is given and remembers none.
   */
  lookup(payout: Payout): Promise<CustodyState | NeverSeen>;
}
