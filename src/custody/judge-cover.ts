import type { AssetCover, CustodyStanding } from '../db/custody-standing.ts';
import { type Atoms, floorAmount, formatAmount } from '../money/amounts.ts';
import { type Asset, assetSymbols, assets, scaleOf } from '../money/assets.ts';
import type { NetworkHoldings } from './custody.ts';

/** A network's report counts for so long. */
const REPORT_MAX_AGE_MS = 300_000;

/** A clock of the custodian may be ahead by so much. */
const CLOCK_MARGIN_MS = 60_000;

/** What custody should hold of each asset by the ledger, in atoms. */
export type Due = ReadonlyMap<Asset, Atoms>;

/**
 * Compares what the custodian says that it holds with what it should hold. An asset is judged only when each of its
 * networks was reported within five minutes; else it is `unknown`, never a shortfall. A network that is reported without
 * the asset holds none of it. `due` was read before the custodian was asked, `dueAfter` after it answered: what was
 * deposited or paid in between is in only one of them, so the smaller counts. Pure.
 */
export function judgeCover(
  holdings: readonly NetworkHoldings[],
  due: Due,
  dueAfter: Due,
  before: CustodyStanding['assets'],
  now_ms: number,
): Record<Asset, AssetCover> {
  const judged = assetSymbols.map((asset) => {
    const shortfalls = before[asset]?.shortfalls ?? 0;
    const held = sumHeld(asset, holdings, now_ms);
    if (held === undefined) return [asset, { held: null, cover: 'unknown', shortfalls }] as const;
    const [one = 0n, other = 0n] = [due.get(asset), dueAfter.get(asset)];
    const isCovered = held >= (one < other ? one : other);
    const shown = formatAmount(held, scaleOf(asset));
    return [
      asset,
      isCovered
        ? { held: shown, cover: 'covered', shortfalls: 0 }
        : { held: shown, cover: 'shortfall', shortfalls: shortfalls + 1 },
    ] as const;
  });
  return Object.fromEntries(judged) as Record<Asset, AssetCover>;
}

/** What all networks of an asset hold together; `undefined` when one of them was not reported, or too long ago. */
function sumHeld(asset: Asset, holdings: readonly NetworkHoldings[], now_ms: number): Atoms | undefined {
  let sum = 0n;
  for (const { network } of assets[asset].networks) {
    const report = holdings.find((one) => one.network === network);
    if (!report || now_ms - report.at_ms > REPORT_MAX_AGE_MS || report.at_ms - now_ms > CLOCK_MARGIN_MS) {
      return undefined;
    }
    const [, amount] = report.amounts.find(([name]) => name === asset) ?? [asset, '0'];
    if (amount === null) return undefined;
    sum += floorAmount(amount, scaleOf(asset));
  }
  return sum;
}
