import type { Context } from 'hono';
import { config } from '../env.ts';
import { OPERATOR } from '../events/operator-event.ts';
import { addDeliveryRoutes } from '../events/webhooks/delivery-routes.ts';
import { addEndpointRoutes } from '../events/webhooks/endpoint-routes.ts';
import { operatorEndpointSchemas } from '../events/webhooks/endpoint-schemas.ts';
import type { AdmittedOwner, EndpointSurface } from '../events/webhooks/endpoint-surface.ts';
import { createArea } from '../http/area.ts';
import { type Outcome, accept } from '../http/refusal.ts';
import { insertAudit } from '../ledger/audit.ts';
import { firstLedger } from '../ledger/ledgers.ts';
import { FIRST_LEDGER } from '../ledger/record-id.ts';
import { chooseSenderSettings } from '../providers.ts';
import {
  type OperatorEnvironment,
  actorOf,
  authenticateOperator,
  authenticateOperatorJson,
  operatorRefusals,
} from './authenticate-operator.ts';

/** The operator has endpoints of its own. Each change of one has its row in the audit. */
async function admitOperator(c: Context<OperatorEnvironment>): Promise<Outcome<AdmittedOwner>> {
  const database = firstLedger(c.env);
  return accept({
    listenerId: OPERATOR,
    ledger: FIRST_LEDGER,
    database,
    note: (action, endpointId, detail) => [insertAudit(database, actorOf(c), action, endpointId, detail)],
    tell: () => Promise.resolve(),
  });
}

const surface: EndpointSurface = {
  path: '/operator/v1/webhook-endpoints',
  operationSuffix: 'OfOperator',
  ownerName: 'The operator',
  security: [{ operatorToken: [] }],
  authenticate: {
    read: authenticateOperator('read'),
    change: authenticateOperator('manage_webhooks'),
    changeJson: authenticateOperatorJson('manage_webhooks'),
  },
  refusals: operatorRefusals,
  schemas: operatorEndpointSchemas,
  rules: chooseSenderSettings(config),
  admit: admitOperator,
};

/** The webhook endpoints of the operator, to which the events of its feed are sent. */
export const webhookRoutes = createArea();

addEndpointRoutes(webhookRoutes, surface);
addDeliveryRoutes(webhookRoutes, surface);
