import { type Outcome, accept, refuse } from '../http/answer.ts';
import type { Database } from '../db/database.ts';
import { logEvent } from '../platform/log.ts';
import { type SealSecrets, unseal } from './seal.ts';
import { type TotpState, findTotpStep, isLastAttempt, readAndCount, totpInvalid } from './totp.ts';

/**
 * Checks a code against the second factor as it was before the attempt was counted. The step of the code, `null` where
 * the account has no second factor (the code is then ignored). Refuses with `withdrawals_locked`, `totp_required` and
 * `totp_invalid`.
 */
export async function checkTotpCode(
  code: string | undefined,
  state: TotpState | undefined,
  accountId: string,
  secrets: SealSecrets,
  now_ms: number,
): Promise<Outcome<number | null>> {
  if (!state?.sealedSecret || state.confirmedAt === null) return accept(null);
  if (state.lockedUntil > now_ms) {
    return refuse('withdrawals_locked', 'Too many wrong codes: withdrawals of this account are locked for a while.', {
      retryAfterSeconds: Math.ceil((state.lockedUntil - now_ms) / 1_000),
    });
  }
  if (code === undefined) return totpRequired;
  const secret = await unseal(state.sealedSecret, accountId, secrets);
  const step = await findTotpStep(code, secret, state.usedStep, now_ms);
  if (step !== undefined) return accept(step);
  if (isLastAttempt(state)) logLock(accountId);
  return totpInvalid;
}

/**
 * Counts an attempt and checks its code. The step is `null` where there is no second factor. The caller marks the step as
 * used in the batch of what the code allows. The refusals are those of `checkTotpCode`. Throws when D1 fails.
 */
export async function tryTotpCode(
  database: Database,
  accountId: string,
  code: string,
  secrets: SealSecrets,
  now_ms: number,
): Promise<Outcome<number | null>> {
  const state = await readAndCount(database, accountId, now_ms);
  return checkTotpCode(code, state, accountId, secrets, now_ms);
}

/** Logs that wrong codes have just locked an account's withdrawals: somebody may be guessing. */
export function logLock(accountId: string): void {
  logEvent('withdrawals_locked', { accountId });
}

/** The refusal of what needs a code and came without one. */
export const totpRequired = refuse('totp_required', 'This account needs a totpCode for every withdrawal.');
