import { answerThroughEdge } from '../http/edge-cache.ts';
import type { LedgerBindings } from '../platform/bindings.ts';
import { describeError, logFault } from '../platform/log.ts';
import { accept } from '../http/answer.ts';
import { isSilent } from '../db/custody-standing.ts';
import { firstLedger, listLedgers, openLedger } from '../db/database.ts';
import { type KeeperBindings, reachKeeper } from '../reconciliation/reach-keeper.ts';
import { FIRST_LEDGER } from '../db/record-id.ts';
import { type Halts, SETTINGS_MAX_AGE_MS, mergeHalts, readSettings } from '../db/settings.ts';
import { readSnapshot } from '../markets/read-hub.ts';
import { config } from '../env.ts';
import { chooseTradingContext } from '../providers.ts';
import { describeAssets, describeExchange } from '../exchange/describe-exchange.ts';
import { type PayoutHealth, judgeStatus } from '../exchange/judge-status.ts';
import { AssetList, ExchangeInfo, ServerTime, Status } from '../exchange/schemas.ts';
import { createPublicArea } from '../access/operations.ts';

/** How long answers that depend on the operator's settings are cached. */
const LIFETIME_MS = SETTINGS_MAX_AGE_MS;

/** The largest age of the prices for the status: young enough to be firm, but not so young that each status makes a new round. */
const SNAPSHOT_MAX_AGE_MS = 2_500;

const MINUTE_MS = 60_000;

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
      const [settings, snapshot, payouts] = await Promise.all([
        findHalts(c.env),
        readSnapshot(c.env, SNAPSHOT_MAX_AGE_MS),
        findPayoutHealth(c.env),
      ]);
      return accept({ body: judgeStatus(settings, snapshot, payouts, Date.now()), lifetime_ms: LIFETIME_MS });
    }),
});

/** What the keeper knows about the custodian, or `undefined` when it does not answer. */
async function findPayoutHealth(bindings: KeeperBindings): Promise<PayoutHealth | undefined> {
  try {
    const standing = await reachKeeper(bindings, FIRST_LEDGER).readCustody();
    return {
      isSilent: isSilent(standing, Date.now()),
      oldestPayoutAt: standing.oldestPayoutAt,
      lateAfter_ms: config.PAYOUT_ALERT_MINUTES * MINUTE_MS,
    };
  } catch (error) {
    logFault('keeper_unreachable', { error: describeError(error) });
    return undefined;
  }
}

/** What is halted in any ledger, or `undefined` when one cannot be read: that is an answer here, not a failure. */
async function findHalts(bindings: LedgerBindings): Promise<Halts | undefined> {
  try {
    const ledgers = listLedgers(bindings).map((ledger) => openLedger(bindings, ledger));
    return mergeHalts(await Promise.all(ledgers.map(readSettings)));
  } catch (error) {
    logFault('settings_unreadable', { error: describeError(error) });
    return undefined;
  }
}
