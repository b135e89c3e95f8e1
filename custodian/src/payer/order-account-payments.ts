import { randomUUID } from 'node:crypto';
import { parseAmount } from '../../../src/money/amounts.ts';
import type { HouseSettings } from '../config.ts';
import { type Log, describeError } from '../log.ts';
import { type AccountNetwork, type Listing, coinDecimals, listAssets } from '../networks.ts';
import { NodeRefusal } from '../nodes/json-rpc.ts';
import type { HouseAddresses } from '../signer/requests.ts';
import type { Database } from '../store/database.ts';
import { listUnswept } from '../store/deposits.ts';
import { type NewSpend, insertSpend, listOpenSpends } from '../store/spends.ts';

/** What the accounts of a network have, and what moving it costs. `contract` is `null` for the network's own coin. */
export interface Accounts {
  balance(contract: string | null, owner: string): Promise<bigint>;
  /** What a sweep to the hot wallet would cost now, with a margin. Rejects with `NodeRefusal` when it would revert. */
  sweepCost(contract: string | null, from: string, atoms: bigint): Promise<bigint>;
  /** What the open payments of the hot wallet will still take. */
  committed(contract: string | null): bigint;
}

/** What is needed to decide on the house's own payments on a network of accounts. */
export interface AccountHouse extends HouseSettings {
  readonly network: AccountNetwork;
  readonly accounts: Accounts;
  readonly database: Database;
  readonly house: HouseAddresses;
  readonly depositAddress: (index: number) => string;
  readonly log: Log;
  readonly now: () => number;
  /** The payments that the node refused at the last look, so that each is logged once. */
  readonly refused: Set<string>;
}

/** A deposit address gets one and a half times the gas it needs now, in case fees rise before its sweep is signed. */
const GAS_NUMERATOR = 3n;
const GAS_DENOMINATOR = 2n;

/** A sweep of the network's coin must be worth this many times its cost. */
const WORTH = 10n;

/**
 * Orders the house's own payments: sweeps of deposit addresses that have enough, gas for sweeps of tokens, and the hot
 * wallet's surplus to the cold address. An address has one open payment; the next is ordered when that has ended.
 */
export async function orderAccountPayments(house: AccountHouse): Promise<void> {
  const open = listOpenSpends(house.database, house.network);
  const busy = new Set(open.flatMap(({ sourceIndex }) => (sourceIndex === null ? [] : [sourceIndex])));
  for (const { addressIndex, asset, atoms } of listUnswept(house.database, house.network)) {
    const listing = listAssets(house.network).find((listed) => listed.asset === asset);
    // The node is not asked about addresses that have only dust, of which anybody can make many.
    if (busy.has(addressIndex) || !listing || atoms < sweepFromOf(house, listing)) continue;
    const spend = await tryPlan(house, `sweep:${addressIndex}:${asset}`, () => planSweep(house, listing, addressIndex));
    if (!spend) continue;
    busy.add(addressIndex);
    order(house, spend);
  }
  for (const listing of listAssets(house.network)) {
    if (open.some(({ purpose, asset }) => purpose === 'cold' && asset === listing.asset)) continue;
    const spend = await tryPlan(house, `cold:${listing.asset}`, () => planSurplus(house, listing));
    if (spend) order(house, spend);
  }
}

/**
 * Plans one of the house's payments. If the node refuses it, for example because the token's contract would revert the
 * transfer, that is logged once and tried again at the next look. Other payments go on.
 */
async function tryPlan(
  { network, log, refused }: AccountHouse,
  name: string,
  plan: () => Promise<NewSpend | undefined>,
): Promise<NewSpend | undefined> {
  try {
    const spend = await plan();
    refused.delete(name);
    return spend;
  } catch (error) {
    if (!(error instanceof NodeRefusal)) throw error;
    if (!refused.has(name)) log('own_spend_refused', { network, name, error: describeError(error) });
    refused.add(name);
    return undefined;
  }
}

function order({ database, log, now, network }: AccountHouse, spend: NewSpend): void {
  insertSpend(database, spend, 'QUEUED', null, now());
  log('own_spend_ordered', { id: spend.id, network, purpose: spend.purpose, asset: spend.asset });
}

/** From how many atoms on a deposit address is swept; 0 when the asset is not swept. */
function sweepFromOf({ sweepFrom }: AccountHouse, { asset, decimals }: Listing): bigint {
  return parseAmount(sweepFrom[asset] ?? '0', decimals) ?? 0n;
}

/** Plans the sweep of an address, or first the gas for it; `undefined` when the address has too little. */
async function planSweep(house: AccountHouse, listing: Listing, sourceIndex: number): Promise<NewSpend | undefined> {
  const { accounts, network, sweepMaxFee } = house;
  const from = house.depositAddress(sourceIndex);
  const smallest = sweepFromOf(house, listing);
  const { asset, contractAddress: contract } = listing;
  const atoms = await accounts.balance(contract, from);
  if (smallest === 0n || atoms < smallest) return undefined;
  const needed = await accounts.sweepCost(contract, from, atoms);
  const sweep = own(network, 'sweep', { asset, contract, address: house.house.hot, atoms, sourceIndex });
  if (contract === null) return atoms < WORTH * needed ? undefined : sweep;
  if (sweepMaxFee !== null && needed > (parseAmount(sweepMaxFee, coinDecimals(network)) ?? 0n)) return undefined;
  const balance = await accounts.balance(null, from);
  if (balance >= needed) return sweep;
  const missing = (needed * GAS_NUMERATOR) / GAS_DENOMINATOR - balance;
  return own(network, 'gas', { asset: network, contract: null, address: from, atoms: missing, sourceIndex });
}

/** Plans the surplus: if the hot wallet has more than `max`, everything above `target`. */
async function planSurplus(house: AccountHouse, listing: Listing): Promise<NewSpend | undefined> {
  const { accounts, network, hotWallet } = house;
  const bounds = hotWallet[listing.asset];
  if (!bounds) return undefined;
  const { asset, contractAddress: contract } = listing;
  const read = (text: string) => parseAmount(text, contract === null ? coinDecimals(network) : listing.decimals) ?? 0n;
  const held = (await accounts.balance(contract, house.house.hot)) - accounts.committed(contract);
  if (held <= read(bounds.max)) return undefined;
  const atoms = held - read(bounds.target);
  return own(network, 'cold', { asset, contract, address: house.house.cold, atoms, sourceIndex: null });
}

function own(
  network: AccountNetwork,
  purpose: 'sweep' | 'gas' | 'cold',
  payment: Pick<NewSpend, 'asset' | 'contract' | 'address' | 'atoms' | 'sourceIndex'>,
): NewSpend {
  return { id: `${purpose}:${randomUUID()}`, network, purpose, order: null, ...payment };
}
