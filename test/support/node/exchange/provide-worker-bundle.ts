import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { buildWorker } from '../../../../scripts/build-worker.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The directory of the bundled Worker, for `startExchange`. */
    readonly workerBundle: string;
  }
}

/** Bundles the Worker once for all tests of a run. */
export default async function provideWorkerBundle(project: TestProject): Promise<() => void> {
  const directory = mkdtempSync(join(tmpdir(), 'bureau-bundle-'));
  await buildWorker('', directory);
  project.provide('workerBundle', directory);
  return () => rmSync(directory, { recursive: true });
}
