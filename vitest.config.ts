import { type TestProjectInlineConfiguration, defineConfig } from 'vitest/config';
import { keepCompiled } from './test/support/node/run/keep-compiled.ts';
import { listWantedFiles } from './test/support/node/run/list-wanted-files.ts';
import { type WorkerKind, loadRuntime } from './test/support/node/run/load-runtime.ts';
import { LongestFirst } from './test/support/node/run/longest-first.ts';
import { refuseRuntime } from './test/support/node/run/refuse-runtime.ts';
import { showSource } from './test/support/node/run/show-source.ts';
import { storeInMemory } from './test/support/node/run/store-in-memory.ts';

/**
 * The end of a test file's name says where it runs:
 *
 *   *.pure.test.ts     plain Node: nothing is started, and nothing of the runtime can be imported
 *   *.node.test.ts     plain Node, from which the deployed bundle or other processes are started
 *   *.access.test.ts, *.custody.test.ts, *.venues.test.ts, *.six-venues.test.ts
 *                      workerd, with a server on loopback that simulates Access, the custodian or the venues
 *   *.manual.test.ts   the same as *.access.test.ts, where people pay withdrawals by hand
 *   *.site.test.ts     the same as *.test.ts, when the documentation's files were written
 *   *.three-ledgers.test.ts, *.many-ledgers.test.ts
 *                      workerd, with three ledgers, or with eight
 *   *.test.ts          workerd, as the sandbox of wrangler.toml
 *
 * The tests of the custodian's package run beside the pure ones.
 */
const endings = [
  'pure',
  'node',
  'access',
  'manual',
  'custody',
  'venues',
  'six-venues',
  'site',
  'three-ledgers',
  'many-ledgers',
] as const;

const patternOf = (ending: (typeof endings)[number]) => `test/**/*.${ending}.test.ts`;
const CUSTODIAN = 'custodian/test/pure';

function kindOf(file: string) {
  if (file.startsWith(CUSTODIAN)) return 'pure';
  return endings.find((ending) => file.endsWith(`.${ending}.test.ts`)) ?? 'sandbox';
}

storeInMemory();
keepCompiled();

// A run loads and starts only what its files need, so that a run of one file is fast.
const wanted = Map.groupBy(listWantedFiles(process.argv.slice(2)), kindOf);
const isConsoleWanted = wanted.get('node')?.some((file) => file.startsWith('test/console/')) ?? false;

/**
 * Files that mostly wait for servers, processes and the clock run first, five at once on two cores. Those that mostly
 * compute follow, three at once.
 */
const waiting = { maxWorkers: 5, sequence: { groupOrder: 0 } };
const computing = { maxWorkers: 3, sequence: { groupOrder: 1 } };

/** A project that has plugins and extends this file would have vitest read it once more. */
const alone = false;

/** Nothing is judged by time: a test that hangs ends, and one on a busy machine does not. */
const timeouts = { testTimeout: 120_000, hookTimeout: 120_000 };

const isInWorkerd = [...wanted.keys()].some((kind) => !['pure', 'node'].includes(kind));
const runtime = isInWorkerd ? await loadRuntime() : undefined;

/**
 * A project is one configuration of the Worker. Its files share a few runtimes, because starting one takes longer than
 * most files do; each file begins with empty storage, and each runtime has its own server that plays the outside.
 */
function inRuntime(
  name: string,
  include: string[],
  kind: WorkerKind,
  pace: typeof waiting,
  globalSetup: string[] = [],
): TestProjectInlineConfiguration {
  const setupFiles = ['test/support/runtime/begin-file.ts'];
  return {
    extends: alone,
    plugins: runtime ? [runtime(kind)] : [],
    test: { name, include, globalSetup, setupFiles, isolate: false, ...pace, ...timeouts },
  };
}

const ofOthers = endings.filter((ending) => ending !== 'site').map((ending) => `!${patternOf(ending)}`);
const sandbox = inRuntime(
  'sandbox',
  ['test/**/*.test.ts', ...ofOthers],
  'sandbox',
  computing,
  wanted.has('site') ? ['test/support/node/run/provide-site.ts'] : [],
);

/**
 * These tests keep no state, so they share one set of modules. Those of the custodian are of its signer, states and store;
 * those with nodes of real chains are run by `npm run test:chains`.
 */
const pure: TestProjectInlineConfiguration = {
  extends: alone,
  plugins: [refuseRuntime()],
  test: {
    name: 'pure',
    include: [patternOf('pure'), `${CUSTODIAN}/**/*.test.ts`],
    pool: 'threads',
    isolate: false,
    ...computing,
    ...timeouts,
  },
};

/**
 * Tests that start the deployed bundle (test/support/node/exchange/start-exchange.ts) or other processes. Each file
 * starts its own, so they run beside each other; they share modules, because loading wrangler takes seconds.
 */
const node: TestProjectInlineConfiguration = {
  test: {
    name: 'node',
    include: [patternOf('node')],
    globalSetup: isConsoleWanted
      ? 'test/support/node/console/provide-bundles.ts'
      : 'test/support/node/exchange/provide-worker-bundle.ts',
    isolate: false,
    ...waiting,
    ...timeouts,
  },
};

const ofKind = (pace: typeof waiting, ...kinds: Exclude<WorkerKind, 'sandbox'>[]) =>
  kinds.flatMap((kind) => (wanted.has(kind) ? [inRuntime(kind, [patternOf(kind)], kind, pace)] : []));

export default defineConfig({
  test: {
    // Every request writes a log line. Only those of failed tests are printed.
    silent: 'passed-only',
    onStackTrace: showSource,
    sequence: { sequencer: LongestFirst },
    projects: [
      ...ofKind(waiting, 'six-venues', 'custody', 'venues'),
      ...ofKind(computing, 'access', 'manual', 'three-ledgers', 'many-ledgers'),
      ...(wanted.has('sandbox') || wanted.has('site') ? [sandbox] : []),
      ...(wanted.has('pure') ? [pure] : []),
      ...(wanted.has('node') ? [node] : []),
    ],
  },
});
