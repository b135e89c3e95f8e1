import { readSnapshot } from '../markets/read-hub.ts';
import { z } from '@hono/zod-openapi';
import { coinSymbols, QUOTE_ASSET, scaleOf } from '../money/assets.ts';
import { CreateFunding, Funding, fund, isVenue } from '../dealing/fund.ts';
import {
  Hedge,
  type HedgeRow,
  SettleHedge,
  listHedges,
  listOpenHedges,
  readHedge,
  settleHedge,
  showHedge,
} from '../dealing/hedge.ts';
import { newestFirst } from '../db/merge-pages.ts';
import { ListQuery, oneOf, onePage } from '../http/list.ts';
import type { WrittenAnswer } from '../http/area.ts';
import { askLedgers } from '../db/ask-ledgers.ts';
import { firstLedger } from '../db/database.ts';
import { readNewestHalt } from '../db/newest-halt.ts';
import { readPositions } from '../db/positions.ts';
import { readVenueStates } from '../dealing/reach-hedger.ts';
import { readSettings } from '../db/settings.ts';
import { accept, refuse } from '../http/answer.ts';
import { jsonBody } from '../http/request.ts';
import { VALUE_MAX_AGE_MS } from '../markets/firm-price.ts';
import { formatAmount, parseAmount } from '../money/amounts.ts';
import type { Bindings } from '../platform/bindings.ts';
import { actorOf } from './authenticate-operator.ts';
import { aRow, findLedgerAt } from './find-records.ts';
import { valueHouse } from './house.ts';
import { createOperatorArea } from './operations.ts';
import { Profit, ProfitQuery, describeProfit, readDays, writeProfit } from './profit.ts';
import { readFromKeepers } from './read-keepers.ts';
import { readMerged } from './read-merged.ts';
import { Venues, describeVenues } from './venues.ts';

/** The operator's routes for the house's own money: capital, venues, hedges. */
export const liquidityRoutes = createOperatorArea('Liquidity');

liquidityRoutes.add({
  operationId: 'createFunding',
  method: 'post',
  path: '/operator/v1/fundings',
  duty: 'fund_house',
  ledgerOfChange: async (c) => CreateFunding.parse(await c.req.json()).ledger,
  needsTwo: true,
  summary:
    'Record that money of the house went from its owner, custody or a venue to another of them, once per reference',
  description:
    'From the owner it is capital brought in, to the owner capital taken out. Enter it when it has happened. The same reference with the same terms gets the same answer and moves nothing again. What is at venues stays within `maxAtVenues`.',
  request: { body: jsonBody(CreateFunding) },
  answer: { 200: 'The funding, entered before', 201: 'The funding' },
  body: { funding: Funding },
  refusals: [
    'precision_exceeded',
    'amount_below_minimum',
    'amount_above_maximum',
    'invalid_state',
    'order_rejected',
    'price_unavailable',
  ],
  handle: async (c) => {
    const wanted = c.req.valid('json');
    const found = findLedgerAt('/ledger', c.env, wanted.ledger);
    if (!found.ok) return found;
    const refused = isVenue(wanted.to) ? await refuseAtVenues(c.env, wanted) : undefined;
    if (refused) return refused;
    const funded = await fund(c.env, wanted, actorOf(c));
    if (!funded.ok) return funded;
    c.status(funded.value.isNew ? 201 : 200);
    return accept({ funding: funded.value.funding });
  },
});

liquidityRoutes.add({
  operationId: 'getProfit',
  path: '/operator/v1/profit',
  duty: 'read',
  summary: 'What the house earned and lost, by day and coin',
  description:
    'Spread, hedges, fees, settlements and the revaluation of the position; they add up to the change of what the house has beyond its capital. Counted every minute, and valued at the firm price of that minute. At most 366 days. A ledger that does not answer is named, and the sums are without it.',
  request: { query: ProfitQuery },
  answer: 'Profit and loss, in the format that was asked for',
  body: { profit: Profit },
  content: {
    'text/csv': {
      schema: z.string().openapi({
        description: 'RFC 4180 with a header: a line for each day and coin, newest day first',
        example:
          'day,coin,orders,spread,hedges,fees,settlements,revaluation,profit\r\n2026-11-21,BTC,120,31.25,-8.4,-2.6,0,-3.1,17.15\r\n',
      }),
    },
  },
  handle: async (c) => {
    const { format, ...query } = c.req.valid('query');
    const days = readDays(query, Date.now());
    if (!days.ok) return days;
    const { from } = days.value;
    const answers = await readFromKeepers(c.env, (keeper) => keeper.readProfit(from));
    const profit = describeProfit(answers, days.value, Date.now());
    if (format === 'json') return accept({ profit });
    return c.body(writeProfit(profit), 200, { 'Content-Type': 'text/csv' }) as Response as WrittenAnswer;
  },
});

