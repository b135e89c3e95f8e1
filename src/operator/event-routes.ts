import { z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { config } from '../env.ts';
import { operatorFeed } from '../events/feed.ts';
import { OPERATOR } from '../events/operator-event.ts';
import { OperatorEventPage, OperatorEventQuery, readEvents } from '../events/read-events.ts';
import { copyEndpointsToAll } from '../events/webhooks/endpoint-copies.ts';
import { type AdmittedOwner, createEndpointArea } from '../events/webhooks/endpoint-routes.ts';
import { operatorEndpointSchemas } from '../events/webhooks/endpoint-schemas.ts';
import { type Outcome, accept } from '../http/answer.ts';
import { wholeNumber } from '../http/wire-types.ts';
import { insertAudit } from '../db/audit.ts';
import { FIRST_LEDGER } from '../db/record-id.ts';
import { tryOrLog } from '../platform/log.ts';
import { chooseSenderSettings } from '../providers.ts';
import { type OperatorEnvironment, actorOf } from './authenticate-operator.ts';
import { findLedgerAt } from './find-records.ts';
import { createOperatorArea, operatorKind } from './operations.ts';

/** The parameter that names the ledger of the operator's events. */
const LedgerNumber = wholeNumber(4, 'is not the number of a ledger').optional().openapi({
  type: 'integer',
  minimum: 0,
  default: FIRST_LEDGER,
  description: 'The ledger whose events are meant; each has numbers of its own',
});

/** The operator's own feed: what happened in a ledger, in the order in which it happened. */
export const eventRoutes = createOperatorArea('Events');

eventRoutes.add({
  operationId: 'listOperatorEvents',
  path: '/operator/v1/events',
  duty: 'read',
  summary: 'What happened in the exchange, oldest first',
  description:
    'Each row of the audit (`audit.added`), and each status that a deposit or a withdrawal of any account takes, in the order in which they happened, each once. The operator listens from its first request on; what was before is in the audit and in the lists. Read with the `nextAfter` of the page before, and nothing is missed however long you were away: events are kept for 90 days. `data` is the record as it is now, so it may be newer than the event; `sequence` gives the order. Deposits below the minimum are not told: `GET /operator/v1/deposits/dust` has their sums. With `types` a page may be short, or empty, and still be followed by another.',
  request: { query: OperatorEventQuery.extend({ ledger: LedgerNumber }) },
  answer: 'One page',
  body: OperatorEventPage,
  refusals: ['events_expired'],
  handle: async (c) => {
    const { ledger = FIRST_LEDGER, ...query } = c.req.valid('query');
    const database = findLedgerAt('ledger', c.env, ledger);
    if (!database.ok) return database;
    return readEvents(database.value, operatorFeed(ledger), query);
  },
});

/**
 * The operator has endpoints of its own, which tell of all ledgers. Each change of one has its row in the audit of ledger
 * 0; a replay of the events of another ledger in its audit.
 */
async function admitOperator(
  c: Context<OperatorEnvironment>,
  ledger: number = FIRST_LEDGER,
): Promise<Outcome<AdmittedOwner>> {
  const found = findLedgerAt('ledger', c.env, ledger);
  if (!found.ok) return found;
  return accept({
    listenerId: OPERATOR,
    keyId: null,
    ledger,
    database: found.value,
    note: (action, endpointId, detail) => [insertAudit(found.value, actorOf(c), action, endpointId, detail)],
    // What fails here is made good by the keepers of the other ledgers within a minute.
    tell: () => tryOrLog('endpoints_not_copied', {}, undefined, () => copyEndpointsToAll(c.env)),
  });
}

/** The webhook endpoints of the operator, to which the events of its feed are sent. */
export const webhookRoutes = createEndpointArea({
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
});
