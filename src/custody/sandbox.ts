import { base58, hex } from '@scure/base';
import type { Network } from '../money/networks.ts';
import { digestInHex } from '../platform/digest.ts';
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
  const hash = await digestInHex(text);
  if (network === 'SOL') return base58.encode(hex.decode(hash + (await digestInHex(hash))));
  return readTransactionHash(network, hash) ?? `0x${hash}`;
}
