import { type Asset, QUOTE_ASSET, assetSymbols, scaleOf } from '../money/assets.ts';
import { type Atoms, floorAmount, formatAmount } from '../money/amounts.ts';
import type { VenueReport } from './contract.ts';

/** What all ledgers have at a venue, by asset, in atoms. */
export interface VenueBook {
  readonly amounts: ReadonlyMap<string, Atoms>;
  /** Hedges there in all; each amount of one is rounded by less than an atom. */
  readonly hedges: number;
  /** The coins of open hedges: the venue may have dealt them or not. */
  readonly openCoins: readonly string[];
}

/** An asset of which a venue has something else than the ledgers say. */
export interface VenueDifference {
  readonly asset: Asset;
  readonly holds: string;
  readonly shouldHold: string;
}

/**
 * Compares what a venue holds with what the ledgers say. While a deal is open its coin and USDT say nothing. The venue may
 * count finer than the ledger, which rounds against the house, two amounts and a fee for each hedge. Pure.
 */
export function judgeVenue(report: VenueReport, book: VenueBook): VenueDifference[] {
  const open = new Set([...report.unresolved.map(({ coin }) => coin), ...book.openCoins]);
  if (open.size > 0) open.add(QUOTE_ASSET);
  const tolerance = BigInt(3 * book.hedges);
  return assetSymbols.flatMap((asset) => {
    const text = report.balances.find((one) => one.asset === asset)?.amount ?? '0';
    const [holds, should] = [floorAmount(text, scaleOf(asset)), book.amounts.get(asset) ?? 0n];
    const isRight = holds >= should && holds - should <= tolerance;
    if (isRight || open.has(asset)) return [];
    return [{ asset, holds: text, shouldHold: formatAmount(should, scaleOf(asset)) }];
  });
}
