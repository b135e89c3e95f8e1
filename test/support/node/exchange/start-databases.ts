import { Miniflare, type V4WorkerOptionsShape, convertV4MiniflareOptions } from 'miniflare';

type Databases = NonNullable<V4WorkerOptionsShape['d1Databases']>;

export interface DatabaseRuntime {
  /** The databases as bindings of a Worker in another runtime. */
  readonly d1Databases: Databases;
  dispose(): Promise<void>;
}

const NAME = 'databases';

/** Passes on what the other runtime asks: it sends the binding, the address and each header in headers of its own. */
const SCRIPT = `const PREFIX = 'mf-header-';

export default {
  fetch(request, bindings) {
    const headers = [...request.headers].filter(([name]) => name.startsWith(PREFIX));
    const { fetcher } = bindings[request.headers.get('mf-binding')];
    return fetcher.fetch(request.headers.get('mf-url'), {
      method: request.method,
      headers: headers.map(([name, value]) => [name.slice(PREFIX.length), value]),
      body: request.body,
    });
  },
};`;

/**
 * Starts a runtime that has nothing but these databases, so that they have a thread of their own, as D1 has on the
 * platform. A Worker reaches them as it would reach databases of the platform from a local runtime.
 */
export async function startDatabases(databases: Databases, storage: string | undefined): Promise<DatabaseRuntime> {
  const runtime = new Miniflare(
    convertV4MiniflareOptions({
      workers: [
        {
          name: NAME,
          modules: [{ type: 'ESModule' as const, path: 'databases.js', contents: SCRIPT }],
          unsafeDirectSockets: [{ host: '127.0.0.1', port: 0 }],
          d1Databases: databases,
        },
      ],
      ...(storage !== undefined && { resourcePersistencePath: storage }),
    }),
  );
  try {
    const remoteProxyConnectionString = await runtime.unsafeGetDirectURL(NAME);
    return {
      d1Databases: Object.fromEntries(
        listDatabases(databases).map(([binding, id]) => [binding, { id, remoteProxyConnectionString }]),
      ) as Databases,
      dispose: () => runtime.dispose(),
    };
  } catch (error) {
    await runtime.dispose();
    throw error;
  }
}

function listDatabases(databases: Databases): (readonly [string, string])[] {
  return Object.entries(databases).map(([binding, database]) => [
    binding,
    typeof database === 'string' ? database : database.id,
  ]);
}