liquidityRoutes.add({
  operationId: 'listHedges',
  path: '/operator/v1/hedges',
  duty: 'read',
  summary: 'Hedges of all ledgers, newest first',
  description:
    'A page at a time. One that is OPEN for longer than the venue’s lateness and five minutes needs a person.',
  request: {
    query: ListQuery.extend({
      coin: z.enum(coinSymbols).optional().openapi({ description: 'Hedges of this coin', example: 'BTC' }),
      status: z
        .enum(['OPEN', 'DEALT', 'NEVER'])
        .optional()
        .openapi({ description: 'Hedges in this state', example: 'OPEN' }),
      venue: z.string().min(1).max(32).optional().openapi({ description: 'Hedges at this venue', example: 'binance' }),
    }),
  },
  ...onePage('hedges', Hedge),
  handle: (c) => {
    const { coin, status, venue, ...query } = c.req.valid('query');
    const filter = { coin, status, venue };
    const list = { name: 'hedges', show: showHedgeNow, filter, order: newestFirst } as const;
    return readMerged(c, list, query, (database, behind, count) => listHedges(database, filter, behind, count));
  },
});

const hedge = oneOf('hedge', Hedge, showHedgeNow);

liquidityRoutes.add({
  operationId: 'settleHedge',
  method: 'post',
  path: '/operator/v1/hedges/{id}/settle',
  duty: 'fund_house',
  needsTwo: true,
  summary: 'End a hedge that the dealer does not end, as dealt or as never',
  description:
    'From OPEN to DEALT with what the venue did, or to NEVER with what was set aside returned. Look at the venue’s own list first, and see that the dealer will never send it: a settlement cannot be undone. Until five minutes after `sendBy` only the dealer ends it.',
  of: aRow(readHedge, 'There is no hedge of that id.'),
  request: { body: jsonBody(SettleHedge) },
  ...hedge.documented,
  refusals: ['invalid_state'],
  handle: (c, { row, database }) => hedge.answer(settleHedge(database, row, c.req.valid('json'), actorOf(c))),
});

liquidityRoutes.add({
  operationId: 'getVenues',
  path: '/operator/v1/venues',
  duty: 'read',
  summary: 'What each venue holds and should hold, its open hedges, and what custody or a venue lacks',
  description:
    'The dealer is asked every minute. A ledger that does not answer is named, and the sums are without it. Of assets that a venue neither holds nor should hold nothing is shown.',
  answer: 'The venues',
  body: { venues: Venues },
  handle: async (c) => {
    const database = firstLedger(c.env);
    const [answers, states, settings, halt, snapshot] = await Promise.all([
      askLedgers(c.env, async (ledger) => ({
        positions: await readPositions(ledger),
        hedges: await listOpenHedges(ledger),
      })),
      readVenueStates(c.env),
      readSettings(database),
      readNewestHalt(database, 'hedging'),
      readSnapshot(c.env, VALUE_MAX_AGE_MS),
    ]);
    return accept({ venues: describeVenues({ answers, states, settings, halt, snapshot, now_ms: Date.now() }) });
  },
});

function showHedgeNow(row: HedgeRow): Hedge {
  return showHedge(row, Date.now());
}

/** Refuses a funding after which more would be at venues than is allowed: by default the house's own capital. */
async function refuseAtVenues(bindings: Bindings, { asset, amount, from }: CreateFunding) {
  const [answers, snapshot, { maxAtVenues }] = await Promise.all([
    askLedgers(bindings, readPositions),
    readSnapshot(bindings, VALUE_MAX_AGE_MS),
    readSettings(firstLedger(bindings)),
  ]);
  const sent = parseAmount(amount, scaleOf(asset)) ?? 0n;
  const value = answers.every(({ answer }) => answer)
    ? valueHouse(answers, snapshot, { asset, sent, isCapital: from === 'owner' }, Date.now())
    : null;
  if (!value) {
    const detail = 'What is at venues cannot be valued: a ledger or the market does not answer.';
    return refuse('price_unavailable', detail, { retryAfterSeconds: 1 });
  }
  const most = maxAtVenues ?? value.capital;
  if (value.atVenues <= most) return undefined;
  const [after, allowed] = [value.atVenues, most].map((atoms) => formatAmount(atoms, scaleOf(QUOTE_ASSET)));
  return refuse('invalid_state', `${after} USDT would be at venues, and at most ${allowed} may be (maxAtVenues).`);
}
