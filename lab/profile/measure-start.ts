import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Miniflare, convertV4MiniflareOptions } from 'miniflare';
import { unstable_readConfig } from 'wrangler';
import { inspectorOf } from '../../test/support/node/exchange/start-exchange.ts';
import { type CallFrame, type CpuProfile, recordProfile } from './record-profile.ts';
import { publicSecrets } from '../../src/public-secrets.ts';

/** The CPU time of one start of a bundle, in milliseconds. */
export interface Start {
  /** Reading and parsing the text. An upper bound: the local runtime also stores what it has compiled. */
  readonly parse_ms: number;
  /** Running the global scope, including compiling its functions and collecting all garbage. */
  readonly globalScope_ms: number;
}

/** The platform refuses random bytes before the first request at once, so the time they take here does not count. */
const FORBIDDEN = 'getRandomValues';

const WORKER = 'started';
const BUNDLE = 'index.js';

/** Loads the bundle on the first request, so that the profiler watches before the bundle is read. */
const ENTRY = 'entry.js';
const ENTRY_SCRIPT = `export default {
  async fetch() {
    await import('./${BUNDLE}');
    return new Response();
  },
};
`;

/**
 * Starts a bundle once, in a runtime of its own with the variables of wrangler.toml, and measures its CPU. The platform
 * limits this to one second ("Worker startup time": to parse and execute the global scope). Throws what the global
 * scope throws.
 */
export async function measureStart(bundle: string): Promise<Start> {
  const config = unstable_readConfig({ config: 'wrangler.toml' });
  const runtime = new Miniflare(
    convertV4MiniflareOptions({
      name: WORKER,
      compatibilityDate: config.compatibility_date ?? '',
      // The registry that compiles a module when it is imported. The other one does it before a profiler can watch.
      compatibilityFlags: [...config.compatibility_flags, 'new_module_registry'],
      bindings: { ...config.vars, ...publicSecrets },
      // Without a ledger the Worker refuses to start.
      d1Databases: { DB: 'ledger' },
      modulesRoot: '/',
      modules: [
        { type: 'ESModule', path: `/${ENTRY}`, contents: ENTRY_SCRIPT },
        { type: 'ESModule', path: `/${BUNDLE}`, contents: readFileSync(join(bundle, BUNDLE), 'utf8') },
      ],
      inspectorPort: 0,
    }),
  );
  try {
    const inspector = inspectorOf(WORKER, await runtime.getInspectorURL());
    const profile = await recordProfile(inspector, async () => {
      const response = await runtime.dispatchFetch('http://127.0.0.1/');
      if (!response.ok) throw new Error(`the bundle did not start: ${await response.text()}`);
    });
    return readStart(profile);
  } finally {
    await runtime.dispose();
  }
}

/** V8's function name for the time of its garbage collector. */
const GARBAGE = '(garbage collector)';

/** Splits the time of a profile that covers exactly one start. */
export function readStart(profile: CpuProfile): Start {
  let [parse_us, globalScope_us] = [0, 0];
  const stackOf = readStacks(profile);
  for (const [index, sampled] of profile.samples.entries()) {
    const stack = stackOf(sampled);
    const time_us = profile.timeDeltas[index] ?? 0;
    const [innermost] = stack;
    if (isOf(BUNDLE, stack) ? innermost?.functionName !== FORBIDDEN : innermost?.functionName === GARBAGE) {
      globalScope_us += time_us;
    } else if (isOf(ENTRY, stack) && !isOf(BUNDLE, stack)) parse_us += time_us;
  }
  return { parse_ms: parse_us / 1_000, globalScope_ms: globalScope_us / 1_000 };
}

/** Gives the frames that were open at a node, innermost first. */
function readStacks({ nodes }: CpuProfile): (id: number) => readonly CallFrame[] {
  const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]));
  const parents = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id])));
  return (sampled) => {
    const stack: CallFrame[] = [];
    for (let id: number | undefined = sampled; id !== undefined; id = parents.get(id)) {
      const frame = frames.get(id);
      if (frame) stack.push(frame);
    }
    return stack;
  };
}

function isOf(file: string, stack: readonly CallFrame[]): boolean {
  return stack.some(({ url }) => url.endsWith(`/${file}`));
}
