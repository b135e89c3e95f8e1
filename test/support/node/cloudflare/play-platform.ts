import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Miniflare, type V4WorkerOptionsShape, convertV4MiniflareOptions } from 'miniflare';
import { type ServiceToken, startAccessGate } from '../access/start-access-gate.ts';
import type { PlayedServer } from '../run/serve-on-loopback.ts';
import { type ApiCall, type PlayedD1Api, playD1Api } from './play-d1-api.ts';

/** Cloudflare as far as the commands of an operator reach it: its API, and an edge that serves what was deployed. */
export interface PlayedPlatform extends PlayedD1Api {
  /** Where a host of a custom domain is served, with Access before it; `undefined` before its Worker is deployed. */
  serve(host: string): Promise<string | undefined>;
}

/** A binding as wrangler uploads it. */
interface Binding {
  readonly name: string;
  readonly type: string;
  readonly [member: string]: unknown;
}

/** What wrangler uploads beside the module of a Worker. */
interface Metadata {
  readonly main_module: string;
  readonly bindings: readonly Binding[];
  readonly compatibility_date?: string;
  readonly compatibility_flags?: readonly string[];
}

/** A Worker of the account. Its secrets and hosts outlive a deployment. */
interface PlayedWorker {
  readonly secrets: Readonly<Record<string, string>>;
  readonly hosts: readonly string[];
  readonly metadata: Metadata;
  readonly code: string;
}

type RateLimit = NonNullable<V4WorkerOptionsShape['ratelimits']>[string];

const DATABASES = 'databases';

/**
 * Plays the platform. What is deployed runs in workerd, with the bindings and variables that wrangler uploads, the secrets
 * that were put and the databases that were made. Nothing is encrypted, files of a site are not served, nothing is
 * scheduled, and whoever has `token` is let in by Access.
 */
export async function playPlatform(token: ServiceToken): Promise<PlayedPlatform> {
  const storage = mkdtempSync(join(tmpdir(), 'bureau-platform-'));
  const workers = new Map<string, PlayedWorker>();
  const databases: string[] = [];
  const gates: PlayedServer[] = [];
  const describe = () => {
    const d1Databases = Object.fromEntries(databases.map((id) => [id, id]));
    const served = [...workers].filter(([, { metadata }]) => metadata.bindings.length > 0);
    return convertV4MiniflareOptions({
      resourcePersistencePath: storage,
      handleStructuredLogs: () => undefined,
      workers: [
        {
          name: DATABASES,
          modules: [{ type: 'ESModule' as const, path: 'index.js', contents: 'export default {}' }],
          d1Databases,
        },
        ...served.map(([name, worker]) => describeWorker(name, worker)),
      ],
    });
  };
  const runtime = new Miniflare(describe());
  const run = async (id: string, statements: readonly string[]) => {
    const database = await runtime.getD1Database(id, DATABASES);
    const answers = await database.batch(statements.flatMap(splitFile).map((sql) => database.prepare(sql)));
    return answers.map(({ results }) => results as Record<string, unknown>[]);
  };
  const takeScript = async (name: string, { type, body }: ApiCall) => {
    const form = await new Response(body, { headers: { 'Content-Type': type } }).formData();
    const read = async (part: string) => {
      const value = form.get(part);
      return typeof value === 'string' ? value : ((await value?.text()) ?? '');
    };
    const metadata = JSON.parse(await read('metadata')) as Metadata;
    const { secrets = {}, hosts = [] } = workers.get(name) ?? {};
    workers.set(name, { secrets, hosts, metadata, code: await read(metadata.main_module) });
    await runtime.setOptions(describe());
    return { id: name, startup_time_ms: 1, deployment_id: 'a-version' };
  };
  const answer = async (call: ApiCall): Promise<unknown> => {
    const { method, path, body } = call;
    const of = (end: string) => path.endsWith(end);
    if (of('/user')) return { id: 'ada', email: 'ada@exchange.example' };
    if (of('/accounts')) return [{ id: 'played-account', name: 'Exchange' }];
    if (of('/memberships')) return [{ account: { id: 'played-account' } }];
    if (of('/tokens/verify')) return { id: 'token', status: 'active' };
    if (of('/d1/database')) {
      const uuid = crypto.randomUUID();
      databases.push(uuid);
      await runtime.setOptions(describe());
      return { uuid, name: (JSON.parse(String(body)) as { name: string }).name };
    }
    const [, name = '', rest = ''] = /\/workers\/(?:scripts|services|workers)\/([^/]+)(.*)$/.exec(path) ?? [];
    if (name === '') return undefined;
    if (method === 'PUT' && rest === '') return takeScript(name, call);
    if (rest === '/assets-upload-session') return { jwt: 'all-files-are-there', buckets: [] };
    const worker = workers.get(name);
    if (!worker) return undefined;
    if (rest === '/secrets' && method === 'PUT') {
      const { name: secret, text } = JSON.parse(String(body)) as { name: string; text: string };
      workers.set(name, { ...worker, secrets: { ...worker.secrets, [secret]: text } });
      return { name: secret };
    }
    if (rest === '/secrets')
      return Object.keys(worker.secrets).map((secret) => ({ name: secret, type: 'secret_text' }));
    if (rest === '/deployments') return { deployments: [] };
    if (rest === '/domains/changeset') return { added: [], removed: [], updated: [], conflicting: [] };
    if (rest === '/domains/records') {
      const { origins } = JSON.parse(String(body)) as { origins: { hostname: string }[] };
      workers.set(name, { ...worker, hosts: origins.map(({ hostname }) => hostname) });
      return {};
    }
    // What is told of a Worker, and what is switched on or off for it.
    if (!['', '/settings', '/script-settings', '/subdomain', '/schedules'].includes(rest)) return undefined;
    return { id: name, subdomain: {}, default_environment: { script: {} } };
  };
  const api = await playD1Api(run, answer);
  return {
    ...api,
    serve: async (host) => {
      const [name] = [...workers].find(([, { hosts }]) => hosts.includes(host)) ?? [];
      if (name === undefined) return undefined;
      const gate = await startAccessGate((await runtime.unsafeGetDirectURL(name)).origin, token);
      gates.push(gate);
      return gate.url;
    },
    stop: async () => {
      await Promise.all([api, ...gates].map((one) => one.stop()));
      await runtime.dispose();
      rmSync(storage, { recursive: true, force: true });
    },
  };
}

