import type { Settings } from '../ledger/settings.ts';
import { firmPrice } from '../markets/firm-price.ts';
import type { MarketSnapshot } from '../markets/snapshot.ts';
import { coinSymbols } from '../money/assets.ts';
import type { Status } from './schemas.ts';

/** From best to worst. */
const healths = ['OK', 'DEGRADED', 'HALTED'] as const satisfies readonly Status['status'][];

/**
 * The status of the exchange. Without settings (the ledger could not be read) no halt is known, but nothing can be
 * traded or withdrawn, so it is degraded. Prices are good when the venues agreed on every market within the last
 * seconds.
 */
export function judgeStatus(
  settings: Settings | undefined,
  snapshot: MarketSnapshot | undefined,
  now_ms: number,
): Status {
  const isPriced = snapshot && coinSymbols.every((coin) => firmPrice(snapshot, coin, now_ms) !== undefined);
  const parts = {
    trading: judgePart(settings?.tradingHalted),
    withdrawals: judgePart(settings?.withdrawalsHalted),
    prices: isPriced ? 'OK' : 'DEGRADED',
  } as const;
  const worst = healths.findLast((health) => Object.values<string>(parts).includes(health)) ?? 'OK';
  return { status: worst, ...parts };
}

function judgePart(isHalted: boolean | undefined): Status['trading'] {
  if (isHalted === undefined) return 'DEGRADED';
  return isHalted ? 'HALTED' : 'OK';
}
