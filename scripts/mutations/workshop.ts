import { type ChildProcess, spawn } from 'node:child_process';
import {
  cpSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { type PlacedMutation, applyMutation } from './mutation.ts';

/** What is no part of the project's sources. */
const OUTSIDE = ['.git', '.wrangler', 'dist', 'node_modules'];

/** A run that has not ended by then has found out nothing; no test waits a tenth of it. */
const DEADLINE_MS = 300_000;

/** How the tests took a mistake. */
export type Verdict =
  | { readonly kind: 'killed'; readonly by: string; readonly test: string }
  | { readonly kind: 'survived' }
  /** No test failed, and yet the run did not end well: the mistake broke the code instead of changing it. */
  | { readonly kind: 'broken'; readonly output: string };

/** Vitest's report, as far as it is read. */
interface Report {
  readonly testResults: readonly {
    readonly name: string;
    readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[];
  }[];
}

/** A copy of the project in which mistakes are made, one at a time. The project itself is never touched. */
export class Workshop {
  readonly #directory = realpathSync(mkdtempSync(join(tmpdir(), 'bureau-mutants-')));
  #run: ChildProcess | undefined;

  constructor() {
    for (const part of readdirSync('.').filter((name) => !OUTSIDE.includes(name))) {
      cpSync(part, join(this.#directory, part), { recursive: true });
    }
    symlinkSync(realpathSync('node_modules'), join(this.#directory, 'node_modules'));
  }

  /** Runs the tests of a mutation with its mistake in the code, and takes it out again. */
  async judge(mutation: PlacedMutation): Promise<Verdict> {
    const path = join(this.#directory, mutation.file);
    const original = readFileSync(path, 'utf8');
    writeFileSync(path, applyMutation(original, mutation));
    try {
      return await this.runTests(mutation.tests);
    } finally {
      writeFileSync(path, original);
    }
  }

  /** Runs test files until the first test fails: "survived" when none does. */
  async runTests(files: readonly string[]): Promise<Verdict> {
    const reportPath = join(this.#directory, 'report.json');
    rmSync(reportPath, { force: true });
    const words = ['run', ...files, '--bail=1', '--reporter=json', `--outputFile=${reportPath}`];
    const { code, output } = await this.#vitest(words);
    const failed = readFailure(reportPath);
    if (failed) return { kind: 'killed', by: relative(this.#directory, failed.file), test: failed.test };
    return code === 0 ? { kind: 'survived' } : { kind: 'broken', output };
  }

  #vitest(words: readonly string[]): Promise<{ readonly code: number | null; readonly output: string }> {
    return new Promise((resolve, reject) => {
      // In a group of its own, so that the runtime that it starts ends with it.
      const run = spawn(process.execPath, ['node_modules/vitest/vitest.mjs', ...words], {
        cwd: this.#directory,
        detached: true,
        stdio: ['ignore', 'pipe', 'pipe'],
        env: { ...process.env, WRANGLER_SEND_METRICS: 'false', NO_COLOR: '1' },
      });
      this.#run = run;
      let output = '';
      for (const stream of [run.stdout, run.stderr]) stream.on('data', (part) => (output += String(part)));
      const timer = setTimeout(() => this.#end(), DEADLINE_MS);
      run.on('error', reject);
      run.on('close', (code) => {
        clearTimeout(timer);
        this.#run = undefined;
        resolve({ code, output });
      });
    });
  }

  #end(): void {
    if (this.#run?.pid === undefined) return;
    try {
      process.kill(-this.#run.pid, 'SIGKILL');
    } catch {
      // It has just ended by itself.
    }
  }

  /** Ends what runs in it, and removes the copy. */
  close(): void {
    this.#end();
    rmSync(this.#directory, { recursive: true, force: true });
  }
}

function readFailure(reportPath: string): { readonly file: string; readonly test: string } | undefined {
  let report: Report;
  try {
    report = JSON.parse(readFileSync(reportPath, 'utf8')) as Report;
  } catch {
    return undefined;
  }
  for (const { name, assertionResults } of report.testResults) {
    const failed = assertionResults.find(({ status }) => status === 'failed');
    if (failed) return { file: name, test: failed.fullName };
  }
  return undefined;
}
