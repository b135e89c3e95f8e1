import { startConsole } from './start-console.ts';

type Served = Awaited<ReturnType<typeof startConsole>>;

/** The console of a test file, from `beginConsole` on. */
export let served: Served;

/** Starts it. */
export async function beginConsole(): Promise<void> {
  served = await startConsole();
}
