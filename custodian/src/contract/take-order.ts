import { parseAmount } from '../../../src/money/amounts.ts';
import { readAddress } from '../../../src/addresses/validate-address.ts';
import type { Log } from '../log.ts';
import { type ServedNetwork, findListing, isBitcoinLike, bitcoinRules } from '../networks.ts';
import { type PayoutAnswer, answerOf } from '../states/spend.ts';
import type { Database } from '../store/database.ts';
import { findSpend, insertSpend, nameTransaction, noteTold } from '../store/spends.ts';
import { mayBeForgotten } from '../store/restored.ts';
import { isSignedOrder, readOrder } from './payout-order.ts';

/** What orders are accepted with. */
export interface OrderBook {
  readonly database: Database;
  readonly served: ReadonlySet<string>;
  /** Bureau's Ed25519 public keys, in hex. */
  readonly bureauKeys: readonly string[];
  readonly log: Log;
  readonly now: () => number;
}

/** The answer to an order or a look-up. */
export interface ContractAnswer {
  readonly status: number;
  readonly body: PayoutAnswer | { readonly status: 'never_seen' } | { readonly error: string };
}

/** Bureau takes it as unknown: a database that was lost may have accepted this id. */
const forgotten: ContractAnswer = { status: 503, body: { error: 'older than the restored database' } };

const fault = (status: number, error: string): ContractAnswer => ({ status, body: { error } });

/**
 * Accepts an order and stores it before the answer is sent. The same id again gets the state of the first order. An
 * order that can never be paid is accepted as well, and refused later, when the signer has burnt its id: only then is
 * it certain that nothing will be paid. Throws when the database fails.
 */
export function takeOrder(book: OrderBook, withdrawalId: string, body: string, signature: string): ContractAnswer {
  const { database, log } = book;
  const order = readOrder(body);
  if (order?.withdrawalId !== withdrawalId) return fault(400, 'not a payout');
  if (!isSignedOrder(body, signature, book.bureauKeys)) return fault(401, 'wrong payout signature');
  const earlier = findSpend(database, withdrawalId);
  if (earlier) {
    if (earlier.order?.body === body) return lookUp(book, withdrawalId);
    log('order_conflicts', { id: withdrawalId });
    return fault(400, 'another payout has this id');
  }
  if (mayBeForgotten(database, withdrawalId)) return forgotten;
  const network = order.network as ServedNetwork;
  const listing = book.served.has(network) ? findListing(network, order.asset) : undefined;
  const isListed = listing !== undefined && listing.contractAddress === order.contractAddress;
  const atoms = isListed ? parseAmount(order.amount, listing.decimals) : undefined;
  const address = book.served.has(network) ? readAddress(network, order.address) : undefined;
  const reason = findReason(network, isListed, atoms, address);
  const spend = {
    id: withdrawalId,
    network,
    purpose: 'payout',
    asset: order.asset,
    contract: order.contractAddress,
    address: address ?? order.address,
    atoms: atoms ?? 0n,
    sourceIndex: null,
    order: { body, signature },
  } as const;
  insertSpend(database, spend, reason === null ? 'QUEUED' : 'REFUSING', reason, book.now());
  log('order_accepted', { id: withdrawalId, network, asset: order.asset, amount: order.amount });
  return lookUp(book, withdrawalId);
}

/** Why an order can never be paid, in words for the account holder; `null` when it can. */
function findReason(
  network: ServedNetwork,
  isListed: boolean,
  atoms: bigint | undefined,
  address: string | undefined,
): string | null {
  if (!isListed) return 'this custodian does not pay this asset on this network';
  if (address === undefined) return 'the address is not valid on this network';
  if (atoms === undefined || atoms === 0n) return 'the amount cannot be paid on this network';
  const isDust = isBitcoinLike(network) && atoms < bitcoinRules[network].dust;
  return isDust ? 'the amount is below what this network relays' : null;
}

/** Answers with the state of a payout, and notes what it said: docs/custody.md, "Look up". */
export function lookUp({ database }: OrderBook, withdrawalId: string): ContractAnswer {
  const spend = findSpend(database, withdrawalId);
  if (spend?.purpose !== 'payout') {
    return mayBeForgotten(database, withdrawalId) ? forgotten : { status: 404, body: { status: 'never_seen' } };
  }
  noteTold(database, withdrawalId);
  return { status: 200, body: answerOf(spend.state, nameTransaction(database, spend), spend.reason, spend.proof) };
}
