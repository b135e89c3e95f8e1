import { eq } from 'drizzle-orm';
import { type Account, accountColumns, showAccount } from '../accounts/account.ts';
import { readAllowedRecovery } from '../accounts/allow-recovery.ts';
import { readTotp } from '../accounts/totp.ts';
import { readSettings } from '../db/settings.ts';
import { accounts } from '../db/schema.ts';
import { formatAmount } from '../money/amounts.ts';
import { QUOTE_ASSET, scaleOf } from '../money/assets.ts';
import { readDailyUse } from '../withdrawals/read-facts.ts';
import type { Session, SessionLevel } from './session.ts';

/** A holder's account as the console shows it. Times in milliseconds, amounts as decimals of USDT. */
export interface OwnAccount {
  readonly account: Account;
  readonly level: SessionLevel;
  readonly sessionExpiresAt_ms: number | null;
  /** Until when a recovery holds the account; `null` when none does. */
  readonly heldUntil_ms: number | null;
  /** Until when it may be recovered without a code, as two of the exchange's people have agreed; else `null`. */
  readonly recoveryAllowedUntil_ms: number | null;
  readonly totp: { readonly enabled: boolean; readonly lockedUntil_ms: number | null };
  readonly dailyWithdrawals: { readonly limit: string; readonly used: string; readonly remaining: string };
  /** Whether withdrawals need an approved address, and how long one waits until it can be used. */
  readonly allowlist: { readonly mode: 'off' | 'strict'; readonly cooling_hours: number };
}

const show = (atoms: bigint) => formatAmount(atoms, scaleOf(QUOTE_ASSET));

const later = (time_ms: number, now_ms: number) => (time_ms > now_ms ? time_ms : null);

/** Reads what the console shows of an account beside its balances. Throws when D1 fails. */
export async function describeOwnAccount(
  { accountId, database, record, level, actor }: Session,
  configured: { readonly mode: 'off' | 'strict'; readonly cooling_hours: number },
): Promise<OwnAccount> {
  const { now_ms } = actor;
  const [rows, totp, daily, settings, recoveryAllowedUntil_ms] = await Promise.all([
    database
      .select({ ...accountColumns, heldUntil: accounts.heldUntil })
      .from(accounts)
      .where(eq(accounts.id, accountId)),
    readTotp(database, accountId),
    readDailyUse(database, accountId, now_ms),
    readSettings(database),
    readAllowedRecovery(database, accountId, now_ms),
  ]);
  const [row] = rows;
  if (!row) throw new Error('the account of a session is missing');
  const { limit, used } = daily;
  return {
    account: showAccount(row),
    level,
    sessionExpiresAt_ms: record.expiresAt_ms,
    heldUntil_ms: later(row.heldUntil, now_ms),
    recoveryAllowedUntil_ms,
    totp: { enabled: totp?.confirmedAt != null, lockedUntil_ms: later(totp?.lockedUntil ?? 0, now_ms) },
    dailyWithdrawals: { limit: show(limit), used: show(used), remaining: show(limit > used ? limit - used : 0n) },
    allowlist: { ...configured, mode: settings.allowlistMode ?? configured.mode },
  };
}
