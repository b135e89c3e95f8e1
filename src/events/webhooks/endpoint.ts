import { z } from '@hono/zod-openapi';
import { and, asc, eq, sql } from 'drizzle-orm';
import { type SealSecrets, seal, unseal } from '../../accounts/seal.ts';
import { type Outcome, accept, refuse } from '../../http/refusal.ts';
import { Id, Timestamp } from '../../http/wire-types.ts';
import { type CommitOutcome, commit } from '../../ledger/commit.ts';
import type { Database } from '../../ledger/database.ts';
import { timestampOfRecord } from '../../ledger/record-id.ts';
import { numberChange } from '../../ledger/record-number.ts';
import { webhookEndpoints } from '../../ledger/schema.ts';
import { eventTypes } from '../event.ts';
import { listen } from '../read-events.ts';
import { MAX_URL_LENGTH, type UrlRules, findUrlFault } from './check-url.ts';
import { drawSecret } from './sign-delivery.ts';

/** The most endpoints of an account; a trigger counts them too. */
export const MAX_ENDPOINTS = 10;

/** How long a secret signs as well after a rotation. */
const ROTATION_MS = 86_400_000;

/** How many earlier secrets sign at most. A client whose answers are lost may rotate several times without knowing. */
const MAX_PREVIOUS = 6;

const MAX_DESCRIPTION_LENGTH = 200;

const EXAMPLE_URL = 'https://hooks.your-company.com/bureau';

const Types = z
  .array(z.enum(eventTypes))
  .max(eventTypes.length)
  .openapi({ description: 'The types that are sent; empty: all', example: ['deposit.completed'] });

const Url = z.string().max(MAX_URL_LENGTH).openapi({
  description: 'Where events are sent: https, to a public name, on port 443 or 8443',
  example: EXAMPLE_URL,
});

const Description = z.string().max(MAX_DESCRIPTION_LENGTH).openapi({ example: 'bookkeeping' });

/** A webhook endpoint as its holder sees it. Its secret is shown once, when it is made or rotated. */
export const WebhookEndpoint = z
  .object({
    id: Id,
    url: Url,
    description: Description,
    types: Types,
    status: z.enum(['enabled', 'disabled']),
    reason: z.enum(['gone', 'failing']).nullable().openapi({
      description: 'Why the exchange switched it off: it answered 410, or failed for five days; else null',
      example: null,
    }),
    createdAt: Timestamp,
    previousSecretUntil: Timestamp.nullable().openapi({
      description: 'Until when the secret before the last rotation signs as well; null if none was rotated',
      example: null,
    }),
  })
  .openapi('WebhookEndpoint');

export type WebhookEndpoint = z.output<typeof WebhookEndpoint>;

/** The secret of an endpoint, when it is shown. */
export const EndpointSecret = z.string().openapi({
  description: 'Signs every delivery. Shown this once',
  example: 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD4Y0LmCQ7Yds=',
});

/** The body with which an endpoint is made. */
export const CreateEndpoint = z
  .strictObject({ url: Url, types: Types.optional(), description: Description.optional() })
  .openapi('CreateWebhookEndpoint');

/** The changes of an endpoint. */
export const ChangeEndpoint = z
  .strictObject({
    url: Url.optional(),
    types: Types.optional(),
    description: Description.optional(),
    status: z.enum(['enabled', 'disabled']).optional().openapi({ example: 'enabled' }),
  })
  .openapi('ChangeWebhookEndpoint');

/** A row of `webhook_endpoints`. */
export type EndpointRow = typeof webhookEndpoints.$inferSelect;

