import { createHash } from 'node:crypto';
import {
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { type Plugin, type ResolvedConfig, type Rolldown, build } from 'vite';

const SOURCE = resolve('src');
/** Each bundle has a folder in here. */
export const CACHE = resolve('node_modules/.cache/test-source');

const bundled = /\/\.cache\/test-source\//;
const notBundled = /^(?!.*\/\.cache\/test-source\/)/;

/** Bundles that were not used for this long are deleted. */
const KEPT_MS = 86_400_000;

/** Where the runtime provides the module itself. */
const builtIn = /^(cloudflare|node):/;

/** The file to import in place of each module of `src` and each package that `src` imports, by their paths. */
type Replacements = ReadonlyMap<string, string>;

/**
 * Has test files in workerd import `src` and its packages from a bundle, by one plugin for each project. A runtime
 * fetches modules one by one, and six hundred small ones take longer than most test files. The bundle has the packages
 * in one file and `src` in another, which the runtime imports natively. Each module keeps a small file that exports what
 * it exported, so that tests share its classes and objects with the Worker. Watched files are not bundled.
 */
export function bundleSource(): () => Plugin {
  let replacements: Promise<Replacements> | undefined;
  return () => {
    let config: ResolvedConfig;
    let isWatching = false;
    return {
      name: 'bundle-source',
      enforce: 'pre',
      config: {
        // After the runtime's own plugin, which has vite transform every file.
        order: 'post',
        handler(settings) {
          const { deps = {} } = ((settings.test ??= {}).server ??= {});
          settings.test.server.deps = { ...deps, inline: [notBundled], external: [bundled] };
        },
      },
      configResolved: (resolved) => void (config = resolved),
      configureVitest({ vitest, defineCacheKeyGenerator }) {
        isWatching = vitest.config.watch;
        // The runtime starts meanwhile. If the bundle cannot be made, the first import says so.
        if (!isWatching) void (replacements ??= buildSource(config)).catch(() => {});
        // A transformed test names the files of its bundle, which another state of `src` replaces.
        defineCacheKeyGenerator(({ environment }) => (environment.name === 'ssr' ? false : undefined));
      },
      async resolveId(id, importer, options) {
        // What sets a run up is imported into Node, in another environment.
        if (isWatching || this.environment.name !== 'ssr') return;
        if (id.startsWith('\0') || id.includes('?') || builtIn.test(id) || bundled.test(id)) return;
        const resolved = await this.resolve(id, importer, { ...options, skipSelf: true });
        replacements ??= buildSource(config);
        return resolved && (await replacements).get(resolved.id);
      },
    };
  };
}

/** Bundles with the resolution of the project's own configuration, so that the same files of packages are found. */
async function buildSource(config: ResolvedConfig): Promise<Replacements> {
  const { conditions, mainFields } = config.environments['ssr']?.resolve ?? config.resolve;
  const built = await build({
    configFile: false,
    logLevel: 'warn',
    mode: config.mode,
    plugins: [keepPackages()],
    resolve: { conditions, mainFields },
    ssr: { target: 'webworker', noExternal: true },
    build: {
      ssr: true,
      write: false,
      minify: false,
      sourcemap: true,
      target: 'esnext',
      // Source maps name files by their paths from here. The true folder has the same depth.
      outDir: join(CACHE, 'bundle'),
      rolldownOptions: {
        input: globSync('src/**/*.ts', { exclude: (file) => file.endsWith('.d.ts') }).map((file) => resolve(file)),
        external: builtIn,
        output: {
          keepNames: true,
          entryFileNames: '[name]-[hash].mjs',
          chunkFileNames: '[name]-[hash].mjs',
          codeSplitting: {
            groups: [
              { name: 'packages', test: /\/node_modules\//, priority: 1 },
              { name: 'source', test: /./ },
            ],
          },
        },
      },
    },
  });
  const { output } = built as Rolldown.RolldownOutput;
  const folder = keepFiles(output);
  return new Map(
    output.flatMap((file) =>
      file.type === 'chunk' && file.facadeModuleId ? [[file.facadeModuleId, join(folder, file.fileName)]] : [],
    ),
  );
}

/** Lets tests import the packages of `src` as well, from the same bundle. */
function keepPackages(): Plugin {
  return {
    name: 'keep-packages',
    resolveId(id, importer) {
      const isPackage = /^[@a-z]/.test(id) && !builtIn.test(id);
      if (isPackage && importer?.startsWith(SOURCE)) this.emitFile({ type: 'chunk', id, preserveSignature: 'strict' });
    },
  };
}

/** Writes a bundle into a folder named for its content, so that runs beside each other do not meet. */
function keepFiles(files: Rolldown.RolldownOutput['output']): string {
  const contents = files.map((file) => [file.fileName, file.type === 'chunk' ? file.code : file.source] as const);
  const hash = createHash('sha256');
  for (const [name, content] of contents) hash.update(name).update(content);
  const folder = join(CACHE, hash.digest('hex').slice(0, 16));
  if (existsSync(folder)) {
    utimesSync(folder, new Date(), new Date());
    return folder;
  }
  const unfinished = `${folder}-${process.pid}`;
  mkdirSync(unfinished, { recursive: true });
  for (const [name, content] of contents) writeFileSync(join(unfinished, name), content);
  try {
    renameSync(unfinished, folder);
  } catch (error) {
    rmSync(unfinished, { recursive: true });
    // Another run may have made the same bundle meanwhile.
    if (!existsSync(folder)) throw error;
  }
  deleteUnused();
  return folder;
}

function deleteUnused(): void {
  for (const name of readdirSync(CACHE)) {
    const folder = join(CACHE, name);
    const used_ms = statSync(folder, { throwIfNoEntry: false })?.mtimeMs ?? Number.POSITIVE_INFINITY;
    if (used_ms < Date.now() - KEPT_MS) rmSync(folder, { recursive: true, force: true });
  }
}
