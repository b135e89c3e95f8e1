import { and, asc, eq, sql } from 'drizzle-orm';
import type { BatchItem } from 'drizzle-orm/batch';
import { type SealSecrets, seal, unseal } from '../../accounts/seal.ts';
import { type Outcome, type Refusal, accept, refuse, refuseField, refuseUnconfirmed } from '../../http/answer.ts';
import { commitOrRefuse } from '../../db/explain.ts';
import type { Database } from '../../db/database.ts';
import { keyRevoked } from '../../keys/record.ts';
import { newRecordId, timestampOfRecord } from '../../db/record-id.ts';
import { webhookEndpoints } from '../../db/schema/events.ts';
import { listen } from '../read-events.ts';
import { type UrlRules, findUrlFault } from './check-url.ts';
import { originalOf } from './reach-sender.ts';
import type { ChangeEndpoint, CreateEndpoint, WebhookEndpoint } from './endpoint-schemas.ts';
import { drawSecret } from './sign-delivery.ts';

/** The most endpoints of an owner; a trigger counts them too. */
const MAX_ENDPOINTS = 10;

/** How long a secret signs as well after a rotation. */
const ROTATION_MS = 86_400_000;

/** How many earlier secrets sign at most. A client whose answers are lost may rotate several times without knowing. */
const MAX_PREVIOUS = 6;

/** What is done with an endpoint, as the operator's audit names it. */
export type EndpointAction =
  | 'create_webhook_endpoint'
  | 'change_webhook_endpoint'
  | 'delete_webhook_endpoint'
  | 'rotate_webhook_secret'
  | 'replay_events';

/** Who has endpoints: an account, or the operator; and what belongs to each change of them. */
export interface EndpointOwner {
  /** An account's id, or `OPERATOR`. */
  readonly listenerId: string;
  /** The number of the ledger whose events are sent, and its database. */
  readonly ledger: number;
  readonly database: Database;
  /** The API key that asks, a session's too; `null` for the operator. An endpoint ends with the key that set it up. */
  readonly keyId: string | null;
  /** The statements that belong into the batch of a change. `detail` describes the change, without a secret. */
  note(action: EndpointAction, endpointId: string, detail: Readonly<Record<string, unknown>>): BatchItem<'sqlite'>[];
}

export type EndpointRow = typeof webhookEndpoints.$inferSelect;

/** Shows an endpoint, without its secrets. */
export function showEndpoint(row: EndpointRow): WebhookEndpoint {
  const [newest] = readPrevious(row);
  return {
    id: originalOf(row),
    url: row.url,
    description: row.description,
    types: wantedTypes(row) ?? [],
    status: row.status,
    reason: row.reason,
    createdAt: timestampOfRecord(row.id),
    previousSecretUntil: newest ? new Date(newest.until).toISOString() : null,
  };
}

/** The types of events that an endpoint is sent; `undefined` for all. */
export function wantedTypes({ types }: EndpointRow): string[] | undefined {
  const wanted = JSON.parse(types) as string[];
  return wanted.length === 0 ? undefined : wanted;
}

/** A secret that was replaced, encrypted. */
interface PreviousSecret {
  readonly sealed: string;
  readonly until: number;
}

/** The secrets that were replaced, the newest first. */
function readPrevious(row: Pick<EndpointRow, 'previousSecrets'>): PreviousSecret[] {
  return JSON.parse(row.previousSecrets) as PreviousSecret[];
}

export const endpointNotFound = refuse('not_found', 'There is no webhook endpoint of that id.');

const isEndpoint = (listenerId: string, id: string) =>
  and(eq(webhookEndpoints.accountId, listenerId), eq(webhookEndpoints.id, id));

/** One endpoint of an owner, or `undefined`. Throws when D1 fails. */
export async function readEndpoint(
  database: Database,
  listenerId: string,
  id: string,
): Promise<EndpointRow | undefined> {
  const [row] = await database.select().from(webhookEndpoints).where(isEndpoint(listenerId, id));
  return row;
}

