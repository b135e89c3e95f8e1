import type { VenueReport } from '../../src/dealing/contract.ts';
import { writeAmount } from './amounts.ts';
import type { Store } from './store.ts';
import type { VenueFacts } from './venue-facts.ts';

/** How far back a venue's orders are listed. */
const ORDERS_LISTED_MS = 48 * 3_600_000;

/** Deals that end while a report is made make it again, so often. */
const ATTEMPTS = 3;

export interface ReportParts {
  readonly store: Store;
  readonly now: () => number;
  /** The state of an open deal, as a look-up says it. */
  readonly stateOf: (id: string) => string;
}

const writeTime = (time_ms: number) => new Date(time_ms).toISOString();

/**
 * The answer to `GET /v1/venues/{name}`. Balances that no open deal can have moved are noted as seen. Rejects when the
 * venue does not answer.
 */
export async function reportVenue(facts: VenueFacts, parts: ReportParts): Promise<VenueReport> {
  const { venue } = facts;
  const { store, now, stateOf } = parts;
  const [markets, offset_ms] = await Promise.all([facts.readMarkets(), venue.readClockOffset()]);
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    const at_ms = now();
    const since_ms = at_ms - ORDERS_LISTED_MS;
    const [balances, orders] = await Promise.all([venue.readBalances(), venue.readOrders(since_ms)]);
    if (store.hasMovedSince(venue.name, at_ms)) continue;
    for (const coin of venue.coins) store.noteSeen(venue.name, coin, at_ms, balances.get(coin) ?? 0n);
    const open = store.listOpen().filter(({ deal }) => deal.venue === venue.name);
    return {
      venue: venue.name,
      at: writeTime(at_ms),
      lateness_ms: venue.lateness_ms,
      clockOffset_ms: offset_ms,
      balances: [...balances]
        .filter(([, amount]) => amount > 0n)
        .map(([asset, amount]) => ({ asset, amount: writeAmount(amount) })),
      markets: markets.map(({ coin, isOpen, amountStep, priceStep, minAmount, minCost, takerFee }) => {
        return { coin, isOpen, amountStep, priceStep, minAmount, minCost, takerFee };
      }),
      unresolved: open.map(({ deal: { id, ledger, coin }, taken_ms }) => {
        return { id, ledger, coin, status: stateOf(id), since: writeTime(taken_ms) };
      }),
      dealt: store
        .sumMoves(venue.name)
        .map(({ ledger, asset, amount }) => ({ ledger, asset, amount: writeAmount(amount) })),
      ordersSince: writeTime(since_ms),
      orders: orders.map(({ at_ms: filled_ms, ...order }) => ({ ...order, at: writeTime(filled_ms) })),
    };
  }
  throw new Error('deals end faster than balances can be read');
}
