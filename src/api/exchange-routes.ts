import { answerThroughEdge } from '../http/edge-cache.ts';
import { accept } from '../http/answer.ts';
import { firstLedger } from '../db/database.ts';
import { SETTINGS_MAX_AGE_MS, readSettings } from '../db/settings.ts';
import { readSnapshot } from '../markets/read-hub.ts';
import { config } from '../env.ts';
import { chooseTradingContext } from '../providers.ts';
import { describeAssets, describeExchange } from '../exchange/describe-exchange.ts';
import { readStatus } from '../exchange/read-status.ts';
import { AssetList, ExchangeInfo, ServerTime, Status } from '../exchange/schemas.ts';
import { createPublicArea } from '../access/operations.ts';

/** How long answers that depend on the operator's settings are cached. */
const LIFETIME_MS = SETTINGS_MAX_AGE_MS;

/** The largest age of the prices for the status: young enough to be firm, but not so young that each status makes a new round. */
const SNAPSHOT_MAX_AGE_MS = 2_500;

const PAYOUT_ALERT_MS = config.PAYOUT_ALERT_MINUTES * 60_000;

const trading = chooseTradingContext(config);

/** Public facts about the exchange. No key is needed. */
export const exchange = createPublicArea('Exchange');

exchange.add({
  operationId: 'listAssets',
  path: '/api/v1/assets',
  summary: 'Assets, the networks that carry them, fees and minimums',
  description:
    'The networks of each asset, with the fees and minimums in force. The operator may pause a network or change a fee; an answer is at most some seconds old.',
  answer: 'Every asset, in the order of the specification',
  body: AssetList,
  isCacheable: true,
  handle: (c) =>
    answerThroughEdge(c, 'assets', async () => {
      const settings = await readSettings(firstLedger(c.env));
      return accept({ body: describeAssets(settings, config.UNSERVED_NETWORKS), lifetime_ms: LIFETIME_MS });
    }),
});

exchange.add({
  operationId: 'getExchangeInfo',
  path: '/api/v1/exchange-info',
  summary: 'Markets with their steps, bounds and spread, intervals, rate limits',
  description:
    'What a client needs for a valid order: the smallest step of each amount, and the smallest and largest notional. An amount with more decimals is refused, not rounded.',
  answer: 'Markets, intervals and rate limits',
  body: ExchangeInfo,
  isCacheable: true,
  handle: (c) =>
    answerThroughEdge(c, 'exchange-info', async () => {
      const settings = await readSettings(firstLedger(c.env));
      return accept({ body: describeExchange(settings, trading, Date.now()), lifetime_ms: LIFETIME_MS });
    }),
});

exchange.add({
  operationId: 'getServerTime',
  path: '/api/v1/time',
  summary: 'The time of the server',
  description: 'For clients that check their clock. Codes of the second factor depend on it.',
  answer: 'Now; never cached',
  body: ServerTime,
  handle: (c) => {
    c.header('Cache-Control', 'no-store');
    return accept({ serverTime: new Date().toISOString() });
  },
});

exchange.add({
  operationId: 'getStatus',
  path: '/api/v1/status',
  summary: 'Whether trading, withdrawals and prices work',
  description:
    '`status` is the worst of the three parts. While prices are DEGRADED, orders in the affected markets are refused with `price_unavailable`. What is HALTED is refused until the operator lifts the halt.',
  answer: 'The exchange as a whole, and its parts',
  body: Status,
  isCacheable: true,
  handle: (c) =>
    answerThroughEdge(c, 'status', async () => {
      const snapshot = readSnapshot(c.env, SNAPSHOT_MAX_AGE_MS);
      return accept({ body: await readStatus(c.env, snapshot, PAYOUT_ALERT_MS), lifetime_ms: LIFETIME_MS });
    }),
});
