import type { Context } from 'hono';
import { z } from '@hono/zod-openapi';
import { admit, readRefusals } from '../access/admit.ts';
import type { KeyEnvironment } from '../access/authenticate.ts';
import { config } from '../env.ts';
import {
  EndpointSecret,
  type EndpointRow,
  WebhookEndpoint,
  endpointNotFound,
  readEndpoint,
} from '../events/webhooks/endpoint.ts';
import { jsonContent } from '../http/area.ts';
import { type Outcome, accept } from '../http/refusal.ts';
import type { Database } from '../ledger/database.ts';
import { ledgerOf } from '../ledger/ledgers.ts';
import { chooseSenderSettings } from '../providers.ts';

/** What the routes of webhook endpoints share. */
export const ENDPOINTS_PATH = '/api/v1/webhook-endpoints';

export const endpointRules = chooseSenderSettings(config);
export const endpointRefusals = [...readRefusals, 'account_frozen'] as const;
export const endpointSecurity = [{ apiKey: ['webhooks'] }];
export const oneEndpoint = jsonContent(z.object({ webhookEndpoint: WebhookEndpoint }));
export const oneEndpointWithSecret = jsonContent(
  z.object({ webhookEndpoint: WebhookEndpoint, secret: EndpointSecret }),
);

/** The account of an admitted request, and its database. */
export interface Holder {
  readonly accountId: string;
  readonly database: Database;
}

/** Admits a request that is about the endpoints of its key's account. */
export async function admitHolder(c: Context<KeyEnvironment>): Promise<Outcome<Holder>> {
  const admitted = await admit(c, 'webhooks', 'read');
  if (!admitted.ok) return admitted;
  const { accountId } = admitted.value;
  return accept({ accountId, database: ledgerOf(c.env, accountId) });
}

/** Admits a request about one endpoint. Refuses an unknown one and another account's with `not_found`. */
export async function admitEndpoint(
  c: Context<KeyEnvironment>,
  id: string,
): Promise<Outcome<Holder & { readonly row: EndpointRow }>> {
  const holder = await admitHolder(c);
  if (!holder.ok) return holder;
  const row = await readEndpoint(holder.value.database, holder.value.accountId, id);
  return row ? accept({ ...holder.value, row }) : endpointNotFound;
}
