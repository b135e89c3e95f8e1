import { tryTotpCode } from '../accounts/check-totp-code.ts';
import type { SealSecrets } from '../accounts/seal.ts';
import { prepareRemoval, readTotp, spendTotpStep, totpInvalid } from '../accounts/totp.ts';
import { laneUnreachable } from '../access/admit.ts';
import { type Outcome, type Refusal, accept, refuse } from '../http/answer.ts';
import { insertAudit } from '../db/audit.ts';
import { commitOrRefuse } from '../db/explain.ts';
import type { Session } from './session.ts';

/**
 * Switches the holder's second factor off, with a code of it. None is asked for 24 hours after a recovery that two of
 * the exchange's people allowed: who has lost the device could never switch it off, and nothing can leave. Refuses with
 * what `tryTotpCode` refuses with, `totp_required` without a code, and `service_unavailable` when the outcome is
 * unknown. Throws when D1 cannot be read.
 */
export async function removeOwnTotp(
  session: Session,
  code: string | undefined,
  secrets: SealSecrets,
): Promise<Outcome<null>> {
  const codeNeeded = refuse('totp_required', 'Switching two-factor authentication off needs its code.');
  return commitWithCode(session, code, secrets, codeNeeded, (step) =>
    prepareRemoval(session.database, session.accountId, session.actor, step),
  );
}

/**
 * Notes that the holder draws new recovery codes, which the console keeps: whoever has one can recover the account, so it
 * needs a code where the second factor is on. Refuses as `removeOwnTotp` does.
 */
export async function noteRecoveryCodes(
  session: Session,
  code: string | undefined,
  secrets: SealSecrets,
): Promise<Outcome<null>> {
  const { accountId, database, actor } = session;
  const codeNeeded = refuse('totp_required', 'Drawing recovery codes needs a code of two-factor authentication.');
  if (code === undefined && (await readTotp(database, accountId))?.confirmedAt != null) return codeNeeded;
  return commitWithCode(session, code, secrets, codeNeeded, (step) => [
    insertAudit(database, actor, 'draw_recovery_codes', accountId),
    ...(step === null ? [] : [spendTotpStep(database, accountId, step)]),
  ]);
}

/** Commits what a code approves; `changesFor` is given its step, or `null` without one. */
async function commitWithCode(
  { accountId, database, actor }: Session,
  code: string | undefined,
  secrets: SealSecrets,
  codeNeeded: Refusal,
  changesFor: (step: number | null) => Parameters<typeof commitOrRefuse>[1],
): Promise<Outcome<null>> {
  const step = code === undefined ? accept(null) : await tryTotpCode(database, accountId, code, secrets, actor.now_ms);
  if (!step.ok) return step;
  const refusals = { totp_required: codeNeeded, totp_step_used: totpInvalid };
  return (await commitOrRefuse(database, changesFor(step.value), refusals, laneUnreachable)) ?? accept(null);
}
