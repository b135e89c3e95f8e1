import { base58 } from '@scure/base';
import type { Network } from '../money/networks.ts';
import { readTransactionHash } from './transaction-hash.ts';
import type { Custody, CustodyState, Payout } from './custody.ts';

/**
 * A custodian that pays everything at once, to nobody. It remembers nothing: a withdrawal's hash follows from its id,
 * so a look-up gives the same answer as the submission, even for a payout that was never submitted. It does not say
 * what it holds.
 */
export const sandboxCustody: Custody = {
  name: 'sandbox',
  submit: tellSent,
  lookup: tellSent,
  holdings: () => Promise.resolve([]),
};

async function tellSent({ withdrawalId, network }: Payout): Promise<CustodyState> {
  return { kind: 'sent', txHash: await deriveTransactionHash(`bureau sandbox payout ${withdrawalId}`, network) };
}

/**
 * The hash of a transaction that there is not: SHA-256 of a text, as the network writes its hashes. Solana's are
 * signatures, twice as long.
 */
export async function deriveTransactionHash(text: string, network: Network): Promise<string> {
  const hash = await hashText(text);
  if (network === 'SOL') return base58.encode(Uint8Array.of(...hash, ...(await hashText(hash.toHex()))));
  return readTransactionHash(network, hash.toHex()) ?? `0x${hash.toHex()}`;
}

async function hashText(text: string): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)));
}
