import { eq } from 'drizzle-orm';
import { type Account, accountColumns, showAccount } from '../accounts/account.ts';
import { readAllowedRecovery } from '../accounts/allow-recovery.ts';
import { readTotp } from '../accounts/totp.ts';
import { readSettings } from '../db/settings.ts';
import { accounts } from '../db/schema.ts';
import { showDailyUse } from '../withdrawals/read-facts.ts';
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

const later = (time_ms: number, now_ms: number) => (time_ms > now_ms ? time_ms : null);

/** Reads what the console shows of an account beside its balances. Throws when D1 fails. */
export async function describeOwnAccount(
  { accountId, database, record, level, actor }: Session,
  configured: { readonly mode: 'off' | 'strict'; readonly cooling_hours: number },
): Promise<OwnAccount> {
  const { now_ms } = actor;
  const [[row], totp, dailyWithdrawals, settings, recoveryAllowedUntil_ms] = await Promise.all([
    database
      .select({ ...accountColumns, heldUntil: accounts.heldUntil })
      .from(accounts)
      .where(eq(accounts.id, accountId)),
    readTotp(database, accountId),
    showDailyUse(database, accountId, now_ms),
    readSettings(database),
    readAllowedRecovery(database, accountId, now_ms),
  ]);
  if (!row) throw new Error('the account of a session is missing');
  return {
    account: showAccount(row),
    level,
    sessionExpiresAt_ms: record.expiresAt,
    heldUntil_ms: later(row.heldUntil, now_ms),
    recoveryAllowedUntil_ms,
    totp: { enabled: totp?.confirmedAt != null, lockedUntil_ms: later(totp?.lockedUntil ?? 0, now_ms) },
    dailyWithdrawals,
    allowlist: { ...configured, mode: settings.allowlistMode ?? configured.mode },
  };
}
