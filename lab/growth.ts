import { parseArgs } from 'node:util';
import { makeStorage, measurePass } from './growth/measure-pass.ts';
import { measureStatements } from './growth/measure-statement.ts';
import { printPass } from './growth/print-pass.ts';
import { printStatements } from './growth/print-statements.ts';
import { runVitest } from './run-vitest.ts';
import { storeInMemory } from '../test/support/node/run/store-in-memory.ts';
import { makeTemporaryFolder } from '../scripts/temporary-folder.ts';

/**
 * Measures how the costs of the exchange grow, and prints them: `npm run growth -- --rows 5000000`. It runs the test of
 * the same name, which fails when an operation costs more rows in a large exchange than in a small one.
 *
 * `npm run growth -- --orders 10000000` has the reconciliation check this many orders instead, while others are placed:
 * once as they are, and once with every invariant broken. It fails when that takes too long, slows the other orders too
 * much, or misses a broken invariant. `--orders 100000 --calm 10` is its short form; `--calm` is the number of seconds
 * in which orders are measured without a pass. `--make FOLDER` only makes that ledger, and `--from FOLDER` measures
 * with a copy of it: only the measurement needs an otherwise idle machine. The ledger is in memory where there is room,
 * so that no slice waits for a disk; with the variable TMPDIR it is in that folder.
 *
 * `npm run growth -- --statement 100000` measures the memory that the runtime takes for the statement of an account with
 * this many movements. It fails when that is more than a few megabytes above that of a short one, or does not add up.
 */

/** More than ten million orders need, with what is written while they are checked. */
const LEDGER_BYTES = 2 ** 33;

const { values } = parseArgs({
  options: {
    rows: { type: 'string', default: '1000000' },
    orders: { type: 'string' },
    calm: { type: 'string', default: '60' },
    rate: { type: 'string', default: '100' },
    make: { type: 'string' },
    from: { type: 'string' },
    statement: { type: 'string' },
  },
});

/** Log lines of the exchange and of vitest, which are not printed. */
const NOISE = /^\{"event"|^stdout|^\s*$/;

const show = (title: string, cells: readonly unknown[]) =>
  console.log(title.padEnd(44), ...cells.map((cell) => String(cell).padStart(20)));

if (values.orders !== undefined || values.from !== undefined || values.statement !== undefined) {
  const { orders = '0', make, from, rate, calm, statement } = values;
  if (statement === undefined) storeInMemory(LEDGER_BYTES);
  using temporary = makeTemporaryFolder('growth');
  const directory = temporary.path;
  const options = { ledger: from ?? Number(orders), perSecond: Number(rate), calm_ms: Number(calm) * 1_000 };
  let isGood = true;
  if (statement !== undefined) isGood = printStatements(await measureStatements(directory, Number(statement)));
  else if (make !== undefined) await makeStorage(directory, make, Number(orders));
  else isGood = printPass(await measurePass(directory, options));
  process.exitCode = isGood ? 0 : 1;
} else await measureGrowth(values.rows);

interface DatabaseCost {
  readonly databaseRowsRead: number;
  readonly databaseRowsWritten: number;
}

interface PassCost {
  readonly slices: number;
  readonly mostRowsRead: number;
  readonly rowsRead: number;
  readonly database_ms: number;
  readonly longest_ms: number;
  readonly wall_ms: number;
}

interface Stage {
  readonly accounts: number;
  readonly rows: number;
  readonly costs: Readonly<Record<string, DatabaseCost>>;
  readonly pass: PassCost;
  readonly batch_ms: number;
}

interface Figures {
  readonly stages: readonly Stage[];
  readonly bytes: Readonly<Record<string, number>>;
}

async function measureGrowth(rowsOfHistory: string): Promise<void> {
  const { passed, figures, lines } = await runVitest<Figures>('test/performance/growth.test.ts', {
    GROWTH_ROWS: rowsOfHistory,
  });
  if (!figures || !passed) {
    console.log(lines.filter((one) => !NOISE.test(one)).join('\n'));
    process.exitCode = 1;
    return;
  }
  const { stages, bytes } = figures;

  const sizes = stages.map(({ accounts, rows }) => `${accounts.toLocaleString('en')} / ${rows.toLocaleString('en')}`);
  show('Accounts / rows of history', sizes);
  console.log('\nRows read / written of D1');
  for (const name of Object.keys(stages[0]?.costs ?? {})) {
    const costs = stages.map((stage) => stage.costs[name]);
    show(
      `  ${name}`,
      costs.map((cost) => `${cost?.databaseRowsRead} / ${cost?.databaseRowsWritten}`),
    );
  }
  console.log('\nA pass of the reconciliation, from nothing');
  const ofPass = (title: string, pick: (stage: Stage) => unknown) => show(`  ${title}`, stages.map(pick));
  ofPass('slices', ({ pass }) => pass.slices);
  ofPass('most rows read in a slice', ({ pass }) => pass.mostRowsRead);
  ofPass('rows read for each of history', ({ pass, rows }) => (pass.rowsRead / Math.max(rows, 1)).toFixed(1));
  ofPass('seconds, without a rest', ({ pass }) => (pass.wall_ms / 1_000).toFixed(1));
  ofPass('of these in D1', ({ pass }) => (pass.database_ms / 1_000).toFixed(1));
  ofPass('milliseconds of a slice, on average', ({ pass }) => (pass.database_ms / pass.slices).toFixed(1));
  ofPass('of the longest', ({ pass }) => pass.longest_ms.toFixed(1));
  show(
    '\nMilliseconds of an order’s batch here',
    stages.map(({ batch_ms }) => batch_ms.toFixed(2)),
  );
  console.log('\nBytes of the database');
  for (const [what, count] of Object.entries(bytes)) show(`  ${what}, each`, [count]);
}
