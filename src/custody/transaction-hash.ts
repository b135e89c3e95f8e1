import { base58 } from '@scure/base';
import type { Network } from '../money/networks.ts';

const HEX_HASH = /^[0-9a-f]{64}$/;
const EVM_HASH = /^0x[0-9a-f]{64}$/;
/** A signature of 64 bytes in base58, where upper and lower case differ. */
const SOLANA_SYNTAX = /^[1-9A-HJ-NP-Za-km-z]{64,88}$/;
const SOLANA_SIGNATURE_BYTES = 64;

const hexNetworks: readonly Network[] = ['BTC', 'LTC', 'DOGE', 'TRC20'];

/**
 * A transaction's hash in the one form under which it is recorded, so that the same transaction reported in another
 * case is the same deposit; `undefined` when it is no hash of that network.
 */
export function readTransactionHash(network: Network, text: string): string | undefined {
  if (network === 'SOL') return isSolanaSignature(text) ? text : undefined;
  const hash = text.toLowerCase();
  const syntax = hexNetworks.includes(network) ? HEX_HASH : EVM_HASH;
  return syntax.test(hash) ? hash : undefined;
}

function isSolanaSignature(text: string): boolean {
  return SOLANA_SYNTAX.test(text) && base58.decode(text).length === SOLANA_SIGNATURE_BYTES;
}
