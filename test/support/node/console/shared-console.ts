import { startConsole } from './start-console.ts';

type ConsoleUnderTest = Awaited<ReturnType<typeof startConsole>>;

/** The console of a test file, from `beginConsole` on. */
export let served: ConsoleUnderTest;

/** Starts it. */
export async function beginConsole(): Promise<void> {
  served = await startConsole();
}
