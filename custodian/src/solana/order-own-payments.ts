import { randomUUID } from 'node:crypto';
import { parseAmount } from '../../../src/money/amounts.ts';
import type { Log } from '../log.ts';
import { type SolanaNetwork, listAssets } from '../networks.ts';
import { listUnswept } from '../store/deposits.ts';
import { type NewSpend, insertSpend, listOpenSpends } from '../store/spends.ts';
import { listSources, readTokenAccount } from '../store/token-balances.ts';
import { readNonce } from './accounts.ts';
import { nonceAccountOf, tokenAccountOf } from './solana-message.ts';
import { type SolanaPayerSettings, sumCommitted } from './solana-payer.ts';
import { mintOf } from './write-payment.ts';

/** What is needed to decide on the house's own payments on Solana. */
export interface SolanaHouse extends SolanaPayerSettings {
  readonly log: Log;
  readonly now: () => number;
}

/**
 * Orders the house's own payments: the nonce accounts that the pool lacks, sweeps of deposit addresses that have enough, and
 * the hot wallet's surplus to the cold address. An address has one open payment; the next is ordered when that has ended.
 */
export async function orderOwnSolanaPayments(house: SolanaHouse): Promise<void> {
  await orderNonces(house);
  const { database, network } = house;
  const open = listOpenSpends(database, network);
  const busy = new Set(open.flatMap(({ purpose, sourceIndex }) => (purpose === 'sweep' ? [sourceIndex] : [])));
  for (const { addressIndex, asset } of listUnswept(database, network)) {
    if (busy.has(addressIndex)) continue;
    const atoms = listSources(database, network, addressIndex, asset).reduce((sum, one) => sum + one.atoms, 0n);
    const smallest = parse(network, asset, house.settings.sweepFrom[asset] ?? '0');
    if (smallest === 0n || atoms < smallest) continue;
    busy.add(addressIndex);
    order(house, 'sweep', asset, house.house.hot, atoms, addressIndex);
  }
  for (const { asset } of listAssets(network)) {
    const bounds = house.settings.hotWallet[asset];
    if (!bounds || open.some((spend) => spend.purpose === 'cold' && spend.asset === asset)) continue;
    const balance = readTokenAccount(database, network, tokenAccountOf(house.house.hot, mintOf(asset))) ?? 0n;
    const held = balance - sumCommitted(database, network, asset);
    if (held <= parse(network, asset, bounds.max)) continue;
    order(house, 'cold', asset, house.house.cold, held - parse(network, asset, bounds.target), null);
  }
}

function parse(network: SolanaNetwork, asset: string, amount: string): bigint {
  return parseAmount(amount, listAssets(network).find((listed) => listed.asset === asset)?.decimals ?? 0) ?? 0n;
}

/** Each nonce account is made once, by a payment of its own. */
async function orderNonces(house: SolanaHouse): Promise<void> {
  const { node, network, database, settings, house: own } = house;
  const pool = Array.from({ length: settings.nonceAccounts }, (_, number) => nonceAccountOf(own.hot, number));
  if (pool.length === 0) return;
  const accounts = await node.accounts(pool);
  for (const [number, account] of pool.entries()) {
    if (readNonce(accounts[number] ?? null, own.hot) !== undefined) continue;
    const known = database.one('SELECT 1 FROM spends WHERE network = ? AND address = ?', network, account);
    if (!known) order(house, 'nonce', network, account, 0n, number);
  }
}

function order(
  { database, network, log, now }: SolanaHouse,
  purpose: 'sweep' | 'cold' | 'nonce',
  asset: string,
  address: string,
  atoms: bigint,
  sourceIndex: number | null,
): void {
  const contract = purpose === 'nonce' ? null : mintOf(asset);
  const spend: NewSpend = {
    id: `${purpose}:${randomUUID()}`,
    network,
    purpose,
    asset,
    contract,
    address,
    atoms,
    sourceIndex,
    order: null,
  };
  insertSpend(database, spend, 'QUEUED', null, now());
  log('own_spend_ordered', { id: spend.id, network, purpose, asset });
}
