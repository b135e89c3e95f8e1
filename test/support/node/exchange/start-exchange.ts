import { join } from 'node:path';
import { Miniflare, type V4WorkerOptionsShape, convertV4MiniflareOptions } from 'miniflare';
import { describeLedgers } from '../../../../scripts/start/local-ledgers.ts';
import { startDatabases } from './start-databases.ts';
import { PROBE, Probe, describeProbe } from './probe.ts';
import type { ConfiguredWorker } from './read-configured-worker.ts';
import { publicSecrets } from '../../../../src/public-secrets.ts';
import { listMigrations } from '../../../../scripts/ledgers/list-migrations.ts';

/** An exchange for one test, script or benchmark alone. */
export interface ExchangeOptions {
  /** The directory of the bundled Worker: the output of `buildWorker`, in tests `inject('workerBundle')`. */
  readonly bundle: string;
  /** Another module of that directory that becomes the Worker, and imports the bundle's `index.js`. */
  readonly entry?: string;
  /** Replaces variables of wrangler.toml and secrets of src/public-secrets.ts. */
  readonly variables?: Readonly<Record<string, string>>;
  /** Replaces calls per period of wrangler.toml's rate limits: `{ ANONYMOUS_READS: 100_000 }`. */
  readonly rateLimits?: Readonly<Record<string, number>>;
  /** How many ledgers it has, each a database. Default: 1. With the same storage there may be more at a later start. */
  readonly ledgers?: number;
  /** Whether the databases have a process of their own, as on the platform. Default: false, as in `wrangler dev`. */
  readonly databasesApart?: boolean;
  /** How many Workers share the objects and the database, as data centres do. Default: 1. */
  readonly workers?: number;
  /** Bundles of further Workers that share them, as while a deployment is on its way; each has the entry, too. */
  readonly others?: readonly string[];
  /** Whether Cloudflare's own router serves the site's files in front of the Worker. Default: true. */
  readonly site?: boolean;
  /** Another Worker in the same runtime, which shares only the machine with the exchange. */
  readonly neighbour?: Neighbour;
  /** The directory that keeps D1, the objects and the edge cache for a later start. Default: a temporary one. */
  readonly storage?: string;
  /** What wrangler.toml says, for a process that has no other need of wrangler. Default: it is read. */
  readonly worker?: ConfiguredWorker;
  /** The port of an inspector for V8's profiler; 0 is any free one. Default: no inspector. */
  readonly inspectorPort?: number;
}

/** A Worker, given by its configuration and its bundle. */
export interface Neighbour {
  readonly config: string;
  readonly bundle: string;
}

export interface Exchange extends AsyncDisposable {
  readonly urls: readonly string[];
  readonly neighbourUrl: string | undefined;
  /** The address of the inspector for the first Worker and all objects, if a port was given. */
  readonly inspectorUrl: string | undefined;
  /** The runtime, for what only it can do, such as evicting an object. */
  readonly runtime: Miniflare;
  /** Reads D1, and runs the cron handler. */
  readonly probe: Probe;
  /** Ends the runtime, and deletes storage without a given directory. */
  dispose(): Promise<void>;
}

const NEIGHBOUR = 'neighbour';

type DurableObjects = NonNullable<V4WorkerOptionsShape['durableObjects']>;
type RateLimits = NonNullable<V4WorkerOptionsShape['ratelimits']>;

/**
 * Starts the Worker as it is deployed: the bundle, in workerd, with the bindings of wrangler.toml, real D1 with all
 * migrations and real objects. Each Worker listens on a free port of its own with nothing in front of it, so a test
 * sees the very bytes that it sends, and a benchmark measures no proxy. It needs neither vitest nor a build of its
 * own, and runs in the project's directory.
 *
 * Nothing fires the cron triggers but `probe`, on demand. What the Worker logs goes to this process's stderr.
 *
 * The runtime is a child process: to crash the exchange, start it from a process in a group of its own, kill the
 * group, and start it again on the same `storage`. Killing Node alone leaves the runtime behind.
 */
