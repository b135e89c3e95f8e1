import { type EventCounts, openMetrics } from '../../custodian/src/metrics.ts';
import type { Dealer } from './dealer.ts';
import type { Store } from './store.ts';

/** What the metrics are computed from. */
export interface MetricsParts {
  readonly store: Store;
  readonly dealer: Dealer;
  readonly venues: readonly string[];
  readonly counts: EventCounts;
  readonly now: () => number;
}

/** The metrics in Prometheus' text format: gauges from the database, and a count of each event since the start. */
export function writeMetrics({ store, dealer, venues, counts, now }: MetricsParts): string {
  const { lines, add } = openMetrics('dealer');
  const open = store.listOpen();
  const age = (time_ms: number) => Math.max(0, Math.round((now() - time_ms) / 1_000));
  for (const venue of venues) {
    const own = open.filter(({ deal }) => deal.venue === venue);
    const [oldest] = own;
    const reported_ms = dealer.reportedAt(venue);
    add('deals_open', { venue }, own.length);
    add('deals_held', { venue }, own.filter(({ held }) => held !== null).length);
    if (oldest) add('deals_open_oldest_seconds', { venue }, age(oldest.taken_ms));
    if (reported_ms !== undefined) add('report_age_seconds', { venue }, age(reported_ms));
  }
  for (const [event, count] of counts.list()) add('events_total', { event }, count);
  return `${lines.join('\n')}\n`;
}
