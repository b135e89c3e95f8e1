import { z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { config } from '../env.ts';
import { OPERATOR } from '../events/operator-event.ts';
import { copyEndpointsToAll } from '../events/webhooks/endpoint-copies.ts';
import { type AdmittedOwner, type EndpointSurface, addEndpointRoutes } from '../events/webhooks/endpoint-routes.ts';
import { operatorEndpointSchemas } from '../events/webhooks/endpoint-schemas.ts';
import { createArea } from '../http/area.ts';
import { type Outcome, accept } from '../http/answer.ts';
import { insertAudit } from '../db/audit.ts';
import { findNumberedLedger } from '../db/database.ts';
import { FIRST_LEDGER } from '../db/record-id.ts';
import type { Bindings } from '../platform/bindings.ts';
import { describeError, logFault } from '../platform/log.ts';
import { chooseSenderSettings } from '../providers.ts';
import { type OperatorEnvironment, actorOf } from './authenticate-operator.ts';
import { LedgerNumber } from './event-routes.ts';
import { refuseLedger } from './find-records.ts';
import { operatorKind } from './operations.ts';

/**
 * The operator has endpoints of its own, which tell of all ledgers. Each change of one has its row in the audit of ledger
 * 0; a replay of the events of another ledger in its audit.
 */
async function admitOperator(
  c: Context<OperatorEnvironment>,
  ledger: number = FIRST_LEDGER,
): Promise<Outcome<AdmittedOwner>> {
  const database = findNumberedLedger(c.env, ledger);
  if (!database) return refuseLedger('ledger');
  return accept({
    listenerId: OPERATOR,
    keyId: null,
    ledger,
    database,
    note: (action, endpointId, detail) => [insertAudit(database, actorOf(c), action, endpointId, detail)],
    tell: () => copyToLedgers(c.env),
  });
}

/** Copies what was changed to the other ledgers. What fails here is made good by their keepers within a minute. */
async function copyToLedgers(bindings: Bindings): Promise<void> {
  try {
    await copyEndpointsToAll(bindings);
  } catch (error) {
    logFault('endpoints_not_copied', { error: describeError(error) });
  }
}

const surface: EndpointSurface = {
  path: '/operator/v1/webhook-endpoints',
  operationSuffix: 'OfOperator',
  ownerName: 'The operator',
  kindOf: (isChange, hasBody) => operatorKind('Events', isChange ? 'manage_webhooks' : 'read', hasBody),
  schemas: operatorEndpointSchemas,
  rules: chooseSenderSettings(config),
  deliveries: {
    query: z.strictObject({ ledger: LedgerNumber }),
    ledgerOf: (c) => LedgerNumber.parse(c.req.query('ledger')),
  },
  admit: admitOperator,
};

/** The webhook endpoints of the operator, to which the events of its feed are sent. */
export const webhookRoutes = createArea();

addEndpointRoutes(webhookRoutes, surface);