export async function startExchange(options: ExchangeOptions): Promise<Exchange> {
  const worker = options.worker ?? (await readWorker('wrangler.toml'));
  const owner = worker.name;
  const { bundle, others = [] } = options;
  const bundles = [...Array.from({ length: options.workers ?? 1 }, () => bundle), ...others];
  const names = bundles.map((_, index) => (index ? `${owner}-${index + 1}` : owner));
  const { ledgers = 1 } = options;
  const described = addLedgers(worker.settings, ledgers);
  const neighbours = options.neighbour ? [await describeNeighbour(options.neighbour)] : [];
  const apart = options.databasesApart ? await startDatabases(described.d1Databases ?? {}, options.storage) : undefined;
  const settings = apart ? { ...described, d1Databases: apart.d1Databases } : described;
  const objects = settings.durableObjects ?? {};
  const { assets, ...bare } = settings;
  // Wrangler's own reading of the secrets is not used, because it includes a developer's .dev.vars.
  const secrets = publicSecrets;
  const shared = {
    ...bare,
    ...(assets && options.site !== false && { assets }),
    bindings: { ...worker.variables, ...secrets, ...options.variables },
    ratelimits: limitRates(settings.ratelimits ?? {}, options.rateLimits ?? {}),
  };
  const runtime = new Miniflare(
    convertV4MiniflareOptions({
      workers: [
        ...names.map((name, index) => ({
          ...shared,
          ...serveBundle(bundles[index] ?? bundle, options.entry),
          name,
          durableObjects: name === owner ? objects : lendObjects(objects, owner),
        })),
        describeProbe(owner, settings),
        ...neighbours,
      ],
      ...(options.storage !== undefined && { resourcePersistencePath: options.storage }),
      ...(options.inspectorPort !== undefined && { inspectorPort: options.inspectorPort }),
    }),
  );
  const dispose = async () => {
    await runtime.dispose();
    await apart?.dispose();
  };
  try {
    const probe = new Probe((await runtime.unsafeGetDirectURL(PROBE)).origin, ledgers);
    for (let ledger = 0; ledger < ledgers; ledger += 1) await migrate(probe, ledger);
    const urls = await Promise.all(names.map((name) => runtime.unsafeGetDirectURL(name)));
    const neighbourUrl = options.neighbour && (await runtime.unsafeGetDirectURL(NEIGHBOUR)).origin;
    const inspectorUrl =
      options.inspectorPort === undefined ? undefined : inspectorOf(owner, await runtime.getInspectorURL());
    return {
      urls: urls.map(({ origin }) => origin),
      neighbourUrl,
      inspectorUrl,
      runtime,
      probe,
      dispose,
      [Symbol.asyncDispose]: dispose,
    };
  } catch (error) {
    await dispose();
    throw error;
  }
}

export function inspectorOf(worker: string, runtime: URL): string {
  return new URL(`/core:user:${worker}`, runtime).href;
}

/** A bundle, on a free port of loopback with nothing in front of it. */
export function serveBundle(bundle: string, entry?: string) {
  const files = entry === undefined ? ['index.js'] : [entry, 'index.js'];
  return {
    modules: files.map((file) => ({ type: 'ESModule' as const, path: join(bundle, file) })),
    modulesRoot: bundle,
    // The bundle is a single module, so there are no others to look for.
    modulesRules: undefined,
    unsafeDirectSockets: [{ host: '127.0.0.1', port: 0 }],
  };
}

function addLedgers(settings: V4WorkerOptionsShape, ledgers: number): V4WorkerOptionsShape {
  const named = Object.fromEntries(Object.entries(settings.d1Databases ?? {}));
  return { ...settings, d1Databases: { ...describeLedgers(ledgers), ...named } };
}

async function describeNeighbour({ config, bundle }: Neighbour) {
  const { settings } = await readWorker(config);
  return { ...settings, ...serveBundle(bundle), name: NEIGHBOUR };
}

/** Loads wrangler only where it is needed. */
async function readWorker(config: string): Promise<ConfiguredWorker> {
  const { readConfiguredWorker } = await import('./read-configured-worker.ts');
  return readConfiguredWorker(config);
}

/** Bindings to the same objects for a Worker that does not own them. */
function lendObjects(objects: DurableObjects, owner: string): DurableObjects {
  return Object.fromEntries(
    Object.entries(objects).map(([binding, object]) => [
      binding,
      { ...(typeof object === 'string' ? { className: object } : object), scriptName: owner },
    ]),
  );
}

function limitRates(bindings: RateLimits, limits: Readonly<Record<string, number>>): RateLimits {
  const limited = { ...bindings };
  for (const [name, limit] of Object.entries(limits)) {
    const binding = limited[name];
    if (binding === undefined) throw new Error(`wrangler.toml has no rate limit ${name}`);
    limited[name] = { ...binding, simple: { ...binding.simple, limit } };
  }
  return limited;
}

/** Applies the migrations that were not yet applied, and notes them as `wrangler d1 migrations apply` does. */
async function migrate(probe: Probe, ledger: number): Promise<void> {
  await probe.query(
    `CREATE TABLE IF NOT EXISTS d1_migrations (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE,
       applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL)`,
    ledger,
  );
  const rows = await probe.query<{ name: string }>('SELECT name FROM d1_migrations', ledger);
  const applied = rows.map(({ name }) => name);
  const missing = listMigrations('migrations').filter(({ name }) => !applied.includes(name));
  if (missing.length === 0) return;
  // SQLite takes a whole file as one statement.
  await probe.batch(
    missing.flatMap(({ name, text }) => [
      { sql: text },
      { sql: 'INSERT INTO d1_migrations (name) VALUES (?)', values: [name] },
    ]),
    ledger,
  );
}
