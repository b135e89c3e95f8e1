import { readOptions } from './read-options.ts';
import { runVitest } from './run-vitest.ts';

/**
 * Runs the simulation: `npm run simulate -- --seed 7 --steps 5000`. The same seed gives the same steps. `--seeds 20`
 * runs 20 seeds from there on, two at a time, and adds up their figures. A failing seed is printed with its step and
 * operation. `--ledgers 3` spreads the accounts over three ledgers.
 */

const AT_ONCE = 2;

const { seed: first, steps, seeds, ledgers } = readOptions({ seed: 1, steps: 5_000, seeds: 1, ledgers: 1 });

type Counts = Record<string, number>;

interface Figures {
  readonly steps: number;
  readonly operations: Counts;
  readonly faults: Counts;
  readonly answers: Counts;
}

const run = (seed: number) =>
  runVitest<Figures>('test/simulation', {
    SIMULATION_SEED: String(seed),
    SIMULATION_STEPS: String(steps),
    TEST_LEDGERS: String(ledgers),
  });

function add(total: Counts, counts: Counts): void {
  for (const [name, count] of Object.entries(counts)) total[name] = (total[name] ?? 0) + count;
}

/** Lines that the runtime logs when an object is reset. */
const NOISE = /uncaught exception|^stack:|^\s*$/;

function report(title: string, counts: Counts): void {
  console.log(`\n${title}`);
  for (const name of Object.keys(counts).toSorted()) console.log(`  ${name.padEnd(36)} ${counts[name]}`);
}

if (ledgers !== 1 && ledgers !== 3) throw new Error('--ledgers is 1 or 3');

const queue = Array.from({ length: seeds }, (_, at) => first + at);
const total = { steps: 0, operations: {} as Counts, faults: {} as Counts, answers: {} as Counts };
const failed: number[] = [];
const begun_ms = Date.now();

async function work(): Promise<void> {
  for (let seed = queue.shift(); seed !== undefined; seed = queue.shift()) {
    const { passed, figures, lines } = await run(seed);
    console.log(`seed ${seed}: ${passed ? 'every promise kept' : 'FAILED'}`);
    if (!passed || !figures) {
      failed.push(seed);
      const told = lines.filter((line) => !NOISE.test(line));
      console.log(told.slice(0, 60).join('\n'));
      continue;
    }
    total.steps += figures.steps;
    for (const part of ['operations', 'faults', 'answers'] as const) add(total[part], figures[part]);
  }
}

console.log(`seeds ${first} to ${first + queue.length - 1}, ${steps} steps each`);
await Promise.all(Array.from({ length: Math.min(AT_ONCE, queue.length) }, work));
report('Operations', total.operations);
report('Injected faults', total.faults);
report('Answers', total.answers);
console.log(`\n${total.steps} steps in ${Math.round((Date.now() - begun_ms) / 1_000)} s`);
if (failed.length > 0) {
  console.log(
    `failed: ${failed.map((seed) => `npm run simulate -- --seed ${seed} --steps ${steps} --ledgers ${ledgers}`).join('; ')}`,
  );
  process.exitCode = 1;
}
