import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, inject, it } from 'vitest';
import { runKills } from './run-kills.ts';

/** The short form of `npm run test:kills`. */
it('an exchange that is killed under load keeps everything that it has acknowledged, executes nothing twice, and pays nothing twice', async () => {
  const storage = mkdtempSync(join(tmpdir(), 'bureau-kills-'));
  try {
    const report = await runKills({
      bundle: inject('workerBundle'),
      storage,
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
  } finally {
    rmSync(storage, { recursive: true, force: true });
  }
}, 600_000);
