import type { Deal, VenueReport } from './contract.ts';

/** What is known of a deal. Nothing follows from silence: it is `unresolved`, and stays so until the dealer says more. */
export type DealState =
  | {
      readonly kind: 'dealt';
      /** Decimals of the venue, which may have more of them than the ledger. */
      readonly amount: string;
      readonly cost: string;
      readonly fee: { readonly asset: string; readonly amount: string } | null;
      readonly reference: string;
    }
  /** It did not happen and never will. */
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'unresolved'; readonly reason: string };

/** The dealer of docs/dealing.md, which trades at venues for the house. */
export interface Dealer {
  /** Submits a deal, or the same once more, which sends nothing again and gets its present state. Never rejects. */
  submit(deal: Deal): Promise<DealState>;
  /** What a venue account holds, and its rules; `undefined` without an answer. Never rejects. */
  report(venue: string): Promise<VenueReport | undefined>;
}
