import { verifySignature } from '../platform/verify-signature.ts';

/** What the custodian's signer says about a payout that was refused: docs/custody.md, "A refusal with proof". */
export interface RefusalProof {
  /** Whether it had signed a payment for this id before. */
  readonly signed: boolean;
  /** Ed25519, in hex. */
  readonly signature: string;
}

/**
 * Whether the signer has signed that nothing was and nothing will be signed for this withdrawal. Only then is it certain
 * that nobody is paid, whatever the process says that answered. `publicKey` is the signer's, in hex.
 */
export async function isProvenUnpaid(
  withdrawalId: string,
  proof: RefusalProof | undefined,
  publicKey: string,
): Promise<boolean> {
  if (!proof || proof.signed) return false;
  return verifySignature(publicKey, proof.signature, `bureau-burnt-v1.${withdrawalId}.false`);
}
