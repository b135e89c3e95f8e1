import { z } from '@hono/zod-openapi';
import { and, eq, isNotNull, isNull, lte, sql } from 'drizzle-orm';
import { generateSecret, generateURI, verify } from 'otplib';
import { type Outcome, accept, refuse } from '../http/answer.ts';
import { type Actor, insertAudit } from '../db/audit.ts';
import { type Database, bindPrepared, prepareOnce } from '../db/database.ts';
import { totp } from '../db/schema.ts';
import { commitOrRefuse } from '../db/explain.ts';
import { type SealSecrets, seal, unseal } from './seal.ts';

const STEP_S = 30;

/** RFC 6238 with the parameters that every authenticator app knows. */
const parameters = { strategy: 'totp', algorithm: 'sha1', digits: 6, period: STEP_S } as const;

const ISSUER = 'Bureau';
const SECRET_BYTES = 20;

/** The code of one step, as a client sends it. */
export const TotpCode = z
  .string()
  .regex(/^\d{6}$/, 'is not six digits')
  .openapi({ example: '492039' });

/** The second factor of an account. */
export interface TotpState {
  /** Encrypted; `null` when it is off. */
  readonly sealedSecret: string | null;
  readonly confirmedAt: number | null;
  /** The newest step whose code was used. */
  readonly usedStep: number;
  /** Attempts since the last correct code. */
  readonly attempts: number;
  /** Until when too many wrong codes lock withdrawals. */
  readonly lockedUntil: number;
}

/** This many wrong codes in a row, with any of its keys, lock the account's withdrawals. */
export const MAX_ATTEMPTS = 5;
const LOCK_MS = 15 * 60_000;

/**
 * The statement that counts an attempt before its code is checked. The last allowed attempt locks at once; a correct
 * code undoes the count and the lock. It counts nothing while the account is locked or has no second factor.
 */
export function countAttempt(database: Database, accountId: string, now_ms: number) {
  const counted = sql`CASE WHEN ${totp.attempts} >= ${MAX_ATTEMPTS} THEN 1 ELSE ${totp.attempts} + 1 END`;
  return database
    .update(totp)
    .set({
      attempts: counted,
      lockedUntil: sql`CASE WHEN ${counted} >= ${MAX_ATTEMPTS} THEN ${now_ms + LOCK_MS} ELSE ${totp.lockedUntil} END`,
    })
    .where(and(eq(totp.accountId, accountId), isNotNull(totp.confirmedAt), lte(totp.lockedUntil, now_ms)));
}

/** Whether an attempt that was counted on this state has locked the account, unless its code is correct. */
export function isLastAttempt({ attempts }: TotpState): boolean {
  return attempts === MAX_ATTEMPTS - 1;
}

/** The statement that undoes the count when the code was correct but nothing was approved with it. */
export function clearAttempts(database: Database, accountId: string) {
  return database.update(totp).set({ attempts: 0, lockedUntil: 0 }).where(eq(totp.accountId, accountId));
}

/**
 * The statement that marks the step of a correct code as used and clears the count, in the batch of what the code
 * approves.
 */
export function spendTotpStep(database: Database, accountId: string, step: number) {
  return database
    .update(totp)
    .set({ usedStep: step, attempts: 0, lockedUntil: 0 })
    .where(eq(totp.accountId, accountId));
}

/** The statement that reads the second factor of an account. */
export const selectTotp = prepareOnce((database) =>
  database
    .select()
    .from(totp)
    .where(eq(totp.accountId, sql.placeholder('accountId')))
    .prepare(),
);

/** Reads an account's second factor, or `undefined` when it never had one. Throws when D1 fails. */
export async function readTotp(database: Database, accountId: string): Promise<TotpState | undefined> {
  const [row] = await selectTotp(database).execute({ accountId });
  return row;
}

/**
 * Reads an account's second factor as it is before an attempt, and counts the attempt in the same transaction: so of any
 * number of guesses at once, each finds those that were counted before it. Throws when D1 fails.
 */
export async function readAndCount(
  database: Database,
  accountId: string,
  now_ms: number,
): Promise<TotpState | undefined> {
  const [[state]] = await database.batch([
    bindPrepared(selectTotp(database), { accountId }),
    countAttempt(database, accountId, now_ms),
  ]);
  return state;
}

/**
 * The step whose code this is, within one step of `now_ms` and newer than the last used one; `undefined` for any other
 * code. It does not mark the step as used.
 */
