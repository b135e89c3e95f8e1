import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { measureRounds } from './bench/rounds.ts';
import { openStage } from './bench/stage.ts';
import { describeSubjects } from './bench/subjects.ts';

/**
 * `npm run bench`: how much of what the runtime can do at all the exchange reaches, kind of request by kind. Prints the
 * table. `--rounds`, `--slice` (milliseconds) and `--only` (a part of
 * a subject's name) make another run of it.
 */

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '9' },
    slice: { type: 'string', default: '500' },
    only: { type: 'string', default: '' },
  },
});

/** The most connections at once; each has a trader of its own. */
const connectionCounts = [1, 16];

const directory = mkdtempSync(join(tmpdir(), 'bureau-bench-'));
const begun_ms = Date.now();
try {
  const stage = await openStage(directory, Math.max(...connectionCounts));
  try {
    const subjects = await describeSubjects(stage);
    const measured = await measureRounds(
      subjects.filter(({ name }) => name.includes(values.only)),
      {
        rounds: Number(values.rounds),
        slice_ms: Number(values.slice),
        connections: connectionCounts,
        report: (line) => console.log(`${Math.round((Date.now() - begun_ms) / 1_000)} s: ${line}`),
      },
    );
    console.table(
      measured.map(({ subject, connections, floor, exchange, ratio }) => ({
        name: subject.name,
        connections,
        floor: Math.round(floor.median),
        exchange: Math.round(exchange.median),
        ratio: ratio.median.toFixed(3),
        low: ratio.low.toFixed(3),
        high: ratio.high.toFixed(3),
        target: subject.target,
      })),
    );
  } finally {
    await stage.end();
  }
} finally {
  rmSync(directory, { recursive: true, force: true });
}
