/**
 * A spend is one payment of ours: a payout, or the house's own sweep, gas or surplus. Its versions are transactions that
 * exclude each other on the chain by its fence: the nonce on the EVM, one shared input on Bitcoin-like chains.
 */
export type SpendState =
  /** Accepted. A fence may be reserved; nothing was broadcast. */
  | 'QUEUED'
  /** As QUEUED, but something stands in the way: money, a limit, a node's word. Tried again at every block. */
  | 'HELD'
  /** At least one version is stored, and is broadcast until the chain has one. */
  | 'SIGNED'
  /** A version is in a block that may still be reorganised away. */
  | 'INCLUDED'
  /** A version is final: paid. */
  | 'FINAL_PAID'
  /** A version is final and reverted: certainly not paid. Becomes REFUSED when the signer has burnt the id. */
  | 'FINAL_REVERTED'
  /** The fence is final in a transaction that is none of our versions. A person must look. */
  | 'DISPLACED'
  /** Will be refused, nothing was ever signed. Becomes REFUSED when the signer has burnt the id. */
  | 'REFUSING'
  /** Not paid, and never will be. */
  | 'REFUSED';

export const spendStates = [
  'QUEUED',
  'HELD',
  'SIGNED',
  'INCLUDED',
  'FINAL_PAID',
  'FINAL_REVERTED',
  'DISPLACED',
  'REFUSING',
  'REFUSED',
] as const satisfies readonly SpendState[];

/** What the chain says of a fence. `undefined` where no block has spent it. */
export interface FenceSpent {
  readonly byVersion: boolean;
  readonly isReverted: boolean;
  readonly isFinal: boolean;
}

/** Where a spend stands by what the chain says of its fence, and by nothing else: no clock, no count of attempts. */
export function standSpend(state: SpendState, spent: FenceSpent | undefined): SpendState {
  if (state !== 'SIGNED' && state !== 'INCLUDED') return state;
  if (!spent) return 'SIGNED';
  if (!spent.byVersion) return spent.isFinal ? 'DISPLACED' : 'SIGNED';
  if (!spent.isFinal) return 'INCLUDED';
  return spent.isReverted ? 'FINAL_REVERTED' : 'FINAL_PAID';
}

/** What Bureau is told of a payout: docs/custody.md. A hash is final only with `sent`. */
export type PayoutAnswer =
  | { readonly status: 'sent'; readonly txHash: string }
  | { readonly status: 'accepted'; readonly txHash?: string }
  | { readonly status: 'refused'; readonly reason: string };

/** The answer for a state. `txHash` is that of the version in a block, else of the newest; `null` before the first. */
export function answerOf(state: SpendState, txHash: string | null, reason: string | null): PayoutAnswer {
  switch (state) {
    case 'FINAL_PAID':
      if (txHash === null) throw new Error('a payout is paid without a transaction');
      return { status: 'sent', txHash };
    case 'REFUSED':
      return { status: 'refused', reason: reason ?? 'refused by the custodian' };
    case 'QUEUED':
    case 'HELD':
    case 'REFUSING':
      return { status: 'accepted' };
    case 'SIGNED':
    case 'INCLUDED':
    case 'FINAL_REVERTED':
    case 'DISPLACED':
      return txHash === null ? { status: 'accepted' } : { status: 'accepted', txHash };
  }
}
