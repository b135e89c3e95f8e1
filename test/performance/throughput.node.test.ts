import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Measurement } from '../../lab/bench/rounds.ts';
import { describeThroughput, tabulate, tabulateProcesses } from '../../lab/bench/throughput.ts';
import { writeMeasured } from '../../lab/measured-section.ts';

const load = { origin: '', status: 200, next: () => ({ path: '/' }) };

function measure(ratio: number, target = 0.75): Measurement {
  return {
    subject: {
      name: 'an order',
      floorName: 'a batch',
      target: { alone: 0.1, together: target },
      exchange: load,
      floor: load,
    },
    connections: 16,
    floor: { median: 1_234.4, low: 1_100, high: 1_300.6 },
    exchange: { median: 999.6, low: 900, high: 1_001 },
    ratio: { median: ratio, low: 0.7, high: 0.909 },
  };
}

const circumstances = {
  date: new Date('2026-03-01T23:59:59Z'),
  rounds: 9,
  slice_ms: 500,
  cores: 2,
  processor: 'A processor',
  workerd: '1.2.3',
  node: '24.0.0',
};

const linesOf = (...ratios: number[]) =>
  describeThroughput(tabulate(ratios.map((ratio) => measure(ratio))), circumstances);

const BARE = '# Title\n\nIntroduction.\n\n## Throughput\n\nProse by hand, $& and all.\n\n- A point.\n';
const REST = '\n## Costs\n\n| A | B |\n|---|---|\n| 1 | 2 |\n\nMeasured on another day.\n';

describe('the result of a benchmark', () => {
  it('is a dated line that names the machine, and a row of medians and quartiles for each measurement', () => {
    expect(linesOf(0.812)).toEqual([
      'Measured on 2026-03-01: 9 rounds of 500 ms a side, on 2 cores (A processor), workerd 1.2.3, Node 24.0.0.',
      '',
      '| Request | Floor | Connections | Floor, a second | Bureau, a second | Share of the floor | Target |',
      '|---|---|---|---|---|---|---|',
      '| an order | a batch | 16 | 1,234 (1,100 to 1,301) | 1,000 (900 to 1,001) | 0.81 (0.70 to 0.90) | 0.75, met |',
    ]);
  });

  it('never shows a share below its target as one that met it', () => {
    const [met, missed] = tabulate([measure(0.75), measure(0.7499)]);
    expect([met?.['Share of the floor'], met?.Target]).toEqual(['0.75 (0.70 to 0.90)', '0.75, met']);
    expect([missed?.['Share of the floor'], missed?.Target]).toEqual(['0.74 (0.70 to 0.90)', '0.75, missed']);
  });
});

describe('the result of two ledgers', () => {
  const of = (median: number) => ({ median, low: median / 2, high: median * 2 });
  const rows = tabulateProcesses([
    {
      connections: 16,
      alone: of(300),
      apart: of(450),
      apartRatio: of(1.509),
      together: of(290),
      togetherRatio: of(0.9),
    },
  ]);
  const lines = describeThroughput(rows, circumstances);

  it('is a row with the throughput of one, of both apart and of both together, and the shares', () => {
    expect(lines.slice(2)).toEqual([
      '| Connections to each ledger | One ledger | Ledgers in a process each | Of one ledger | As many in one process | Of one |',
      '|---|---|---|---|---|---|',
      '| 16 | 300 (150 to 600) | 450 (225 to 900) | 1.50 (0.75 to 3.01) | 290 (145 to 580) | 0.90 (0.45 to 1.80) |',
    ]);
  });
});

describe('the result beside a peer', () => {
  const beside = (connections: number, median: number): Measurement => {
    const measured = measure(0.8);
    return {
      ...measured,
      connections,
      subject: { ...measured.subject, peer: load, peerTarget: { alone: 0.3, together: 0.5 } },
      peer: {
        throughput: { median: 3_000.2, low: 2_900, high: 3_100 },
        ratio: { median, low: 0.25, high: 0.45 },
      },
    };
  };

  it('has the peer’s throughput, the share of it, and the target for this number of connections', () => {
    const columns = tabulate([beside(1, 0.3), beside(16, 0.4999)]).map((row) => Object.values(row).slice(-3));
    expect(columns).toEqual([
      ['3,000 (2,900 to 3,100)', '0.30 (0.25 to 0.45)', '0.30, met'],
      ['3,000 (2,900 to 3,100)', '0.49 (0.25 to 0.45)', '0.50, missed'],
    ]);
  });

  it('has no figures where the peer has no such request, and no columns without a peer', () => {
    const [without] = tabulate([measure(0.8), beside(1, 0.3)]);
    expect(Object.values(without ?? {}).slice(-3)).toEqual(['–', '–', '–']);
    expect(Object.keys(tabulate([measure(0.8)])[0] ?? {}).at(-1)).toBe('Target');
  });
});

describe('the document of the results', () => {
  const write = (text: string, ...ratios: number[]) => writeMeasured(text, 'Throughput', linesOf(...ratios));

  it('gets a result right after the heading, and the next one instead of it; every word by hand stays', () => {
    const [before, after] = (BARE + REST).split('## Throughput\n');
    const once = write(BARE + REST, 0.8, 0.9);
    expect(once).toBe(`${before}## Throughput\n\n${linesOf(0.8, 0.9).join('\n')}\n${after}`);
    // The line may have been broken in two by hand.
    const broken = once.replace(', on 2 cores', ',\non 2 cores');
    expect(broken).not.toBe(once);
    for (const text of [once, broken]) expect(write(text, 0.5)).toBe(write(BARE + REST, 0.5));
  });

  it.each(['Throughput', '### Throughput', '## Throughput of 2026'])('is refused with the heading %s', (heading) => {
    const text = BARE.replace('## Throughput', heading) + REST;
    expect(() => write(text, 0.8)).toThrow('no heading "## Throughput"');
  });

  it.each(['Throughput', 'Throughput of two ledgers'])('is the page on performance: %s', (heading) => {
    const page = readFileSync('docs/performance.md', 'utf8');
    const lines = linesOf(0.8);
    const written = writeMeasured(page, heading, lines);
    expect(writeMeasured(written, heading, lines)).toBe(written);
    // What was there is a dated line and a table, and nothing else is gone.
    const [before = '', after = ''] = written.split(`## ${heading}\n\n${lines.join('\n')}\n`);
    expect(page.startsWith(`${before}## ${heading}\n\nMeasured on `) && page.endsWith(after)).toBe(true);
    const replaced = page.slice(before.length + `## ${heading}\n\n`.length, page.length - after.length);
    expect(replaced).toMatch(/^Measured on .+\n(.+\n)*\n(\|.*\n){3,}$/);
  });
});
