import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ProvidedContext } from 'vitest';
import type { TestProject } from 'vitest/node';
import { type BuildOptions, buildWorker } from '../../../../scripts/build-worker.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The directory of the bundled Worker, for `startExchange`. */
    readonly workerBundle: string;
  }
}

/** Bundles the Worker once for all tests of a run. */
export default function provideWorkerBundle(project: TestProject): Promise<() => void> {
  return provideBundle(project, 'workerBundle');
}

type BundleName = keyof { [Name in keyof ProvidedContext as Name extends `${string}Bundle` ? Name : never]: string };

/** Bundles a Worker into a directory that tests find under a name. Returns what deletes it. */
export async function provideBundle(
  project: TestProject,
  name: BundleName,
  options: BuildOptions = {},
): Promise<() => void> {
  const directory = mkdtempSync(join(tmpdir(), 'bureau-bundle-'));
  await buildWorker('', directory, options);
  project.provide(name, directory);
  return () => rmSync(directory, { recursive: true });
}