/** The statements of a file. A trigger ends with a line of its own, and the local database takes 100 KB at once. */
function splitFile(sql: string): string[] {
  const statements: string[] = [];
  let begun = '';
  for (const part of sql.split(/(?<=;\n)/)) {
    begun += part;
    if (/^(\s|--.*\n)*CREATE TRIGGER/.test(begun) && !/\bEND;\n$/.test(begun)) continue;
    if (begun.trim() !== '') statements.push(begun);
    begun = '';
  }
  return statements;
}

/** A Worker as it was uploaded, for the local runtime. */
function describeWorker(name: string, { secrets, metadata, code }: PlayedWorker) {
  const {
    bindings,
    compatibility_date: compatibilityDate = '',
    compatibility_flags: compatibilityFlags = [],
  } = metadata;
  const collect = <Value>(type: string, read: (binding: Binding) => Value) =>
    Object.fromEntries(bindings.filter((one) => one.type === type).map((one) => [one.name, read(one)]));
  return {
    name,
    modules: [{ type: 'ESModule' as const, path: 'index.js', contents: code }],
    compatibilityDate,
    compatibilityFlags: [...compatibilityFlags],
    unsafeDirectSockets: [{ host: '127.0.0.1', port: 0 }],
    bindings: { ...collect('plain_text', ({ text }) => String(text)), ...secrets },
    d1Databases: collect('d1', ({ id }) => String(id)),
    durableObjects: collect('durable_object_namespace', (one) => ({
      className: String(one['class_name']),
      useSQLite: true,
    })),
    ratelimits: collect('ratelimit', (one) => one as unknown as RateLimit),
    serviceBindings: collect('service', ({ service, entrypoint }) =>
      typeof entrypoint === 'string' ? { name: String(service), entrypoint } : String(service),
    ),
    email: { send_email: bindings.filter((one) => one.type === 'send_email').map((one) => ({ name: one.name })) },
  };
}
