import { ChangeSettings, ExchangeSettings, type SettingDefaults, readExchangeSettings } from './settings.ts';
import { config } from '../env.ts';
import { chooseTradingContext } from '../providers.ts';
import { createOperatorArea } from './operations.ts';
import { accept } from '../http/answer.ts';
import { oneOf } from '../http/list.ts';
import { jsonBody } from '../http/request.ts';
import { actorOf, refuseDuty } from './authenticate-operator.ts';
import { changeSettings } from './change-settings.ts';
import { ChangeShares, ShareReport, changeShares, readShareReport } from './shares.ts';

const SHARES_PATH = '/operator/v1/shares';
const SETTINGS_PATH = '/operator/v1/settings';

const defaults: SettingDefaults = {
  allowlistMode: config.ALLOWLIST_MODE,
  trading: chooseTradingContext(config),
};

const settings = oneOf('settings', ExchangeSettings);
const shares = oneOf('shares', ShareReport);

/** The operator's routes for the settings of the exchange, and each ledger's share of its limits. */
export const settingsRoutes = createOperatorArea('Settings');

settingsRoutes.add({
  operationId: 'getSettings',
  path: SETTINGS_PATH,
  duty: 'read',
  summary: 'The settings of the exchange',
  description: 'The values in force. Where the operator has set nothing, they are the configuration’s.',
  ...settings.documented,
  handle: async (c) => accept({ settings: await readExchangeSettings(c.env, defaults) }),
});

settingsRoutes.add({
  operationId: 'changeSettings',
  method: 'patch',
  path: SETTINGS_PATH,
  duty: 'set_caps',
  needsTwo: true,
  summary: 'Change some of the settings; a halt takes effect at once, the others within seconds',
  description:
    'Settings that are not named stay as they are. `pausedDeposits`, `fees`, `minimums`, `depositMinimums`, `approvalAbove`, `haltedCoins`, `coinTerms` and `openingWeights` are replaced as a whole, `fallbackPrices` coin by coin. Either the whole change takes effect or nothing. The treasury may change `supplyCaps` and `exposure` alone. The audit keeps the `reason`, and whoever approves a proposal reads it.',
  request: { body: jsonBody(ChangeSettings) },
  ...settings.documented,
  refusals: [
    'precision_exceeded',
    'amount_above_maximum',
    'amount_below_minimum',
    'network_not_supported',
    'invalid_state',
  ],
  handle: async (c) => {
    const change = c.req.valid('json');
    const isOfCaps = Object.keys(change).every((name) => ['supplyCaps', 'exposure', 'reason'].includes(name));
    const refused = isOfCaps ? undefined : refuseDuty(c, 'change_settings');
    if (refused) return refused;
    return settings.answer(changeSettings(c.env, change, defaults, actorOf(c)));
  },
});

settingsRoutes.add({
  operationId: 'getShares',
  path: SHARES_PATH,
  duty: 'read',
  summary: 'Each ledger’s share of the supply caps and exposures, and what is used of it',
  description: 'The limits of the whole exchange are in the settings. Each is the sum of the ledgers’ shares of it.',
  ...shares.documented,
  handle: async (c) => accept({ shares: await readShareReport(c.env) }),
});

settingsRoutes.add({
  operationId: 'changeShares',
  method: 'patch',
  path: SHARES_PATH,
  duty: 'set_caps',
  summary: 'Set shares of a ledger other than 0',
  description:
    'Ledger 0 gives the ledger what it lacks, and gets what it has more. No limit of the exchange changes, and shares that are not named stay. Either all take effect or none. What is taken is taken first: until every ledger has confirmed that, no ledger may use more.',
  request: { body: jsonBody(ChangeShares) },
  ...shares.documented,
  refusals: ['precision_exceeded', 'amount_above_maximum', 'invalid_state'],
  handle: (c) => shares.answer(changeShares(c.env, c.req.valid('json'), actorOf(c))),
});
