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
import { type Mutation, applyMutation } from './mutation.ts';

/** Folders that are not copied. */
const OUTSIDE = ['.git', '.wrangler', 'dist', 'node_modules'];

/** The longest time of a run. No test needs a tenth of it. */
const DEADLINE_MS = 300_000;

export type Verdict =
  | { readonly kind: 'killed'; readonly by: string; readonly test: string }
  | { readonly kind: 'survived' }
  /** No test failed but the run did: the mutation broke the code instead of changing what it does. */
  | { readonly kind: 'broken'; readonly output: string };

interface Report {
  readonly testResults: readonly {
    readonly name: string;
    readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[];
  }[];
}

/** A copy of the project in which mutations are made, one at a time. The project itself is never changed. */
export class MutatedCopy {
  readonly #directory = realpathSync(mkdtempSync(join(tmpdir(), 'bureau-mutants-')));
  #run: ChildProcess | undefined;

  constructor() {
    for (const part of readdirSync('.').filter((name) => !OUTSIDE.includes(name))) {
      cpSync(part, join(this.#directory, part), { recursive: true });
    }
    symlinkSync(realpathSync('node_modules'), join(this.#directory, 'node_modules'));
  }

  /** Makes a mutation, runs its tests file by file until one notices, and takes it back. */
  async judge(mutation: Mutation): Promise<Verdict> {
    const path = join(this.#directory, mutation.file);
    const original = readFileSync(path, 'utf8');
    writeFileSync(path, applyMutation(original, mutation));
    try {
      let verdict: Verdict = { kind: 'survived' };
      for (const test of mutation.tests) {
        verdict = await this.runTests([test]);
        if (verdict.kind !== 'survived') break;
      }
      return verdict;
    } finally {
      writeFileSync(path, original);
    }
  }

  /** Runs test files until the first test fails. The verdict is `survived` when none does. */
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
      // In its own process group, so that the runtime which it starts ends with it.
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
      // It ended by itself a moment ago.
    }
  }

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
