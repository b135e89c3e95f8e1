import { writeEntry } from '../entry.ts';

/** The path at which a metered exchange returns the times of the keeper's batches, and forgets them. */
const BATCHES_PATH = '/growth/batches';

const SCRIPT = `
let batches = [];

const meter = (database) => ({
  prepare: (text) => database.prepare(text),
  async batch(statements) {
    const results = await database.batch(statements);
    batches.push(results.reduce((sum, { meta }) => sum + meta.duration, 0));
    return results;
  },
});

export class LedgerKeeper extends own.LedgerKeeper {
  constructor(state, bindings) {
    if (bindings.HURRIES === 'yes') globalThis.scheduler = { wait: async () => {} };
    super(state, { ...bindings, DB: meter(bindings.DB) });
  }
}

export default {
  fetch(request, bindings, context) {
    if (new URL(request.url).pathname !== '${BATCHES_PATH}') return exchange.fetch(request, bindings, context);
    const told = batches;
    batches = [];
    return Response.json(told);
  },
  scheduled: exchange.scheduled,
};
`;

/**
 * Writes an entry next to a bundle, and returns its name for `startExchange`. It is the deployed exchange without a
 * log, and it notes D1's time for each batch of its keeper. The keeper's object and the Worker share an isolate, so the
 * Worker can return what the object has noted. With the variable HURRIES the keeper does not pause.
 */
export function writeMeteredEntry(bundle: string): string {
  return writeEntry(bundle, SCRIPT);
}

/** D1's milliseconds for each batch since the last call. */
export async function takeBatches(url: string): Promise<number[]> {
  return (await (await fetch(`${url}${BATCHES_PATH}`)).json()) as number[];
}
