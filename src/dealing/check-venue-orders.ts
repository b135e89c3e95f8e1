import { listLedgers } from '../db/database.ts';
import { FIRST_LEDGER, isRecordId, ledgerNumberOf, timeOfRecord } from '../db/record-id.ts';
import { VENUE_PREFIX } from '../db/transfers.ts';
import type { Bindings } from '../platform/bindings.ts';
import type { Duty } from '../reconciliation/duty.ts';
import type { Finding } from '../reconciliation/invariants.ts';
import type { VenueReport } from './contract.ts';
import { type VenueState, reachHedger } from './reach-hedger.ts';

type ListedOrder = VenueReport['orders'][number];

/** The venues of this ledger, and when its money first came there. */
const READ_VENUES = `
  SELECT substr(account_id, ${VENUE_PREFIX.length + 1}) AS venue, min(id) AS first FROM fundings
  WHERE account_id GLOB '${VENUE_PREFIX}*' GROUP BY account_id`;
/** What a person has looked at and cleared is not found again. */
const READ_CLEARED = `
  SELECT coalesce(max(found_at), 0) AS cleared FROM reconciliation_violations
  WHERE invariant = 'hedges_sent_once' AND cleared_at IS NOT NULL`;
const READ_HEDGES = `
  SELECT id, status FROM hedges WHERE account_id = ? AND id IN (SELECT value FROM json_each(?))`;

/** Compares the venues' own lists of orders with the hedges of a ledger. */
export function compareVenueOrders(readVenues = readFirstHedger): Duty {
  return {
    fault: 'venue_orders_not_checked',
    run: async ({ bindings, ledger, database, note }) => {
      const d1 = database.$client;
      const { results: own } = await d1.prepare(READ_VENUES).all<{ venue: string; first: string }>();
      if (own.length === 0) return;
      const venues = await readVenues(bindings);
      const [{ cleared } = { cleared: 0 }] = (await d1.prepare(READ_CLEARED).all<{ cleared: number }>()).results;
      const isOwn = isOrderOf(ledger, listLedgers(bindings).length);
      let checked = 0;
      const findings: Finding[] = [];
      for (const { venue, first } of own) {
        const since_ms = Math.max(timeOfRecord(first), cleared);
        const listed = venues.find((one) => one.venue === venue)?.report?.orders ?? [];
        const orders = listed.filter((order) => isOwn(order) && Date.parse(order.at) > since_ms);
        if (orders.length === 0) continue;
        const ids = JSON.stringify(orders.map(({ id }) => id));
        const { results } = await d1
          .prepare(READ_HEDGES)
          .bind(VENUE_PREFIX + venue, ids)
          .all<{ id: string; status: string }>();
        findings.push(...judgeOrders(venue, orders, new Map(results.map(({ id, status }) => [id, status]))));
        checked += orders.length;
      }
      await note({ hedges_sent_once: checked }, findings, Date.now());
    },
  };
}

function readFirstHedger(bindings: Bindings): Promise<readonly VenueState[]> {
  return reachHedger(bindings, FIRST_LEDGER).readVenues();
}

/** Whether an order is for a ledger to explain: it bears the id of a hedge of it, or of none at all. Pure. */
function isOrderOf(ledger: number, ledgers: number): (order: ListedOrder) => boolean {
  return ({ id }) => {
    if (id === null || !isRecordId(id)) return true;
    const named = ledgerNumberOf(id);
    return named === ledger || named >= ledgers;
  };
}

/**
 * Each order of the list is one hedge's, and no other is the same one's. A hedge has its row before it is sent, so an order
 * without a hedge was sent by somebody else, or its row was lost. `hedges` has the states by id. Pure.
 */
function judgeOrders(venue: string, orders: readonly ListedOrder[], hedges: ReadonlyMap<string, string>): Finding[] {
  const seen = new Set<string>();
  return orders.flatMap(({ id, reference, coin, side, amount, cost, at }) => {
    const status = hedges.get(id ?? '');
    const isSecond = seen.has(id ?? '');
    if (id !== null) seen.add(id);
    const fault =
      id === null || status === undefined
        ? 'no hedge has it'
        : status === 'NEVER'
          ? 'its hedge has ended as never dealt'
          : isSecond
            ? 'its hedge has another order'
            : undefined;
    if (fault === undefined) return [];
    const example = { venue, id: id ?? '', reference, coin, side, amount, cost, at, fault };
    return [{ invariant: 'hedges_sent_once' as const, example }];
  });
}
