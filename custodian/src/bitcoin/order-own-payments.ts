import { randomUUID } from 'node:crypto';
import { parseAmount } from '../../../src/money/amounts.ts';
import type { Log } from '../log.ts';
import { coinDecimals } from '../networks.ts';
import { readFinalHeight, readHead } from '../store/chain-state.ts';
import { findFreeChange, listSpendable } from '../store/coins.ts';
import { findSpend, insertSpend, listOpenSpends, listVersions } from '../store/spends.ts';
import { type BitcoinPayerSettings, listGathered, nameChild } from './bitcoin-payer.ts';
import { readFeeRate } from './fees.ts';

/** What is needed to decide on the house's own payments on a Bitcoin-like chain. */
export interface BitcoinHouse extends BitcoinPayerSettings {
  readonly log: Log;
  readonly now: () => number;
}

/**
 * Orders the house's own payments: children that raise the fee of a stuck transaction, on chains without replacement,
 * a gathering of small coins while fees are low, and the surplus to the cold address.
 */
export async function orderOwnBitcoinPayments(house: BitcoinHouse): Promise<void> {
  const { database, network, rules, settings } = house;
  const height = readHead(database, network)?.height ?? 0;
  const open = listOpenSpends(database, network);
  for (const spend of open) {
    const newest = listVersions(database, spend.id).at(-1);
    const isStuck = spend.state === 'SIGNED' && newest && height - newest.madeAtHeight >= settings.bumpAfterBlocks;
    if (!isStuck || rules.hasReplacement) continue;
    const id = nameChild(newest.txHash);
    if (findSpend(database, id) || !findFreeChange(database, network, newest.txHash)) continue;
    order(house, id, 'child', house.house.hot, 0n);
  }
  if (!open.some(({ purpose }) => purpose === 'sweep') && (await isGatheringDue(house))) {
    order(house, `sweep:${randomUUID()}`, 'sweep', house.house.hot, 0n);
  }
  if (open.some(({ purpose }) => purpose === 'cold')) return;
  const bounds = settings.hotWallet[network];
  if (!bounds) return;
  const read = (text: string) => parseAmount(text, coinDecimals(network)) ?? 0n;
  const coins = listSpendable(database, network, height, readFinalHeight(database, network));
  const held = coins.reduce((sum, { atoms }) => sum + atoms, 0n);
  if (held <= read(bounds.max)) return;
  order(house, `cold:${randomUUID()}`, 'cold', house.house.cold, held - read(bounds.target));
}

/**
 * Whether small coins should be joined now: there are so many that payments could need more than a transaction can
 * spend, each worth many times its fee, and fees are not above the usual.
 */
async function isGatheringDue(house: BitcoinHouse): Promise<boolean> {
  const { node, settings } = house;
  const rate = await readFeeRate(node, settings.feeRate);
  const coins = listGathered(house, rate);
  return coins.length >= settings.gatherFrom && rate <= BigInt(settings.feeRate.usual);
}

function order(
  { database, network, log, now }: BitcoinHouse,
  id: string,
  purpose: 'child' | 'cold' | 'sweep',
  address: string,
  atoms: bigint,
): void {
  const payment = { asset: network, contract: null, address, atoms, sourceIndex: null, order: null };
  insertSpend(database, { id, network, purpose, ...payment }, 'QUEUED', null, now());
  log('own_spend_ordered', { id, network, purpose });
}
