import { randomUUID } from 'node:crypto';
import { parseAmount } from '../../../src/money/amounts.ts';
import type { Log } from '../log.ts';
import { coinDecimals } from '../networks.ts';
import { readFinalHeight, readHead } from '../store/chain-state.ts';
import { findFreeChange, listSpendable } from '../store/coins.ts';
import { findSpend, insertSpend, listOpenSpends, listVersions } from '../store/spends.ts';
import { type BitcoinPayerSettings, listGathered, nameChild } from './bitcoin-payer.ts';
import { estimateSize, feeFor, readFeeRate } from './fees.ts';

/** What is needed to decide on the house's own payments on a Bitcoin-like chain. */
export interface BitcoinHouse extends BitcoinPayerSettings {
  readonly log: Log;
  readonly now: () => number;
}

/** Coins are gathered when they are worth this many times the fee for it. */
const WORTH = 10n;

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
 * spend, fees are not above the usual, and together the coins are worth many times the fee.
 */
async function isGatheringDue(house: BitcoinHouse): Promise<boolean> {
  const { network, node, settings } = house;
  const coins = listGathered(house);
  if (coins.length < settings.gatherFrom) return false;
  const rate = await readFeeRate(node, settings.feeRate);
  if (rate > BigInt(settings.feeRate.usual)) return false;
  const sum = coins.reduce((total, { atoms }) => total + atoms, 0n);
  return sum >= WORTH * feeFor(rate, estimateSize(network, coins.length, [house.house.hot]));
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
