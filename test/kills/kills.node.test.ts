import { expect, inject, it } from 'vitest';
import { makeTemporaryFolder } from '../../scripts/temporary-folder.ts';
import { runKills } from './run-kills.ts';

/** The short form of `npm run test:kills`. */
it('an exchange that is killed under load keeps everything that it has acknowledged, executes nothing twice, and pays nothing twice', async () => {
  using temporary = makeTemporaryFolder('kills');
  const report = await runKills({
    bundle: inject('workerBundle'),
    storage: temporary.path,
    seed: 18,
    kills: 1,
    longestLife_ms: 2_000,
    // A run that was killed before anything happened would prove nothing.
    leastAcknowledged: 21,
    awaitSweep: false,
    report: () => undefined,
  });
  expect(report.violations).toEqual([]);
  expect(report.kills).toBe(1);
  expect(report.acknowledged).toBeGreaterThan(20);
  expect(report.cut).toBeGreaterThan(0);
  expect(report.repeated).toBeGreaterThanOrEqual(report.acknowledged);
}, 600_000);
