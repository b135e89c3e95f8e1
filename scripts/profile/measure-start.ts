import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { Miniflare, convertV4MiniflareOptions } from 'miniflare';
import { unstable_readConfig } from 'wrangler';
import { inspectorOf } from '../../test/support/node/start-exchange.ts';
import { type CallFrame, type CpuProfile, GARBAGE, sumTime } from './cpu-profile.ts';
import { recordProfile } from './record-profile.ts';

/** The CPU that one start of a bundle took, in milliseconds. */
export interface Start {
  /** Reading the text. It is the upper bound: here the runtime also puts by what it has compiled. */
  readonly parse_ms: number;
  /** Whatever runs before the first request, the compiling of its functions and all garbage included. */
  readonly globalScope_ms: number;
}

/** The platform gives no random bytes before the first request, so a library that asks for some is told no at once. */
const FORBIDDEN = 'getRandomValues';

const WORKER = 'started';
const BUNDLE = 'index.js';

/** Starts the bundle when it is asked to, so that the profiler is there before the bundle is. */
const ENTRY = 'entry.js';
const ENTRY_SCRIPT = `export default {
  async fetch() {
    await import('./${BUNDLE}');
    return new Response();
  },
};
`;

/**
 * Starts a bundle once, in a runtime of its own, with the variables of wrangler.toml, and says what that took: what the
 * platform limits to a second ("Worker startup time": to parse and execute its global scope). Throws when the global
 * scope does.
 */
export async function measureStart(bundle: string): Promise<Start> {
  const config = unstable_readConfig({ config: 'wrangler.toml' });
  const runtime = new Miniflare(
    convertV4MiniflareOptions({
      name: WORKER,
      compatibilityDate: config.compatibility_date ?? '',
      // The registry that compiles a module when it is imported. The other one does it before a profiler can watch.
      compatibilityFlags: [...config.compatibility_flags, 'new_module_registry'],
      bindings: { ...config.vars, ...parseEnv(readFileSync('.dev.vars.example', 'utf8')) },
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

/** Where the time of a profile went that covers a start and nothing else. */
export function readStart(profile: CpuProfile): Start {
  const sum_ms = (isMeant: (stack: readonly CallFrame[]) => boolean) => sumTime(profile, isMeant) / 1_000;
  return {
    parse_ms: sum_ms((stack) => isOf(ENTRY, stack) && !isOf(BUNDLE, stack)),
    globalScope_ms: sum_ms(
      (stack) => (isOf(BUNDLE, stack) && stack[0]?.functionName !== FORBIDDEN) || stack[0]?.functionName === GARBAGE,
    ),
  };
}

function isOf(file: string, stack: readonly CallFrame[]): boolean {
  return stack.some(({ url }) => url.endsWith(`/${file}`));
}
