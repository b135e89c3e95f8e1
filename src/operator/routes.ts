import { createArea } from '../http/area.ts';
import { accountReadRoutes } from './account-read-routes.ts';
import { accountRoutes } from './account-routes.ts';
import { auditRoutes } from './audit-routes.ts';
import { custodyRoutes } from './custody-routes.ts';
import { depositRoutes } from './deposit-routes.ts';
import { houseRoutes } from './house-routes.ts';
import { reconciliationRoutes } from './reconciliation-routes.ts';
import { securityRoutes } from './security-routes.ts';
import { settingsRoutes } from './settings-routes.ts';
import { settlementRoutes } from './settlement-routes.ts';
import { staffRoutes } from './staff-routes.ts';
import { withdrawalRoutes } from './withdrawal-routes.ts';

/** The operator's API. */
export const operator = createArea();

operator.route('/', accountRoutes);
operator.route('/', accountReadRoutes);
operator.route('/', securityRoutes);
operator.route('/', depositRoutes);
operator.route('/', custodyRoutes);
operator.route('/', withdrawalRoutes);
operator.route('/', settlementRoutes);
operator.route('/', settingsRoutes);
operator.route('/', reconciliationRoutes);
operator.route('/', auditRoutes);
operator.route('/', staffRoutes);
operator.route('/', houseRoutes);