/** The endpoints of an owner, oldest first. Throws when D1 fails. */
export function listEndpoints({ database, listenerId }: EndpointOwner): Promise<EndpointRow[]> {
  return database
    .select()
    .from(webhookEndpoints)
    .where(eq(webhookEndpoints.accountId, listenerId))
    .orderBy(asc(webhookEndpoints.id));
}

/** What endpoints and their senders need of the configuration. */
export interface EndpointRules extends UrlRules {
  readonly sealSecrets: SealSecrets;
}

const endpointRefusals = {
  exists: refuse('invalid_state', 'There is an endpoint with this url already.'),
  key_revoked: keyRevoked,
  too_many_endpoints: refuse('invalid_state', `There are ${MAX_ENDPOINTS} endpoints already. Delete one first.`),
};

const unconfirmed = refuseUnconfirmed('The change was not confirmed. List the endpoints, then send it again.');

/** Makes a change of an endpoint, with what its owner notes of it. */
function change(
  owner: EndpointOwner,
  statement: BatchItem<'sqlite'>,
  ...note: Parameters<EndpointOwner['note']>
): Promise<Refusal | undefined> {
  return commitOrRefuse(owner.database, [statement, ...owner.note(...note)], endpointRefusals, unconfirmed);
}

/** Why an address is not taken. */
function refuseUrl(url: string | undefined, rules: UrlRules): Refusal | undefined {
  const fault = url === undefined ? undefined : findUrlFault(url, rules);
  return fault === undefined ? undefined : refuseField('/url', 'not_valid', fault);
}

/** What the audit says of an address. Its path and query may hold a secret of the receiver. */
const nameHost = (url: string) => ({ host: new URL(url).host });

/**
 * Makes an endpoint, to which every event from now on is sent; its owner listens from then on. Returns its secret, which
 * is not shown again. Refuses with `invalid_request` an address that is not public, with `invalid_state` a second one of
 * the same address and an eleventh. Throws when D1 cannot be read.
 */
export async function createEndpoint(
  owner: EndpointOwner,
  wanted: CreateEndpoint,
  rules: EndpointRules,
  now_ms: number,
): Promise<Outcome<{ readonly row: EndpointRow; readonly secret: string }>> {
  const refusedUrl = refuseUrl(wanted.url, rules);
  if (refusedUrl) return refusedUrl;
  const { database, listenerId, ledger } = owner;
  await listen(database, listenerId);
  const id = newRecordId(now_ms, ledger);
  const secret = drawSecret();
  const { url, types = [], description = '' } = wanted;
  const values = {
    accountId: listenerId,
    id,
    keyId: owner.keyId,
    url,
    description,
    types: JSON.stringify(types),
    sealedSecret: await seal(secret, id, rules.sealSecrets, 'webhook'),
    delivered: sql`(SELECT sequence - 1 FROM next_events WHERE account_id = ${listenerId})`,
  };
  const insert = database.insert(webhookEndpoints).values(values);
  const refused = await change(owner, insert, 'create_webhook_endpoint', id, { ...nameHost(url), types });
  if (refused) return refused;
  const row = await readEndpoint(database, listenerId, id);
  if (!row) throw new Error('a webhook endpoint that was just made is missing');
  return accept({ row, secret });
}

/**
 * Changes an endpoint. One that is enabled again is sent what happened since its last delivery, as far as it is kept.
 * Refuses as `createEndpoint` does, and with `not_found`. Throws when D1 cannot be read.
 */
