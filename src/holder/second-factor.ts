import { tryTotpCode } from '../accounts/check-totp-code.ts';
import type { SealSecrets } from '../accounts/seal.ts';
import { prepareRemoval, readTotp, spendTotpStep } from '../accounts/totp.ts';
import { laneUnreachable } from '../access/admit.ts';
import { totpInvalid } from '../accounts/check-totp-code.ts';
import { type Outcome, accept, refuse } from '../http/refusal.ts';
import { commit } from '../ledger/commit.ts';
import type { Session } from './session.ts';

/**
 * Switches the holder's second factor off, with a code of it. While a recovery holds the account no code is asked: who
 * has lost the device could never switch it off, and nothing can leave. Refuses with what `tryTotpCode` refuses with,
 * `totp_required` without a code, and `service_unavailable` when the outcome is unknown. Throws when D1 cannot be read.
 */
export async function removeOwnTotp(
  { accountId, database, actor }: Session,
  code: string | undefined,
  heldUntil_ms: number,
  secrets: SealSecrets,
): Promise<Outcome<null>> {
  const state = await readTotp(database, accountId);
  const isHeld = heldUntil_ms > actor.now_ms;
  const removal = prepareRemoval(database, accountId, actor);
  if (!state?.confirmedAt || (isHeld && code === undefined)) {
    const outcome = await commit(database, removal);
    return outcome.kind === 'committed' ? accept(null) : laneUnreachable;
  }
  if (code === undefined) return refuse('totp_required', 'Switching two-factor authentication off needs its code.');
  const step = await tryTotpCode(database, accountId, code, secrets, actor.now_ms);
  if (!step.ok) return step;
  const spent = step.value === null ? [] : [spendTotpStep(database, accountId, step.value)];
  const outcome = await commit(database, [...removal, ...spent]);
  if (outcome.kind === 'guarded') return totpInvalid;
  return outcome.kind === 'committed' ? accept(null) : laneUnreachable;
}
