import { parseConfig } from '../../src/config.ts';

const PREFIX = 'configuration refused: ';

/**
 * Returns what the Worker itself finds wrong with some of its variables, each as a sentence part such as `CURSOR_SECRET
 * is not JSON`. The Worker's own rules judge; what they say of variables that were not given is left out.
 */
export function findConfigFaults(variables: Readonly<Record<string, string>>): string[] {
  try {
    parseConfig(variables);
    return [];
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    if (!message.startsWith(PREFIX)) throw error;
    const faults = message.slice(PREFIX.length).split('; ');
    return faults.filter((fault) => Object.hasOwn(variables, fault.split(/[ .]/)[0] ?? ''));
  }
}
