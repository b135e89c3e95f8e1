import { and, eq } from 'drizzle-orm';
import type { BatchItem } from 'drizzle-orm/batch';
import { type Outcome, type Refusal, accept, refuse, refuseUnconfirmed } from '../http/answer.ts';
import type { Actor } from './audit.ts';
import { commit } from './commit.ts';
import { type Database, openLedger } from './database.ts';
import { newRecordId } from './record-id.ts';
import { operatorRequests } from './schema.ts';
import { type GuardRefusals, approvalRefusals, explain, holdRefusals } from './explain.ts';
import type { LedgerBindings } from '../platform/bindings.ts';

export interface OnceRequest {
  readonly caller: string;
  readonly idempotencyKey: string;
  readonly fingerprint: string;
}

/** A record that was made, now or by an earlier request with the same key. */
export interface OnceRecord {
  readonly id: string;
  readonly isRepeated: boolean;
}

const unconfirmed = refuseUnconfirmed(
  'It was not confirmed. Send the request again with the same Idempotency-Key; without one, look first.',
);

export const reusedKey = refuse(
  'idempotency_key_reused',
  'This Idempotency-Key was used for another request. Use a new one for a new request.',
);

/**
 * Makes a record of a ledger at most once for a request with an Idempotency-Key. `prepare` gives the statements that
 * make the record of an id; the key is recorded in the same batch. `refuseExisting` says why a record was refused
 * because something like it exists. Refuses with `idempotency_key_reused`, with `refusals` for the guards that its
 * statements may meet, what `prepare` and `refuseExisting` refuse with, `account_recovered`, `approval_required` where
 * two people are needed, and `service_unavailable` when the outcome in D1 is unknown.
 */
export async function makeOnce(
  bindings: LedgerBindings,
  ledger: number,
  request: OnceRequest | null,
  actor: Actor,
  prepare: (id: string) => Promise<Outcome<readonly [BatchItem<'sqlite'>, ...BatchItem<'sqlite'>[]]>>,
  refuseExisting: () => Refusal,
  refusals: GuardRefusals = {},
): Promise<Outcome<OnceRecord>> {
  const database = openLedger(bindings, ledger);
  const earlier = await findEarlier(database, request);
  if (earlier) return earlier;
  const id = newRecordId(actor.now_ms, ledger);
  const prepared = await prepare(id);
  // A repetition that came together with the first may find what the first has made.
  if (!prepared.ok) return (await findEarlier(database, request)) ?? prepared;
  const [first, ...rest] = prepared.value;
  const record = request ? [database.insert(operatorRequests).values({ ...request, recordId: id })] : [];
  const outcome = await commit(database, [first, ...rest, ...record]);
  if (outcome.kind === 'committed') return accept({ id, isRepeated: false });
  if (outcome.kind !== 'exists' && outcome.kind !== 'unknown')
    return explain(outcome, { ...holdRefusals, ...approvalRefusals, ...refusals }) ?? unconfirmed;
  const landed = await findEarlier(database, request);
  // This request's own record has landed though its answer was lost: it is no repetition.
  if (landed) return landed.ok && landed.value.id === id ? accept({ id, isRepeated: false }) : landed;
  return outcome.kind === 'exists' ? refuseExisting() : unconfirmed;
}

/** What an earlier request with the same key made in this ledger, if any. Throws when D1 fails. */
export async function findEarlier(
  database: Database,
  request: OnceRequest | null,
): Promise<Outcome<OnceRecord> | undefined> {
  if (!request) return undefined;
  const { caller, idempotencyKey, fingerprint } = request;
  const isSame = and(eq(operatorRequests.caller, caller), eq(operatorRequests.idempotencyKey, idempotencyKey));
  const [row] = await database.select().from(operatorRequests).where(isSame);
  if (!row) return undefined;
  return row.fingerprint === fingerprint ? accept({ id: row.recordId, isRepeated: true }) : reusedKey;
}
