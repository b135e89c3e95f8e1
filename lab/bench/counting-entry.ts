import { writeEntry } from '../entry.ts';

/**
 * Wraps the deployed bundle and replaces two things that the local runtime does slowly: it counts anonymous reads by
 * asking an object over HTTP, and it formats each log line for a terminal. A measurement would measure these instead of
 * the exchange. Here counts stay in memory, and a log line is built and copied but not printed.
 */
const SCRIPT = `
const counts = new Map();
const ANONYMOUS_READS = {
  async limit({ key }) {
    counts.set(key, (counts.get(key) ?? 0) + 1);
    return { success: true };
  },
};
let counting;

export default {
  fetch(request, bindings, context) {
    counting ??= { ...bindings, ANONYMOUS_READS, ANONYMOUS_NETWORKS: ANONYMOUS_READS };
    return exchange.fetch(request, counting, context);
  },
  scheduled: exchange.scheduled,
};
`;

/** Writes the entry next to a bundle, and returns its name for `startExchange`. */
export function writeCountingEntry(bundle: string): string {
  return writeEntry(bundle, SCRIPT);
}
