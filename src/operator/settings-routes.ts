import { createRoute, z } from '@hono/zod-openapi';
import { MIN_SPREAD_BPS } from '../config.ts';
import { config } from '../env.ts';
import { bodyRefusals, createArea, jsonContent, problemResponses, sendProblem } from '../http/area.ts';
import { jsonBody } from '../http/json-body.ts';
import {
  actorOf,
  authenticateOperator,
  authenticateOperatorJson,
  operatorRefusals,
  proposedResponse,
  twoPeopleRefusals,
  refuseDuty,
} from './authenticate-operator.ts';
import { changeExchangeSettings } from './change-exchange-settings.ts';
import { ChangeSettings, ExchangeSettings, type SettingDefaults, readExchangeSettings } from './settings.ts';

const SETTINGS_PATH = '/operator/v1/settings';

const defaults: SettingDefaults = {
  allowlistMode: config.ALLOWLIST_MODE,
  spreadBps: config.SPREAD_BPS,
  minSpreadBps: MIN_SPREAD_BPS[config.ENVIRONMENT],
};

/** The operator's routes for the settings of the exchange. */
export const settingsRoutes = createArea();

settingsRoutes.openapi(
  createRoute({
    operationId: 'getSettings',
    method: 'get',
    path: SETTINGS_PATH,
    tags: ['Settings'],
    summary: 'The settings of the exchange',
    description: 'The values in force. Where the operator has set nothing, they are the configuration’s.',
    security: [{ operatorToken: [] }],
    middleware: authenticateOperator('read'),
    responses: {
      200: { description: 'The settings', content: jsonContent(z.object({ settings: ExchangeSettings })) },
      ...problemResponses(...operatorRefusals),
    },
  }),
  async (c) => c.json({ settings: await readExchangeSettings(c.env, defaults) }, 200),
);

settingsRoutes.openapi(
  createRoute({
    operationId: 'changeSettings',
    method: 'patch',
    path: SETTINGS_PATH,
    tags: ['Settings'],
    summary: 'Change some of the settings; a halt takes effect at once, the others within seconds',
    description:
      'Settings that are not named stay as they are. `pausedDeposits`, `fees`, `minimums`, `depositMinimums`, `approvalAbove` and `openingWeights` are replaced as a whole, `fallbackPrices` coin by coin. Either the whole change takes effect or nothing. The treasury may change `supplyCaps` and `exposure` alone.',
    security: [{ operatorToken: [] }],
    middleware: authenticateOperatorJson('set_caps'),
    request: { body: jsonBody(ChangeSettings) },
    responses: {
      200: { description: 'The settings', content: jsonContent(z.object({ settings: ExchangeSettings })) },
      ...proposedResponse,
      ...problemResponses(
        ...bodyRefusals,
        'precision_exceeded',
        'amount_above_maximum',
        'amount_below_minimum',
        'network_not_supported',
        'invalid_state',
        ...twoPeopleRefusals,
      ),
    },
  }),
  async (c) => {
    const change = c.req.valid('json');
    const isOfCaps = Object.keys(change).every((name) => name === 'supplyCaps' || name === 'exposure');
    const refused = isOfCaps ? undefined : refuseDuty(c, 'change_settings');
    if (refused) return sendProblem(c, refused);
    const changed = await changeExchangeSettings(c.env, change, defaults, actorOf(c));
    return changed.ok ? c.json({ settings: changed.value }, 200) : sendProblem(c, changed);
  },
);
