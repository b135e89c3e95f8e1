import type { AccountNetwork, EvmNetwork } from '../networks.ts';
import { accountOf } from '../account-address.ts';
import { EvmTransaction } from '../signer/requests.ts';
import type { Database } from '../store/database.ts';
import { type Spend, listOpenSpends, listVersions } from '../store/spends.ts';

/** What the open payments of one address will still take from it. */
export interface Commitments {
  /** The network's coin, including all gas. */
  readonly coins: bigint;
  /** Atoms of the given token. */
  readonly tokens: bigint;
  /** Whether a nonce is reserved without a stored transaction. A transaction with a later nonce would wait for it. */
  readonly hasUnsigned: boolean;
}

/** Reads the plan of an EVM payment. */
export function readPlan(text: string): EvmTransaction {
  return EvmTransaction.parse(JSON.parse(text));
}

/** The fence of a nonce. The address is in lower case, so that an address has only one form. */
export function nameNonce(address: string, nonce: bigint): string {
  return `${address.toLowerCase()}:${nonce}`;
}

/** What an EVM payment takes of the network's coin, with all its gas. */
export function costOf(text: string): bigint {
  const { value, gasLimit, maxFeePerGas } = readPlan(text);
  return BigInt(value) + BigInt(gasLimit) * BigInt(maxFeePerGas);
}

/**
 * Sums what the open spends of an address will still take; `cost` says what a plan takes of the network's coin. A spend counts
 * as soon as its fence is reserved.
 */
export function sumCommitted(
  database: Database,
  network: AccountNetwork,
  address: string,
  contract: string | null,
  cost: (plan: string) => bigint,
): Commitments {
  let [coins, tokens, hasUnsigned] = [0n, 0n, false];
  for (const spend of listReserved(database, network, address)) {
    const version = listVersions(database, spend.id).at(-1);
    const text = version?.plan ?? spend.plan;
    if (text === null) throw new Error('a reserved fence has a plan');
    coins += cost(text);
    if (spend.contract !== null && spend.contract === contract) tokens += spend.atoms;
    hasUnsigned ||= version === undefined;
  }
  return { coins, tokens, hasUnsigned };
}

/** Spends with a fence of this address that are in no block. */
function listReserved(database: Database, network: AccountNetwork, address: string): Spend[] {
  const prefix = `${accountOf(network, address)}:`;
  return listOpenSpends(database, network).filter(
    ({ fence, state }) => fence?.startsWith(prefix) && ['QUEUED', 'HELD', 'SIGNED'].includes(state),
  );
}

/**
 * The lowest nonce that neither the chain nor one of our spends has used. So a released nonce is the next to be used,
 * and no signed transaction waits for it.
 */
export function nextNonce(database: Database, network: EvmNetwork, address: string, counted: bigint): bigint {
  const isTaken = (nonce: bigint) =>
    database.one('SELECT 1 FROM spends WHERE network = ? AND fence = ?', network, nameNonce(address, nonce));
  let nonce = counted;
  while (isTaken(nonce)) nonce += 1n;
  return nonce;
}
