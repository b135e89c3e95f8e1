import { spawnSync } from 'node:child_process';

/**
 * Bundles the Worker as `wrangler deploy` would, for the sandbox and for production, and fails on a warning: wrangler
 * only warns where an environment lacks a binding that the code needs.
 */
for (const environment of ['', 'production']) {
  const { status, stdout, stderr } = spawnSync(
    'wrangler',
    ['deploy', '--dry-run', '--env', environment, '--outdir', `dist/${environment || 'sandbox'}`],
    { encoding: 'utf8', env: { ...process.env, WRANGLER_SEND_METRICS: 'false' } },
  );
  const output = stdout + stderr;
  if (status !== 0 || /warning/i.test(output)) {
    console.error(output);
    process.exit(1);
  }
  const size = /Total Upload: .*/.exec(output)?.[0] ?? 'no size';
  console.log(`${environment || 'sandbox'}: ${size}`);
}
