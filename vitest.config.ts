import { readFileSync } from 'node:fs';
import { type TestProjectInlineConfiguration, defineConfig } from 'vitest/config';
import { holdRuntimeNoise } from './test/support/node/run/hold-runtime-noise.ts';
import { keepCompiled } from './test/support/node/run/keep-compiled.ts';
import { listWantedFiles } from './test/support/node/run/list-wanted-files.ts';
import { type RuntimeName, loadRuntime, runtimeNames } from './test/support/node/run/load-runtime.ts';
import { LongestFirst } from './test/support/node/run/longest-first.ts';
import { refuseRuntime } from './test/support/node/run/refuse-runtime.ts';
import { showSource } from './test/support/node/run/show-source.ts';
import { storeInMemory } from './test/support/node/run/store-in-memory.ts';

/**
 * There are three kinds of test file:
 *
 *   *.pure.test.ts   plain Node: nothing is started, and nothing of the runtime can be imported
 *   *.node.test.ts   plain Node, from which the deployed bundle or other processes are started
 *   *.test.ts        workerd, in the runtime that the file's first line names: `// @runtime outside`; without one it is
 *                    the sandbox of wrangler.toml (test/support/node/run/load-runtime.ts lists the runtimes)
 *
 * The tests of the packages custodian and dealer run beside the pure ones.
 */
const SERVICES = /^(custodian|dealer)\/test\/pure\//;

function projectOf(file: string): RuntimeName | 'pure' | 'node' {
  if (SERVICES.test(file) || file.endsWith('.pure.test.ts')) return 'pure';
  if (file.endsWith('.node.test.ts')) return 'node';
  const named = /^\/\/ @runtime (.+)\n/.exec(readFileSync(file, 'utf8'))?.[1] ?? 'sandbox';
  const runtime = runtimeNames.find((name) => name === named);
  if (runtime === undefined)
    throw new Error(`${file} names the runtime ${named}; there are ${runtimeNames.join(', ')}`);
  return runtime;
}

storeInMemory();
keepCompiled();
holdRuntimeNoise();

// A run loads and starts only what its files need, so that a run of one file is fast.
const wanted = Map.groupBy(listWantedFiles(process.argv.slice(2)), projectOf);
const isWanted = (project: RuntimeName | 'node', folder: string) =>
  wanted.get(project)?.some((file) => file.startsWith(folder)) ?? false;

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

const isInWorkerd = runtimeNames.some((name) => wanted.has(name));
const loadProject = isInWorkerd ? await loadRuntime() : undefined;

/** Those whose files mostly wait for what is played. */
const paces: Partial<Record<RuntimeName, typeof waiting>> = { outside: waiting, 'outside-by-hand': waiting };

/**
 * A project is one configuration of the Worker. Its files share a few runtimes, because starting one takes longer than
 * most files do; each file begins with empty storage, and each runtime has its own servers that play the outside.
 */
function inRuntime(name: RuntimeName): TestProjectInlineConfiguration {
  return {
    extends: alone,
    plugins: loadProject ? [loadProject(name)] : [],
    // A package whose source map names files that it does not have is no news.
    logLevel: 'error',
    test: {
      name,
      include: wanted.get(name) ?? [],
      globalSetup: isWanted(name, 'test/site/') ? ['test/support/node/run/provide-site.ts'] : [],
      setupFiles: ['test/support/runtime/begin-file.ts'],
      isolate: false,
      ...(paces[name] ?? computing),
      ...timeouts,
    },
  };
}

/**
 * These tests keep no state, so they share one set of modules. Those of the custodian are of its signer, states and store;
 * those with nodes of real chains are run by `npm run test:chains`. Those of the dealer have played venues.
 */
const pure: TestProjectInlineConfiguration = {
  extends: alone,
  plugins: [refuseRuntime()],
  test: {
    name: 'pure',
    include: ['test/**/*.pure.test.ts', '{custodian,dealer}/test/pure/**/*.test.ts'],
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
    include: ['test/**/*.node.test.ts'],
    globalSetup: isWanted('node', 'test/console/')
      ? 'test/support/node/console/provide-bundles.ts'
      : 'test/support/node/exchange/provide-worker-bundle.ts',
    isolate: false,
    ...waiting,
    ...timeouts,
  },
};

export default defineConfig({
  test: {
    // Every request writes a log line. Only those of failed tests are printed.
    silent: 'passed-only',
    onStackTrace: showSource,
    sequence: { sequencer: LongestFirst },
    projects: [
      ...runtimeNames.filter((name) => wanted.has(name)).map(inRuntime),
      ...(wanted.has('pure') ? [pure] : []),
      ...(wanted.has('node') ? [node] : []),
    ],
  },
});
