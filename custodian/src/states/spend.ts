/**
 * A spend is one payment that we make: a payout, or the house's own sweep, gas or surplus. It may have several
 * versions, which are signed transactions with different fees. All versions that can still be in a block have the same
 * fence, which only one transaction can use: on the EVM a nonce, on Bitcoin-like chains an input. On Tron it is the
 * transaction itself, so there is one version at a time, and another only when that one can never pay any more.
 */
export type SpendState =
  /** Accepted. A fence may be reserved; nothing was sent. */
  | 'QUEUED'
  /** As QUEUED, but waiting for a reason: too little money, a limit, a refusal. It is tried again at every look. */
  | 'HELD'
  /** At least one version is stored, and is sent again until a block has one. */
  | 'SIGNED'
  /** A version is in a block that may still be reorganised away. */
  | 'INCLUDED'
  /** A version is final: paid. */
  | 'FINAL_PAID'
  /** A version is final and was reverted: certainly not paid. Becomes REFUSED when the signer has burnt the id. */
  | 'FINAL_REVERTED'
  /**
   * A final transaction used the fence in another way than was ordered: it is none of our versions, or the logs do not show
   * the token's transfer. A person must look.
   */
  | 'DISPLACED'
  /** Will be refused; nothing was signed. Becomes REFUSED when the signer has burnt the id. */
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

/** How a fence was used in a block. */
export interface FenceSpent {
  readonly byVersion: boolean;
  /** Whether it certainly paid nobody. */
  readonly isReverted: boolean;
  /** Whether it was reverted only because its own limit was too low, so that another with a higher limit may pay. */
  readonly isStarved: boolean;
  /** Whether it did exactly what was ordered, if it was not reverted. */
  readonly isAsOrdered: boolean;
  readonly isFinal: boolean;
}

/**
 * The next state of a spend. It depends only on how the fence was used in a block (`undefined`: not at all), and whether
 * it can never be used any more (`isDead`). QUEUED after SIGNED means another version, with another fence.
 */
export function nextSpendState(state: SpendState, spent: FenceSpent | undefined, isDead: boolean): SpendState {
  if (state !== 'SIGNED' && state !== 'INCLUDED') return state;
  if (!spent) return isDead ? 'QUEUED' : 'SIGNED';
  if (!spent.byVersion) return spent.isFinal ? 'DISPLACED' : 'SIGNED';
  if (!spent.isFinal) return 'INCLUDED';
  if (spent.isStarved) return 'QUEUED';
  if (spent.isReverted) return 'FINAL_REVERTED';
  return spent.isAsOrdered ? 'FINAL_PAID' : 'DISPLACED';
}

/** What the signer signed about a burnt id: docs/custody.md, "A refusal with proof". */
export interface BurnProof {
  /** Whether it had signed a payment for the id before. */
  readonly signed: boolean;
  /** Ed25519, in hex. */
  readonly signature: string;
}

/** The answer to Bureau about a payout: docs/custody.md. A hash is final only with `sent`. */
export type PayoutAnswer =
  | { readonly status: 'sent'; readonly txHash: string }
  | { readonly status: 'accepted'; readonly txHash?: string }
  | { readonly status: 'held'; readonly reason: string }
  | { readonly status: 'refused'; readonly reason: string; readonly proof?: BurnProof };

/** The answer for a state. `txHash` is that of the version in a block, else of the newest; `null` before the first. */
export function answerOf(
  state: SpendState,
  txHash: string | null,
  reason: string | null,
  proof: BurnProof | null = null,
): PayoutAnswer {
  switch (state) {
    case 'FINAL_PAID':
      if (txHash === null) throw new Error('a payout is paid without a transaction');
      return { status: 'sent', txHash };
    case 'REFUSED':
      return { status: 'refused', reason: reason ?? 'refused by the custodian', ...(proof && { proof }) };
    case 'HELD':
      return { status: 'held', reason: reason ?? 'held by the custodian' };
    case 'QUEUED':
    case 'REFUSING':
      return { status: 'accepted' };
    case 'SIGNED':
    case 'INCLUDED':
    case 'FINAL_REVERTED':
    case 'DISPLACED':
      return txHash === null ? { status: 'accepted' } : { status: 'accepted', txHash };
  }
}
