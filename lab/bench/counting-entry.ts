import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Wraps the deployed bundle and replaces two things that the local runtime does slowly: it counts anonymous reads by
 * asking an object over HTTP, and it formats each log line for a terminal. A measurement would measure these instead of
 * the exchange. Here counts stay in memory, and a log line is built and copied but not printed.
 */
const COUNTING_ENTRY = 'counting-entry.js';
const COUNTING_SCRIPT = `import exchange from './index.js';
export * from './index.js';

console.log = (...values) => void JSON.stringify(values);

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
  writeFileSync(join(bundle, COUNTING_ENTRY), COUNTING_SCRIPT);
  return COUNTING_ENTRY;
}
