import { buildWorker } from './build-worker.ts';

/** Bundles the Worker as `wrangler deploy` would, for the sandbox and for production, and fails on a warning. */
for (const environment of ['', 'production'] as const) {
  const name = environment || 'sandbox';
  const output = await buildWorker(environment, `dist/${name}`);
  console.log(`${name}: ${/Total Upload: .*/.exec(output)?.[0] ?? 'no size'}`);
}
