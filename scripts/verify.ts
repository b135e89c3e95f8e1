import { spawn } from 'node:child_process';
import { createWriteStream, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { git } from './releases.ts';
import { type Step, steps } from './verify/steps.ts';

/**
 * `npm run verify` runs all that takes too long for every change, one step after the other, and fails when a step fails.
 * It may be stopped at any time: a later run goes on with the steps that have not passed at this commit. Its output is
 * in `.wrangler/verify/`, a file for each step.
 *
 *     npm run verify [-- [--again] [STEP …]]
 *
 * STEP names the steps to run, also those that have passed; `--again` runs all of them again.
 */

const FOLDER = '.wrangler/verify';
const RECORD = `${FOLDER}/passed.json`;

interface Passed {
  readonly commit: string;
  readonly steps: readonly string[];
}

const { values, positionals } = parseArgs({ options: { again: { type: 'boolean' } }, allowPositionals: true });
const unknown = positionals.filter((name) => steps.every((step) => step.name !== name));
if (unknown.length > 0) {
  throw new Error(`there is no step ${unknown.join(', ')}. The steps: ${steps.map(({ name }) => name).join(', ')}`);
}

/** Files that are not committed could change between two steps, so with them nothing is remembered. */
const isCommitted = git('status', '--porcelain') === '';
const commit = git('rev-parse', 'HEAD');

function readPassed(): readonly string[] {
  if (values.again || !isCommitted) return [];
  try {
    const passed = JSON.parse(readFileSync(RECORD, 'utf8')) as Passed;
    return passed.commit === commit ? passed.steps : [];
  } catch {
    return [];
  }
}

function run({ name, command }: Step): Promise<boolean> {
  const log = createWriteStream(`${FOLDER}/${name}.log`);
  const shell = spawn('bash', ['-c', command], {
    env: { ...process.env, WRANGLER_SEND_METRICS: 'false' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  for (const stream of [shell.stdout, shell.stderr]) {
    stream.pipe(log, { end: false });
    stream.pipe(process.stdout, { end: false });
  }
  return new Promise((resolve) =>
    shell.once('close', (code) => {
      log.end();
      resolve(code === 0);
    }),
  );
}

mkdirSync(FOLDER, { recursive: true });
const passed = new Set(readPassed());
const chosen = steps.filter(({ name }) => (positionals.length > 0 ? positionals.includes(name) : !passed.has(name)));
const results: { readonly step: string; readonly result: string; readonly seconds: number }[] = [];
for (const step of chosen) {
  console.log(`\n== ${step.name}: ${step.command}`);
  const begun_ms = Date.now();
  const hasPassed = await run(step);
  const seconds = Math.round((Date.now() - begun_ms) / 1_000);
  results.push({ step: step.name, result: hasPassed ? 'passed' : 'FAILED', seconds });
  if (hasPassed) passed.add(step.name);
  else passed.delete(step.name);
  const record: Passed = { commit, steps: [...passed] };
  if (isCommitted) writeFileSync(RECORD, JSON.stringify(record));
}
console.table(results);
const left = steps.filter(({ name }) => !passed.has(name)).map(({ name }) => name);
console.log(
  left.length === 0
    ? `all ${steps.length} steps have passed at ${commit.slice(0, 9)}`
    : `not passed yet: ${left.join(', ')}`,
);
if (results.some(({ result }) => result !== 'passed')) process.exitCode = 1;
