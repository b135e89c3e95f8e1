import { readSnapshot } from '../markets/read-hub.ts';
import { CreateFunding, Funding, fund, isVenue } from '../dealing/fund.ts';
import { askLedgers } from '../db/ask-ledgers.ts';
import { firstLedger } from '../db/database.ts';
import { readSettings } from '../db/settings.ts';
import { accept, refuse } from '../http/answer.ts';
import { jsonBody } from '../http/request.ts';
import { VALUE_MAX_AGE_MS } from '../markets/firm-price.ts';
import { formatAmount, parseAmount } from '../money/amounts.ts';
import { QUOTE_ASSET, scaleOf } from '../money/assets.ts';
import type { Bindings } from '../platform/bindings.ts';
import { actorOf } from './authenticate-operator.ts';
import { findLedgerAt } from './find-records.ts';
import { readPositions, valueHouse } from './house.ts';
import { createOperatorArea } from './operations.ts';

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
