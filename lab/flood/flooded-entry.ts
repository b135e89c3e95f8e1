import { writeEntry } from '../entry.ts';
import { SLOW_DATABASE } from '../slow-database.ts';

const GATE_LIFE_MS = 1_000;

export const GATE_ABORTED = 'the flood aborts the gate';

const ABORTING = `
export default exchange;

export class LedgerGate extends own.LedgerGate {
  constructor(state, bindings) {
    super(state, bindings);
    setTimeout(() => {
      console.error('${GATE_ABORTED}');
      state.abort('aborted by the flood');
    }, ${GATE_LIFE_MS});
  }
}
`;

/** What each call of the database takes longer, as one that crosses a data centre does. */
export const ADDED_MS = 10;

const slow = (callsOfRefusal: number) => `
export default exchange;

${SLOW_DATABASE}

const slow = (database) => slowDatabase(database, () => scheduler.wait(${ADDED_MS}), async (results) => {
  const refused = results.flatMap((result) => result.results ?? []).filter(({ reason }) => reason !== undefined);
  if (refused.length > 0) await scheduler.wait(${ADDED_MS} * ${callsOfRefusal} * refused.length);
});

export class KeyLane extends own.KeyLane {
  constructor(state, bindings) {
    super(state, { ...bindings, DB: slow(bindings.DB) });
  }
}

export class LedgerGate extends own.LedgerGate {
  constructor(state, bindings) {
    super(state, { ...bindings, DB: slow(bindings.DB) });
  }
}
`;

/**
 * Writes an entry next to a bundle, which prints no log lines, and returns its name for `startServedExchange`. With
 * `abortsGate` every gate is aborted a second after it began, with all orders that are in it, and the next one begins.
 */
export function writeFloodedEntry(bundle: string, abortsGate: boolean): string {
  return writeEntry(bundle, abortsGate ? ABORTING : undefined);
}

/**
 * Writes an entry in which each call of the database from a lane or the gate takes `ADDED_MS` longer. An order that the
 * database refuses takes so many calls more for its whole batch: none, as it is, or one, as if the batch had to be sent
 * again without it.
 */
export function writeSlowEntry(bundle: string, callsOfRefusal: 0 | 1): string {
  return writeEntry(bundle, slow(callsOfRefusal));
}
