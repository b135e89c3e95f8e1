import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  type PathReport,
  describeMoves,
  describeProfit,
  describeThreshold,
  findBroken,
  tabulateMoves,
  tabulateProfit,
} from '../../lab/arbitrage/report.ts';
import { writeMeasured } from '../../lab/measured-section.ts';

const result = (strategy: string, mustNotGain: boolean, profit: bigint) => ({
  strategy,
  mustNotGain,
  profit,
  filled: 2,
  refused: {},
});

/** A round trip of 45,000 USDT. */
const trip = (move_bps: number, gain: bigint) => ({ move_bps, gain });

const report = (seed: number, spread_bps: number, changes: Partial<PathReport> = {}): PathReport => ({
  seed,
  spread_bps,
  results: [result('two keys', true, -1_234_567_890n), result('sees ahead', false, 5_004_999n)],
  trips: [trip(60, 90_000_000n), trip(30, -45_000_000n), trip(35, -22_500_000n)],
  unsettled: 1,
  ...changes,
});

const circumstances = { date: new Date('2026-03-01T23:59:59Z'), seconds: 60, dustOrders: 2_000 };

describe('the profits', () => {
  it('have a row for every strategy and spread, and a column for every seed', () => {
    expect(tabulateProfit([report(1, 20), report(1, 40), report(2, 20), report(2, 40)])).toEqual([
      { Strategy: 'two keys', Spread: '20 bps', 'Seed 1': '-1,234.57', 'Seed 2': '-1,234.57' },
      { Strategy: 'two keys', Spread: '40 bps', 'Seed 1': '-1,234.57', 'Seed 2': '-1,234.57' },
      { Strategy: 'sees ahead', Spread: '20 bps', 'Seed 1': '+5.00', 'Seed 2': '+5.00' },
      { Strategy: 'sees ahead', Spread: '40 bps', 'Seed 1': '+5.00', 'Seed 2': '+5.00' },
    ]);
  });

  it('never show a loss of less than a cent as zero', () => {
    const results = [result('dust', true, -1n), result('lucky dust', true, 9_999n)];
    expect(tabulateProfit([report(1, 20, { results })]).map((row) => row['Seed 1'])).toEqual(['-0.01', '0.00']);
  });

  it('break the promise when one that must not be positive is, at production’s spread or a larger one', () => {
    const results = [result('two keys', true, 1n), result('dust', true, 0n), result('sees ahead', false, 9n)];
    const reports = [report(1, 10, { results }), report(1, 20, { results }), report(2, 40)];
    expect(findBroken(reports, 20)).toEqual(['two keys, seed 1, 20 bps: 0.00 USDT']);
  });
});

describe('the gain from seeing prices early', () => {
  it('is shown by the size of the move, with the number of round trips', () => {
    expect(tabulateMoves([report(1, 20), report(2, 20)]).slice(0, 5)).toEqual([
      { Move: '20 to 30 bps', 'At 20 bps': '' },
      { Move: '30 to 40 bps', 'At 20 bps': '-33.75 (4)' },
      { Move: '40 to 50 bps', 'At 20 bps': '' },
      { Move: '50 to 60 bps', 'At 20 bps': '' },
      { Move: '60 to 80 bps', 'At 20 bps': '+90.00 (2)' },
    ]);
  });

  it('starts above the largest move that did not pay', () => {
    expect(describeThreshold([report(1, 20)])).toEqual([
      'At 20 bps a round trip costs 40.0 bps (40.0 to 40.0), and every move above 35.0 bps gained; a spread of 30 bps would have left nothing of any move.',
    ]);
    expect(describeThreshold([report(1, 20, { trips: [trip(60, 1n)] }), report(1, 40, { trips: [] })])).toEqual([
      'At 20 bps a round trip costs 60.0 bps (60.0 to 60.0), and every move gained; a spread of 30 bps would have left nothing of any move.',
    ]);
  });
});

describe('the page on arbitrage', () => {
  const lines = describeProfit([report(1, 20)], circumstances);
  const moves = describeMoves([report(1, 20)], circumstances);

  it('gets a dated paragraph and a table in each of its two sections, and keeps what was written by hand', () => {
    const bare = '# Title\n\n## Profit\n\nProse, $& and all.\n\n## Seeing a second ahead\n\n- A point.\n';
    const once = writeMeasured(writeMeasured(bare, 'Profit', lines), 'Seeing a second ahead', moves);
    expect(once).toBe(
      `# Title\n\n## Profit\n\n${lines.join('\n')}\n\nProse, $& and all.\n\n## Seeing a second ahead\n\n${moves.join('\n')}\n\n- A point.\n`,
    );
    expect(writeMeasured(writeMeasured(once, 'Profit', lines), 'Seeing a second ahead', moves)).toBe(once);
    expect(lines[0]).toMatch(/^Measured on 2026-03-01: paths of 60 s, 2,000 orders of dust each/);
  });

  it('is the page in docs, where a run replaces the dated paragraphs and the tables, and nothing else', () => {
    const page = readFileSync('docs/arbitrage.md', 'utf8');
    const written = writeMeasured(writeMeasured(page, 'Profit', lines), 'Seeing a second ahead', moves);
    const isWritten = (line: string) => /^\||^Measured on 2|^At \d+ bps a round trip/.test(line);
    expect(written.split('\n').filter((line) => !isWritten(line))).toEqual(
      page.split('\n').filter((line) => !isWritten(line)),
    );
    expect(page.split('\n').filter(isWritten).length).toBeGreaterThan(20);
  });
});