export async function changeEndpoint(
  owner: EndpointOwner,
  id: string,
  wanted: ChangeEndpoint,
  rules: UrlRules,
): Promise<Outcome<EndpointRow>> {
  const { url, ...described } = wanted;
  const refusedUrl = refuseUrl(url, rules);
  if (refusedUrl) return refusedUrl;
  const { types, status } = wanted;
  const values = {
    ...wanted,
    types: types && JSON.stringify(types),
    ...(status && { reason: null }),
    ...((url !== undefined || status === 'enabled') && { keyId: owner.keyId }),
    dueAt: 0,
  };
  const { database, listenerId } = owner;
  const update = database.update(webhookEndpoints).set(values).where(isEndpoint(listenerId, id));
  const note = { ...described, ...(url !== undefined && nameHost(url)) };
  const refused = await change(owner, update, 'change_webhook_endpoint', id, note);
  if (refused) return refused;
  const row = await readEndpoint(database, listenerId, id);
  return row ? accept(row) : endpointNotFound;
}

/**
 * Makes a new secret, which is shown this once. The old one signs as well for 24 hours. Refuses with
 * `service_unavailable` when the change was not confirmed.
 */
export async function rotateSecret(
  owner: EndpointOwner,
  row: EndpointRow,
  { sealSecrets }: Pick<EndpointRules, 'sealSecrets'>,
  now_ms: number,
): Promise<Outcome<{ readonly row: EndpointRow; readonly secret: string }>> {
  const secret = drawSecret();
  const standing = readPrevious(row).filter(({ until }) => until > now_ms);
  const previous = [{ sealed: row.sealedSecret, until: now_ms + ROTATION_MS }, ...standing];
  const values = {
    sealedSecret: await seal(secret, row.id, sealSecrets, 'webhook'),
    previousSecrets: JSON.stringify(previous.slice(0, MAX_PREVIOUS)),
  };
  const update = owner.database.update(webhookEndpoints).set(values).where(isEndpoint(row.accountId, row.id));
  const refused = await change(owner, update, 'rotate_webhook_secret', row.id, {});
  return refused ?? accept({ row: { ...row, ...values }, secret });
}

/**
 * Deletes an endpoint; nothing is sent to it any more. Refuses with `service_unavailable` when the change was not
 * confirmed.
 */
export async function deleteEndpoint(owner: EndpointOwner, row: EndpointRow): Promise<Outcome<EndpointRow>> {
  const removal = owner.database.delete(webhookEndpoints).where(isEndpoint(row.accountId, row.id));
  return (await change(owner, removal, 'delete_webhook_endpoint', row.id, nameHost(row.url))) ?? accept(row);
}

/**
 * Sets an endpoint back to a number, so that what came after it is sent again. Refuses with `service_unavailable` when
 * the change was not confirmed.
 */
export async function setBack(owner: EndpointOwner, row: EndpointRow, after: number): Promise<Outcome<EndpointRow>> {
  const values = { delivered: after, dueAt: 0 };
  const update = owner.database.update(webhookEndpoints).set(values).where(isEndpoint(row.accountId, row.id));
  return (await change(owner, update, 'replay_events', row.id, { after })) ?? accept(row);
}

/** Switches an endpoint off that is gone or has failed for too long; the others of its owner are told. */
export async function disableEndpoint(
  database: Database,
  listenerId: string,
  id: string,
  reason: 'gone' | 'failing',
): Promise<void> {
  await database
    .update(webhookEndpoints)
    .set({ status: 'disabled', reason })
    .where(and(isEndpoint(listenerId, id), eq(webhookEndpoints.status, 'enabled')));
}

/** Writes down how far an endpoint is, and until when the sweep leaves it alone. Throws when D1 fails. */
export async function noteProgress(
  database: Database,
  listenerId: string,
  id: string,
  progress: { readonly delivered?: number; readonly dueAt?: number },
): Promise<void> {
  await database.update(webhookEndpoints).set(progress).where(isEndpoint(listenerId, id));
}

/** The secrets that sign a delivery now, the newest first. */
export async function openSecrets(row: EndpointRow, now_ms: number, secrets: SealSecrets): Promise<string[]> {
  const standing = readPrevious(row).filter(({ until }) => until > now_ms);
  const sealed = [row.sealedSecret, ...standing.map((one) => one.sealed)];
  return Promise.all(sealed.map((one) => unseal(one, originalOf(row), secrets, 'webhook')));
}
