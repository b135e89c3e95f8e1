import { startConsole } from './start-console.ts';

type Served = Awaited<ReturnType<typeof startConsole>>;

/** The console of a test file, from `beginConsole` on. */
export let served: Served;

/** Starts it, with the exchange's bundle of the run. */
export async function beginConsole(exchangeBundle: string): Promise<void> {
  served = await startConsole(exchangeBundle);
}
