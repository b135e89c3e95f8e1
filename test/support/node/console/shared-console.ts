import { inject } from 'vitest';
import { startConsole } from './start-console.ts';

type Served = Awaited<ReturnType<typeof startConsole>>;

/** The console of a test file, from `beginConsole` on. */
export let served: Served;

/** Starts it, with the bundles of the run. */
export async function beginConsole(): Promise<void> {
  served = await startConsole({ exchange: inject('workerBundle'), console: inject('consoleBundle') });
}
