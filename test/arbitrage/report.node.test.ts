import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type Outrun, describeOutrunning, findOutrun, tabulateOutrunning } from '../../lab/arbitrage/outrun.ts';
import { type PathReport, describeProfit, findBroken, tabulateProfit } from '../../lab/arbitrage/report.ts';
import { writeMeasured } from '../../lab/measured-section.ts';

const result = (strategy: string, mustNotGain: boolean, profit: bigint) => ({
  strategy,
  mustNotGain,
  profit,
  filled: 2,
  refused: {},
});

const report = (seed: number, spread_bps: number, changes: Partial<PathReport> = {}): PathReport => ({
  seed,
  spread_bps,
  results: [result('two keys', true, -1_234_567_890n), result('sees ahead', false, 5_004_999n)],
  unsettled: 1,
  ...changes,
});

const outrun = (seed: number, changes: Partial<Outrun> = {}): Outrun => ({
  feed: 'streams',
  path: 'jumpy',
  seed,
  spread_bps: 20,
  cancelled: -900 * seed,
  honest: { costs_bps: [20, 22.5 * seed], waits_ms: [300, 320 * seed], refused: 0 },
  gains: [0, 0, 10 * seed, 300],
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

describe('who is ahead of the exchange', () => {
  it('has a row for each feed, path and spread, with the mean of the seeds, and the best of the cancels', () => {
    expect(tabulateOutrunning([outrun(1), outrun(2), outrun(1, { feed: 'polls' })])).toEqual([
      {
        Feed: 'streams',
        Path: 'jumpy',
        Spread: '20 bps',
        'Honest order': '26.9 bps',
        'Wait, mean and p99': '390, 640 ms',
        '-100 ms': '0',
        '0 ms': '0',
        '100 ms': '15',
        '300 ms': '300',
        Cancels: '-900',
      },
      expect.objectContaining({ Feed: 'polls', 'Honest order': '21.3 bps' }),
    ]);
  });

  it('breaks the promise when he gains by what he can know, or by a cancel, and not when he sees into the future', () => {
    expect(findOutrun([outrun(1), outrun(2, { gains: [0, 7, 0, 0] }), outrun(3, { cancelled: 1 })])).toEqual([
      'streams, jumpy, seed 2, 20 bps: 7 USDT/min',
      'streams, jumpy, seed 3, 20 bps: 1 USDT/min',
    ]);
  });
});

describe('the page on arbitrage', () => {
  const lines = describeProfit([report(1, 20)], circumstances);
  const ahead = describeOutrunning([outrun(1)], circumstances.date, 300);

  it('gets a dated paragraph and a table in each of its two sections, and keeps what was written by hand', () => {
    const bare = '# Title\n\n## Profit\n\nProse, $& and all.\n\n## Outrunning the price\n\n- A point.\n';
    const once = writeMeasured(writeMeasured(bare, 'Profit', lines), 'Outrunning the price', ahead);
    expect(once).toBe(
      `# Title\n\n## Profit\n\n${lines.join('\n')}\n\nProse, $& and all.\n\n## Outrunning the price\n\n${ahead.join('\n')}\n\n- A point.\n`,
    );
    expect(writeMeasured(writeMeasured(once, 'Profit', lines), 'Outrunning the price', ahead)).toBe(once);
    expect(lines[0]).toMatch(/^Measured on 2026-03-01: paths of 60 s, 2,000 orders of dust each/);
  });

  it('is the page in docs, where a run replaces the dated paragraphs and the tables, and nothing else', () => {
    const page = readFileSync('docs/arbitrage.md', 'utf8');
    const written = writeMeasured(writeMeasured(page, 'Profit', lines), 'Outrunning the price', ahead);
    const isWritten = (line: string) => /^\||^Measured on 2/.test(line);
    expect(written.split('\n').filter((line) => !isWritten(line))).toEqual(
      page.split('\n').filter((line) => !isWritten(line)),
    );
    expect(page.split('\n').filter(isWritten).length).toBeGreaterThan(20);
  });
});
