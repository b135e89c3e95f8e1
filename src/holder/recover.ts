import { eq, sql } from 'drizzle-orm';
import { tryTotpCode } from '../accounts/check-totp-code.ts';
import type { SealSecrets } from '../accounts/seal.ts';
import { readTotp, spendTotpStep, totpInvalid } from '../accounts/totp.ts';
import { laneUnreachable } from '../access/admit.ts';
import { type Outcome, accept, refuse } from '../http/answer.ts';
import { listKeysRevokedAt, revokeAllKeys } from '../keys/api-key.ts';
import { endSessions, listLiveSessionIds } from '../keys/session-key.ts';
import { revokeInLane } from '../lane/tell-lanes.ts';
import { insertAudit } from '../db/audit.ts';
import { commitOrRefuse } from '../db/explain.ts';
import { accounts } from '../db/schema.ts';
import type { Bindings } from '../platform/bindings.ts';
import type { Session } from './session.ts';

/** For how long a recovery holds an account. */
const HOLD_MS = 86_400_000;

const recoveryRefusals = {
  totp_step_used: totpInvalid,
  recovery_not_allowed: refuse(
    'approval_required',
    'Two people of the exchange must agree to this first. Ask the exchange, and tell it who you are.',
  ),
};

/** What shows, beside the e-mail link, that it is the holder who comes back. */
export type Proof =
  | { readonly kind: 'totp'; readonly code: string }
  /** One of the ten codes, which the console has checked and spent. */
  | { readonly kind: 'recovery_code' }
  /** Nothing of the holder's: two of the exchange's people have agreed to it. */
  | { readonly kind: 'allowed' };

const hasPasskey = refuse(
  'invalid_state',
  'You are signed in with a passkey, and a recovery is for who has none. Sign in by an e-mail link first.',
);

/**
 * Marks an account as recovered: for 24 hours nothing leaves it, its API keys are revoked, and its other sessions end.
 * Only after this may the console take a new passkey. Refuses with `invalid_state` a session that acts, with
 * `totp_required` where there is no second factor to show a code of, with what `tryTotpCode` refuses with, with
 * `approval_required` where the exchange has not agreed, and with `service_unavailable` when the outcome is unknown.
 * Throws when D1 cannot be read.
 */
export async function recoverAccount(
  bindings: Bindings,
  session: Session,
  proof: Proof,
  secrets: SealSecrets,
): Promise<Outcome<{ readonly heldUntil_ms: number; readonly ended: readonly string[] }>> {
  const { accountId, database, actor, record } = session;
  if (session.level === 'act') return hasPasskey;
  const step = await checkProof(session, proof, secrets);
  if (!step.ok) return step;
  const heldUntil_ms = actor.now_ms + HOLD_MS;
  const live = await listLiveSessionIds(database, accountId, actor.now_ms);
  const ended = live.filter((id) => id !== record.id);
  const hold = database
    .update(accounts)
    .set({ heldUntil: sql`max(${accounts.heldUntil}, ${heldUntil_ms})` })
    .where(eq(accounts.id, accountId));
  const changes = [
    insertAudit(database, actor, 'recover_account', accountId, { proof: proof.kind }),
    hold,
    ...endSessions(database, accountId, ended, actor),
    ...revokeAllKeys(database, accountId, actor),
    ...(step.value === null ? [] : [spendTotpStep(database, accountId, step.value)]),
  ] as const;
  const refused = await commitOrRefuse(database, changes, recoveryRefusals, laneUnreachable);
  if (refused) return refused;
  const revoked = await listKeysRevokedAt(database, accountId, actor.now_ms);
  const told = await Promise.all(
    [...ended, ...revoked].map((id) => revokeInLane(bindings, accountId, id, actor.now_ms)),
  );
  return told.every(Boolean) ? accept({ heldUntil_ms, ended }) : laneUnreachable;
}

async function checkProof(
  { accountId, database, actor }: Session,
  proof: Proof,
  secrets: SealSecrets,
): Promise<Outcome<number | null>> {
  if (proof.kind !== 'totp') return accept(null);
  const state = await readTotp(database, accountId);
  if (!state?.confirmedAt) return refuse('totp_required', 'The account has no second factor to show a code of.');
  return tryTotpCode(database, accountId, proof.code, secrets, actor.now_ms);
}