/** Shows an endpoint, without its secrets. */
export function showEndpoint(row: EndpointRow): WebhookEndpoint {
  return {
    id: row.id,
    url: row.url,
    description: row.description,
    types: Types.parse(JSON.parse(row.types)),
    status: row.status,
    reason: row.reason,
    createdAt: timestampOfRecord(row.id),
    previousSecretUntil: showUntil(readPrevious(row)),
  };
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

function showUntil([newest]: readonly PreviousSecret[]): string | null {
  return newest ? new Date(newest.until).toISOString() : null;
}

export const endpointNotFound = refuse('not_found', 'This account has no webhook endpoint of that id.');

const isEndpoint = (accountId: string, id: string) =>
  and(eq(webhookEndpoints.accountId, accountId), eq(webhookEndpoints.id, id));

/** One endpoint of an account, or `undefined`. Throws when D1 fails. */
export async function readEndpoint(
  database: Database,
  accountId: string,
  id: string,
): Promise<EndpointRow | undefined> {
  const [row] = await database.select().from(webhookEndpoints).where(isEndpoint(accountId, id));
  return row;
}

/** The endpoints of an account, oldest first. Throws when D1 fails. */
export function listEndpoints(database: Database, accountId: string): Promise<EndpointRow[]> {
  return database
    .select()
    .from(webhookEndpoints)
    .where(eq(webhookEndpoints.accountId, accountId))
    .orderBy(asc(webhookEndpoints.id));
}

/** What making and changing endpoints needs of the configuration. */
export interface EndpointRules extends UrlRules {
  readonly sealSecrets: SealSecrets;
}

function refuseUrl(fault: string) {
  return refuse('invalid_request', 'The request is not valid.', {
    errors: [{ pointer: '/url', code: 'invalid_url', detail: fault }],
  });
}

/** Why a batch of an endpoint was not committed. */
function explainOutcome(outcome: CommitOutcome) {
  if (outcome.kind === 'exists') return refuse('invalid_state', 'The account has an endpoint with this url already.');
  if (outcome.kind === 'guarded' && outcome.guard === 'too_many_endpoints') {
    return refuse('invalid_state', `The account has ${MAX_ENDPOINTS} endpoints already. Delete one first.`);
  }
  return refuse('service_unavailable', 'The change was not confirmed. List the endpoints, then send it again.', {
    retryAfterSeconds: 1,
  });
}

/**
 * Makes an endpoint, to which every event from now on is sent; the account listens from then on. Returns its secret,
 * which is not shown again. Refuses with `invalid_request` an address that is not public, with `invalid_state` a second
 * one of the same address and an eleventh. Throws when D1 cannot be read.
 */
export async function createEndpoint(
  database: Database,
  { accountId, id, now_ms }: { readonly accountId: string; readonly id: string; readonly now_ms: number },
  wanted: z.output<typeof CreateEndpoint>,
  rules: EndpointRules,
): Promise<Outcome<{ readonly row: EndpointRow; readonly secret: string }>> {
  const fault = findUrlFault(wanted.url, rules);
  if (fault !== undefined) return refuseUrl(fault);
  await listen(database, accountId);
  const secret = drawSecret();
  const outcome = await commit(database, [
    database.insert(webhookEndpoints).values({
      accountId,
      id,
      url: wanted.url,
      description: wanted.description ?? '',
      types: JSON.stringify(wanted.types ?? []),
      sealedSecret: await seal(secret, id, rules.sealSecrets, 'webhook'),
      delivered: sql`(SELECT sequence - 1 FROM next_events WHERE account_id = ${accountId})`,
    }),
    numberChange(database, accountId, now_ms),
  ]);
  if (outcome.kind !== 'committed') return explainOutcome(outcome);
  const row = await readEndpoint(database, accountId, id);
  if (!row) throw new Error('a webhook endpoint that was just made is missing');
  return accept({ row, secret });
}

/**
 * Changes an endpoint. One that is enabled again is sent what happened since its last delivery, as far as it is kept.
 * Refuses as `createEndpoint` does, and with `not_found`. Throws when D1 cannot be read.
 */
export async function changeEndpoint(
  database: Database,
  { accountId, id, now_ms }: { readonly accountId: string; readonly id: string; readonly now_ms: number },
  change: z.output<typeof ChangeEndpoint>,
  rules: UrlRules,
): Promise<Outcome<EndpointRow>> {
  const fault = change.url === undefined ? undefined : findUrlFault(change.url, rules);
  if (fault !== undefined) return refuseUrl(fault);
  const { types, ...rest } = change;
  const values = {
    ...rest,
    ...(types && { types: JSON.stringify(types) }),
    ...(change.status && { reason: null }),
    dueAt: 0,
  };
  const outcome = await commit(database, [
    database.update(webhookEndpoints).set(values).where(isEndpoint(accountId, id)),
    numberChange(database, accountId, now_ms),
  ]);
  if (outcome.kind !== 'committed') return explainOutcome(outcome);
  const row = await readEndpoint(database, accountId, id);
  return row ? accept(row) : endpointNotFound;
}

/** Makes a new secret, which is shown this once. The old one signs as well for 24 hours. Throws when D1 fails. */
export async function rotateSecret(
  database: Database,
  row: EndpointRow,
  now_ms: number,
  { sealSecrets }: Pick<EndpointRules, 'sealSecrets'>,
): Promise<{ readonly row: EndpointRow; readonly secret: string }> {
  const secret = drawSecret();
  const standing = readPrevious(row).filter(({ until }) => until > now_ms);
  const previous = [{ sealed: row.sealedSecret, until: now_ms + ROTATION_MS }, ...standing];
  const values = {
    sealedSecret: await seal(secret, row.id, sealSecrets, 'webhook'),
    previousSecrets: JSON.stringify(previous.slice(0, MAX_PREVIOUS)),
  };
  await database.update(webhookEndpoints).set(values).where(isEndpoint(row.accountId, row.id));
  return { row: { ...row, ...values }, secret };
}

/** Deletes an endpoint; nothing is sent to it any more. Throws when D1 fails. */
export async function deleteEndpoint(database: Database, row: EndpointRow, now_ms: number): Promise<void> {
  await database.batch([
    database.delete(webhookEndpoints).where(isEndpoint(row.accountId, row.id)),
    numberChange(database, row.accountId, now_ms),
  ]);
}

/** Switches an endpoint off that is gone or has failed for too long; the others of the account are told. */
export async function disableEndpoint(
  database: Database,
  accountId: string,
  id: string,
  reason: 'gone' | 'failing',
): Promise<void> {
  await database
    .update(webhookEndpoints)
    .set({ status: 'disabled', reason })
    .where(and(isEndpoint(accountId, id), eq(webhookEndpoints.status, 'enabled')));
}

/** Writes down how far an endpoint is, and until when the sweep leaves it alone. Throws when D1 fails. */
export async function noteProgress(
  database: Database,
  accountId: string,
  id: string,
  progress: { readonly delivered?: number; readonly dueAt?: number },
): Promise<void> {
  await database.update(webhookEndpoints).set(progress).where(isEndpoint(accountId, id));
}

/** The secrets that sign a delivery now, the newest first. */
export async function openSecrets(row: EndpointRow, now_ms: number, secrets: SealSecrets): Promise<string[]> {
  const standing = readPrevious(row).filter(({ until }) => until > now_ms);
  const sealed = [row.sealedSecret, ...standing.map((one) => one.sealed)];
  return Promise.all(sealed.map((one) => unseal(one, row.id, secrets, 'webhook')));
}
