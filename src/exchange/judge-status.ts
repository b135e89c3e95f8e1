import type { Halts } from '../db/settings.ts';
import { firmPrice } from '../markets/firm-price.ts';
import type { MarketSnapshot } from '../markets/snapshot.ts';
import { coinSymbols } from '../money/assets.ts';
import type { Status } from './schemas.ts';

/** From best to worst. */
const healths = ['OK', 'DEGRADED', 'HALTED'] as const satisfies readonly Status['status'][];

/** What is known about the custodian: when its oldest payout was released, in milliseconds, and whether it is silent. */
export interface PayoutHealth {
  readonly isSilent: boolean;
  readonly oldestPayoutAt: number | null;
  /** From this age on a payout is late. */
  readonly lateAfter_ms: number;
}

/**
 * The status of the exchange. What is halted in any ledger counts as halted. Withdrawals are degraded while the
 * custodian is silent or a payout is late. Without settings (a ledger could not be read) no halt is known, but nothing
 * can be traded or withdrawn, so it is degraded. Prices are good when the venues agreed on every market within the last
 * seconds; when they agreed on none, no order could fill, so trading is degraded as well.
 */
export function judgeStatus(
  settings: Halts | undefined,
  snapshot: MarketSnapshot | undefined,
  payouts: PayoutHealth | undefined,
  now_ms: number,
): Status {
  const priced = coinSymbols.filter((coin) => snapshot && firmPrice(snapshot, coin, now_ms) !== undefined);
  const trading = judgePart(settings?.tradingHalted);
  const parts = {
    trading: trading === 'OK' && priced.length === 0 ? 'DEGRADED' : trading,
    withdrawals: judgeWithdrawals(settings?.withdrawalsHalted, payouts, now_ms),
    prices: priced.length === coinSymbols.length ? 'OK' : 'DEGRADED',
  } as const;
  const worst = healths.findLast((health) => Object.values<string>(parts).includes(health)) ?? 'OK';
  return { status: worst, ...parts };
}

function judgeWithdrawals(
  isHalted: boolean | undefined,
  payouts: PayoutHealth | undefined,
  now_ms: number,
): Status['withdrawals'] {
  const judged = judgePart(isHalted);
  if (judged !== 'OK') return judged;
  if (!payouts || payouts.isSilent) return 'DEGRADED';
  const { oldestPayoutAt, lateAfter_ms } = payouts;
  return oldestPayoutAt !== null && now_ms - oldestPayoutAt > lateAfter_ms ? 'DEGRADED' : 'OK';
}

function judgePart(isHalted: boolean | undefined): Status['trading'] {
  if (isHalted === undefined) return 'DEGRADED';
  return isHalted ? 'HALTED' : 'OK';
}
