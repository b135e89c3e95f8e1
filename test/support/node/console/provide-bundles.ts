import type { TestProject } from 'vitest/node';
import { CONSOLE_CONFIG } from '../../../../scripts/start/build-workers.ts';
import provideWorkerBundle, { provideBundle } from '../exchange/provide-worker-bundle.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The directory of the bundled console, for `startConsole`. */
    readonly consoleBundle: string;
  }
}

/** Bundles the exchange and the console at the same time, once for all tests of a run. */
export default async function provideBundles(project: TestProject): Promise<() => void> {
  const ends = await Promise.all([
    provideWorkerBundle(project),
    provideBundle(project, 'consoleBundle', { config: CONSOLE_CONFIG }),
  ]);
  return () => ends.forEach((end) => end());
}
