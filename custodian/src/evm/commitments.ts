import type { EvmNetwork } from '../networks.ts';
import { EvmTransaction } from '../signer/requests.ts';
import type { Database } from '../store/database.ts';
import { type Spend, listOpenSpends, listVersions } from '../store/spends.ts';

/** What one address has promised, as the newest block does not show it yet. */
export interface Commitments {
  /** Coins, with the gas of every transaction. */
  readonly coins: bigint;
  /** Units of the asked token. */
  readonly tokens: bigint;
  /** Whether a nonce is reserved that nothing is stored under: a later one would wait for it. */
  readonly hasUnsigned: boolean;
}

/** Reads the plan of an EVM payment. */
export function readPlan(text: string): EvmTransaction {
  return EvmTransaction.parse(JSON.parse(text));
}

/** The fence of a nonce. The address is in lower case, so that one address has one text. */
export function nameNonce(address: string, nonce: bigint): string {
  return `${address.toLowerCase()}:${nonce}`;
}

/** Sums up what the open spends of an address will still take: from the moment in which their nonce is reserved. */
export function sumCommitted(
  database: Database,
  network: EvmNetwork,
  address: string,
  contract: string | null,
): Commitments {
  let [coins, tokens, hasUnsigned] = [0n, 0n, false];
  for (const spend of listReserved(database, network, address)) {
    const version = listVersions(database, spend.id).at(-1);
    const text = version?.plan ?? spend.plan;
    if (text === null) throw new Error('a reserved fence has a plan');
    const { value, gasLimit, maxFeePerGas } = readPlan(text);
    coins += BigInt(value) + BigInt(gasLimit) * BigInt(maxFeePerGas);
    if (spend.contract !== null && spend.contract === contract) tokens += spend.atoms;
    hasUnsigned ||= version === undefined;
  }
  return { coins, tokens, hasUnsigned };
}

/** Spends with a nonce of this address that no block has. */
function listReserved(database: Database, network: EvmNetwork, address: string): Spend[] {
  const prefix = `${address.toLowerCase()}:`;
  return listOpenSpends(database, network).filter(
    ({ fence, state }) => fence?.startsWith(prefix) && ['QUEUED', 'HELD', 'SIGNED'].includes(state),
  );
}

/**
 * The lowest nonce that neither the chain nor a spend of ours has, so that a nonce which was given back is the next to be
 * used, and none that is signed waits for it.
 */
export function nextNonce(database: Database, network: EvmNetwork, address: string, counted: bigint): bigint {
  const isTaken = (nonce: bigint) =>
    database.one('SELECT 1 FROM spends WHERE network = ? AND fence = ?', network, nameNonce(address, nonce));
  let nonce = counted;
  while (isTaken(nonce)) nonce += 1n;
  return nonce;
}
