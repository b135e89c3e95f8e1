import { readSnapshot, readStandings } from '../markets/read-hub.ts';
import { send } from '../http/area.ts';
import { createOperatorArea } from './operations.ts';
import { House, describeHouse, firstDayShown } from './house.ts';
import { type LedgerAnswer, askLedgers } from '../db/ask-ledgers.ts';
import { VALUE_MAX_AGE_MS } from '../markets/firm-price.ts';
import { FIRST_LEDGER } from '../db/record-id.ts';
import { accept } from '../http/answer.ts';
import { listOpenHedges } from '../dealing/hedge.ts';
import { readPositions } from '../db/positions.ts';
import { readVenueStates } from '../dealing/reach-hedger.ts';
import { describeVenues } from './venues.ts';
import { METRICS_TYPE, writeMetrics } from './metrics.ts';
import { z } from '@hono/zod-openapi';
import { readOpenWork } from '../exchange/open-work.ts';
import { readGateLoad } from '../orders/place-order.ts';
import { dayOf } from '../reconciliation/day-sums.ts';
import { type ProfitOfDay, mergeProfit } from '../reconciliation/profit-of-day.ts';
import { mergePositions } from '../reconciliation/position-of-day.ts';
import { firstLedger } from '../db/database.ts';
import { readSettings } from '../db/settings.ts';
import { FlowReport, FlowsQuery, describeFlows } from './flows.ts';
import { readDays } from './profit.ts';
import { readFromKeeper, readFromKeepers } from './read-keepers.ts';

/** The operator's routes for the position of the house, and for a scraper. */
export const houseRoutes = createOperatorArea('House');

houseRoutes.add({
  operationId: 'getHouse',
  path: '/operator/v1/house',
  duty: 'read',
  summary: 'What is owed to clients, and the house’s own position in each asset',
  description:
    'Owed to clients, in flight, fees earned, inventory with its value, how much of exposure and supply cap is used, whether the custodian holds what it should, and the spread earned by day. The balances of a ledger are of one moment; a ledger that does not answer is named, and the sums are without it. The custodian is asked every minute.',
  answer: 'The position',
  body: { house: House },
  handle: async (c) => {
    const today = dayOf(Date.now());
    const [answers, snapshot, custodian, gained, held, { coinTerms }] = await Promise.all([
      askLedgers(c.env, readPositions),
      readSnapshot(c.env, VALUE_MAX_AGE_MS),
      readFromKeeper(c.env, FIRST_LEDGER, (keeper) => keeper.readCustody()),
      readFromKeepers(c.env, (keeper) => keeper.readProfit(firstDayShown(Date.now()))),
      readFromKeepers(c.env, (keeper) => keeper.readPositions(firstDayShown(Date.now()), today)),
      readSettings(firstLedger(c.env)),
    ]);
    const positions = held.every(({ answer }) => answer)
      ? mergePositions(held.flatMap(({ answer }) => answer ?? []))
      : undefined;
    const facts = { answers, snapshot, custodian, profit: sumProfit(gained), positions, coinTerms, now_ms: Date.now() };
    return accept({ house: describeHouse(facts) });
  },
});

houseRoutes.add({
  operationId: 'getFlows',
  path: '/operator/v1/flows',
  duty: 'read',
  summary: 'What came in, what left and what was traded, by day',
  description: 'Counted every minute, by the value of each record when it was made. At most 366 days.',
  request: { query: FlowsQuery },
  answer: 'The sums of each day',
  body: { flows: FlowReport },
  handle: async (c) => {
    const days = readDays(c.req.valid('query'), Date.now());
    if (!days.ok) return days;
    const { from, to } = days.value;
    const answers = await readFromKeepers(c.env, (keeper) => keeper.readFlows(from));
    return accept({ flows: describeFlows(answers, to, Date.now()) });
  },
});

houseRoutes.add({
  operationId: 'getMetrics',
  path: '/operator/v1/metrics',
  duty: 'read',
  summary: 'Metrics for a scraper, as OpenMetrics text',
  description:
    'Halts, what is open and how old it is, positions and limits, the day’s orders and profit, hedges and venues, prices and their sources, the gates, the progress of the reconciliation. What cannot be reached is absent. docs/alerts.yml has rules for alerts upon them.',
  answer: 'The metrics of this moment',
  content: {
    [METRICS_TYPE]: {
      schema: z.string().openapi({
        description: 'OpenMetrics 1.0.0',
        example:
          '# TYPE bureau_trading_halted gauge\n# HELP bureau_trading_halted Whether trading is halted\nbureau_trading_halted 0\n# EOF\n',
      }),
    },
  },
  handle: async (c) => {
    const [read, keepers, snapshot, custodian, gained, standings, load, settings, states] = await Promise.all([
      askLedgers(c.env, async (database) => {
        const reads = [readOpenWork(database), readPositions(database), listOpenHedges(database)] as const;
        const [work, positions, hedges] = await Promise.all(reads);
        return { work, positions, hedges };
      }),
      readFromKeepers(c.env, (keeper) => keeper.read()),
      readSnapshot(c.env, VALUE_MAX_AGE_MS),
      readFromKeeper(c.env, FIRST_LEDGER, (reached) => reached.readCustody()),
      readFromKeepers(c.env, (keeper) => keeper.readProfit(dayOf(Date.now()))),
      readStandings(c.env),
      readGateLoad(c.env),
      readSettings(firstLedger(c.env)),
      readVenueStates(c.env),
    ]);
    const now_ms = Date.now();
    const answers = read.map(({ ledger, answer }) => ({ ledger, answer: answer?.positions }));
    const { coinTerms, dailyLoss } = settings;
    const house = describeHouse({ answers, snapshot, custodian, profit: sumProfit(gained), coinTerms, now_ms });
    const venues = describeVenues({ answers: read, states, settings, halt: null, snapshot, now_ms });
    const ledgers = read.map(({ ledger, answer }, place) => {
      return { ledger, work: answer?.work, keeper: keepers[place]?.answer };
    });
    const facts = { ledgers, house, gained, dailyLoss, venues, snapshot, custodian, standings, load, now_ms };
    return send(c, { status: 200, headers: { 'Content-Type': METRICS_TYPE }, body: writeMetrics(facts) });
  },
});

/** What the house gained in all ledgers; `undefined` when a keeper does not answer. Pure. */
function sumProfit(answers: readonly LedgerAnswer<readonly ProfitOfDay[]>[]): readonly ProfitOfDay[] | undefined {
  return answers.every(({ answer }) => answer) ? mergeProfit(answers.flatMap(({ answer }) => answer ?? [])) : undefined;
}
