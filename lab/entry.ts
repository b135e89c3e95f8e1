import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

const ENTRY = 'lab-entry.js';

/** Everything that the bundle exports, without its log: the local runtime would format each line for a terminal. */
const SILENT = `import exchange, * as own from './index.js';
export * from './index.js';

console.log = (...values) => void JSON.stringify(values);
`;

/**
 * Writes an entry next to a bundle, in place of the one before, and returns its name for `startExchange`. The script
 * finds the deployed Worker as `exchange`, and its objects in `own`.
 */
export function writeEntry(bundle: string, script = 'export default exchange;\n'): string {
  writeFileSync(join(bundle, ENTRY), `${SILENT}${script}`);
  return ENTRY;
}
