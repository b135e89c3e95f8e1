import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

const ENTRY = 'flooded-entry.js';

/** How long a gate lives before it is aborted. */
const GATE_LIFE_MS = 1_000;

/** What is printed whenever a gate is aborted. */
export const GATE_ABORTED = 'the flood aborts the gate';

const SILENT = `import exchange from './index.js';
export * from './index.js';

// The local runtime would format each line for a terminal.
console.log = (...values) => void JSON.stringify(values);

export default exchange;
`;

const ABORTING = `${SILENT}
import { LedgerGate as Gate } from './index.js';

export class LedgerGate extends Gate {
  constructor(state, bindings) {
    super(state, bindings);
    setTimeout(() => {
      console.error('${GATE_ABORTED}');
      state.abort('aborted by the flood');
    }, ${GATE_LIFE_MS});
  }
}
`;

/**
 * Writes an entry next to a bundle, which prints no log lines, and returns its name for `startServedExchange`. With
 * `abortsGate` every gate is aborted a second after it began, with all orders that are in it, and the next one begins.
 */
export function writeFloodedEntry(bundle: string, abortsGate: boolean): string {
  writeFileSync(join(bundle, ENTRY), abortsGate ? ABORTING : SILENT);
  return ENTRY;
}
