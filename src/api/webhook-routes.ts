import type { Context } from 'hono';
import { admit } from '../access/admit.ts';
import type { KeyEnvironment } from '../access/authenticate.ts';
import { config } from '../env.ts';
import type { EndpointAction } from '../events/webhooks/endpoint.ts';
import { type AdmittedOwner, createEndpointArea } from '../events/webhooks/endpoint-routes.ts';
import { accountEndpointSchemas } from '../events/webhooks/endpoint-schemas.ts';
import { type Outcome, accept } from '../http/answer.ts';
import { tellLanes } from '../lane/tell-lanes.ts';
import { ledgerOf } from '../db/database.ts';
import { ledgerNumberOf } from '../db/record-id.ts';
import { numberChange } from '../db/record-number.ts';
import { chooseSenderSettings } from '../providers.ts';
import { keyKind } from '../access/operations.ts';

/** The record of an account's key says whether the account has an endpoint that is enabled. */
function changesRecord(action: EndpointAction): boolean {
  return action !== 'rotate_webhook_secret' && action !== 'replay_events';
}

/** Admits a request about the endpoints of its key's account. */
async function admitAccount(c: Context<KeyEnvironment>): Promise<Outcome<AdmittedOwner>> {
  const admitted = await admit(c, 'webhooks', 'read');
  if (!admitted.ok) return admitted;
  const accountId = admitted.value;
  const database = ledgerOf(c.env, accountId);
  return accept({
    listenerId: accountId,
    keyId: c.var.key.keyId,
    ledger: ledgerNumberOf(accountId),
    database,
    note: (action) => (changesRecord(action) ? [numberChange(database, accountId, Date.now())] : []),
    tell: async (action) => changesRecord(action) && tellLanes(c.env, accountId, Date.now()),
  });
}

export const webhooks = createEndpointArea({
  path: '/api/v1/webhook-endpoints',
  operationSuffix: '',
  ownerName: 'An account',
  kindOf: (_isChange, hasBody) => ({ ...keyKind('Events', 'webhooks', hasBody), after: ['account_frozen'] }),
  schemas: accountEndpointSchemas,
  rules: chooseSenderSettings(config),
  admit: admitAccount,
});
