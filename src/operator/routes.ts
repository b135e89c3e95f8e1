import type { MiddlewareHandler } from 'hono';
import { wakeAfterChange } from '../events/webhooks/reach-sender.ts';
import { createArea, type AppEnvironment } from '../http/area.ts';
import { listLedgers } from '../db/database.ts';
import { accountRoutes } from './account-routes.ts';
import { auditRoutes } from './audit-routes.ts';
import { isReading } from './authenticate-operator.ts';
import { depositRoutes } from './deposit-routes.ts';
import { eventRoutes, webhookRoutes } from './event-routes.ts';
import { exportRoutes } from './export-routes.ts';
import { houseRoutes } from './house-routes.ts';
import { liquidityRoutes } from './liquidity-routes.ts';
import { proposalRoutes } from './proposal-routes.ts';
import { reconciliationRoutes } from './reconciliation-routes.ts';
import { securityRoutes } from './security-routes.ts';
import { settingsRoutes } from './settings-routes.ts';
import { settlementRoutes } from './settlement-routes.ts';
import { staffRoutes } from './staff-routes.ts';
import { withdrawalRoutes } from './withdrawal-routes.ts';

/** What the operator reads and changes. */
const changes = createArea();

changes.route('/', accountRoutes);
changes.route('/', securityRoutes);
changes.route('/', depositRoutes);
changes.route('/', withdrawalRoutes);
changes.route('/', settlementRoutes);
changes.route('/', settingsRoutes);
changes.route('/', reconciliationRoutes);
changes.route('/', auditRoutes);
changes.route('/', eventRoutes);
changes.route('/', webhookRoutes);
changes.route('/', staffRoutes);
changes.route('/', houseRoutes);
changes.route('/', liquidityRoutes);

/**
 * Whichever route made a change, those who are told of it are woken, beside the answer: in the ledger that the route
 * names, else in all.
 */
const wakeAfterChanges: MiddlewareHandler<AppEnvironment> = async (c, next) => {
  await next();
  if (isReading(c.req.method) || !c.res.ok) return;
  const changed = c.get('changedLedger');
  for (const ledger of changed === undefined ? listLedgers(c.env) : [changed])
    c.executionCtx.waitUntil(wakeAfterChange(c.env, ledger));
};

/** The operator's API. */
export const operator = createArea();

operator.use('/operator/v1/*', wakeAfterChanges);

const listed = createArea();

listed.route('/', changes);
listed.route('/', proposalRoutes(changes));

operator.route('/', listed);
operator.route('/', exportRoutes(listed));