export async function findTotpStep(
  code: string,
  secret: string,
  usedStep: number,
  now_ms: number,
): Promise<number | undefined> {
  // The clock went back: every code of the window is used or older, and otplib would throw.
  if (usedStep > Math.floor(now_ms / 1_000 / STEP_S) + 1) return undefined;
  const result = await verify({
    ...parameters,
    secret,
    token: code,
    epoch: Math.floor(now_ms / 1_000),
    epochTolerance: STEP_S,
    afterTimeStep: usedStep,
  });
  return result.valid && 'timeStep' in result ? result.timeStep : undefined;
}

/**
 * Makes a secret for an account and shows it once. Until a first code confirms it, it protects nothing and can be
 * replaced by another. Refuses with `invalid_state` where the second factor is on. Throws when D1 fails.
 */
export async function drawTotp(
  database: Database,
  accountId: string,
  label: string,
  secrets: SealSecrets,
  actor: Actor,
): Promise<Outcome<{ readonly secret: string; readonly otpauthUri: string }>> {
  const state = await readTotp(database, accountId);
  if (state?.confirmedAt) return refuse('invalid_state', 'Two-factor authentication is on. Switch it off first.');
  const secret = generateSecret({ length: SECRET_BYTES });
  const sealedSecret = await seal(secret, accountId, secrets);
  const row = state
    ? database
        .update(totp)
        .set({ sealedSecret })
        .where(and(eq(totp.accountId, accountId), isNull(totp.confirmedAt)))
    : database.insert(totp).values({ accountId, sealedSecret });
  await database.batch([row, insertAudit(database, actor, 'draw_totp', accountId)]);
  return accept({ secret, otpauthUri: generateURI({ ...parameters, issuer: ISSUER, label, secret }) });
}

/** The refusal of a code, whether it was wrong here or was used first by another request. */
export const totpInvalid = refuse('totp_invalid', 'The code is wrong, old or was used before. Wait for the next one.');

const nothingToConfirm = refuse('invalid_state', 'There is no new secret to confirm, or a newer one.');

/**
 * Switches the second factor on, with a code that proves that the holder has the secret. The code counts as used.
 * Refuses with `invalid_state` where there is nothing to confirm or another secret was drawn meanwhile, `totp_invalid`
 * for a wrong code, `service_unavailable` when the outcome in D1 is unknown. Throws when D1 cannot be read.
 */
export async function confirmTotp(
  database: Database,
  accountId: string,
  code: string,
  secrets: SealSecrets,
  actor: Actor,
): Promise<Outcome<null>> {
  const state = await readTotp(database, accountId);
  if (!state?.sealedSecret || state.confirmedAt !== null) return nothingToConfirm;
  const secret = await unseal(state.sealedSecret, accountId, secrets);
  const step = await findTotpStep(code, secret, state.usedStep, actor.now_ms);
  if (step === undefined) return totpInvalid;
  // With the secret, so that the database refuses to confirm another one that was drawn meanwhile.
  const confirmed = { sealedSecret: state.sealedSecret, confirmedAt: actor.now_ms, usedStep: step };
  const changes = [
    database.update(totp).set(confirmed).where(eq(totp.accountId, accountId)),
    insertAudit(database, actor, 'confirm_totp', accountId),
  ] as const;
  const refusals = { totp_secret_replaced: nothingToConfirm, totp_step_used: totpInvalid };
  return (await commitOrRefuse(database, changes, refusals)) ?? accept(null);
}

/**
 * Switches the second factor off; repeating it is no error. Steps that were used stay used. Refuses with
 * `approval_required` where two people are needed, and with `service_unavailable` when the outcome is unknown.
 */
export async function removeTotp(database: Database, accountId: string, actor: Actor): Promise<Outcome<null>> {
  return (await commitOrRefuse(database, prepareRemoval(database, accountId, actor))) ?? accept(null);
}

/** The statements that switch the second factor off, with the step of the code that allows it, if one did. */
export function prepareRemoval(database: Database, accountId: string, actor: Actor, step: number | null = null) {
  const spent = step === null ? {} : { usedStep: step, attempts: 0, lockedUntil: 0 };
  return [
    insertAudit(database, actor, 'remove_totp', accountId),
    database
      .update(totp)
      .set({ sealedSecret: null, confirmedAt: null, ...spent })
      .where(eq(totp.accountId, accountId)),
  ] as const;
}
