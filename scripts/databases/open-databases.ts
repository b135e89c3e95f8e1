import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Miniflare, convertV4MiniflareOptions } from 'miniflare';
import { unstable_readConfig } from 'wrangler';
import { type DeployConfig, NO_DATABASE } from '../doctor/find-deploy-faults.ts';
import { findHolder } from '../start/claim.ts';
import { CONSOLE_CONFIG } from '../start/build-workers.ts';
import { describeLedgers } from '../start/local-ledgers.ts';
import { subjectOfStorage } from '../start/place.ts';
import { makeTemporaryFolder } from '../temporary-folder.ts';
import { WRANGLER, quietly } from '../start/wrangler.ts';
import { type Database, type Row, askCloudflare } from './database.ts';

/** Which databases are meant: those of an environment on the platform, or those of a folder on this machine. */
export type Where = { readonly environment: string } | { readonly storage: string; readonly ledgers: number };

/** The databases of an exchange and its console, those of the ledgers first, in the order of their numbers. */
export interface Databases extends AsyncDisposable {
  readonly all: readonly Database[];
}

const API = 'https://api.cloudflare.com/client/v4';

/** Opens the databases. Throws when a variable is missing, or an exchange of this machine is using the folder. */
export async function openDatabases(where: Where): Promise<Databases> {
  return 'environment' in where ? openRemote(where.environment) : openLocal(where.storage, where.ledgers);
}

/** A database of a configuration, and the file that names it. */
interface Configured {
  readonly binding: string;
  readonly id: string;
  readonly config: string;
}

function listConfigured(environment: string | undefined): Configured[] {
  return ['wrangler.toml', CONSOLE_CONFIG].flatMap((config) => {
    const named: DeployConfig = unstable_readConfig({ config, ...(environment !== undefined && { env: environment }) });
    return named.d1_databases.map(({ binding, database_id: id = '' }) => ({ binding, id, config }));
  });
}

function openRemote(environment: string): Databases {
  const {
    CLOUDFLARE_API_BASE_URL: origin = API,
    CLOUDFLARE_ACCOUNT_ID: account,
    CLOUDFLARE_API_TOKEN: token,
  } = process.env;
  if (!account || !token) throw new Error('set CLOUDFLARE_ACCOUNT_ID, and CLOUDFLARE_API_TOKEN that may edit D1');
  const configured = listConfigured(environment);
  const unmade = configured.filter(({ id }) => NO_DATABASE.test(id)).map(({ binding }) => binding);
  if (unmade.length > 0) throw new Error(`${unmade.join(', ')} has no database_id in ${environment}`);
  const all = configured.map(({ binding, id, config }) => ({
    binding,
    ask: (statements: readonly string[]) => askCloudflare({ origin, account, token }, id, statements),
    // A file is executed as it is. What is sent in a question is divided at semicolons, also at those inside a trigger.
    execute: async (statements: readonly string[]) =>
      executeFile(statements, [binding, '--remote', '--yes', '--env', environment, '--config', config]),
  }));
  return { all, [Symbol.asyncDispose]: async () => undefined };
}

/** Has wrangler execute a file with these statements. D1 takes the whole file or nothing of it. */
function executeFile(statements: readonly string[], options: readonly string[]): void {
  using folder = makeTemporaryFolder('sql');
  const file = join(folder.path, 'statements.sql');
  writeFileSync(file, statements.map((sql) => `${sql.replace(/;\s*$/, '')};\n`).join(''));
  const command = [...WRANGLER, 'd1', 'execute', ...options, '--file', file];
  const { status, stdout, stderr } = spawnSync(process.execPath, command, {
    env: { ...process.env, ...quietly },
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`wrangler d1 execute failed:\n${stdout}\n${stderr}`);
}

async function openLocal(storage: string, ledgers: number): Promise<Databases> {
  const user = await findHolder(subjectOfStorage(storage));
  if (user) throw new Error(`the Bureau on port ${user.port} (process ${user.pid}) uses ${storage}: stop it first`);
  const configured = listConfigured(undefined);
  const ids = {
    ...describeLedgers(ledgers),
    ...Object.fromEntries(configured.map(({ binding, id }) => [binding, id])),
  };
  const runtime = new Miniflare(
    convertV4MiniflareOptions({
      modules: true,
      script: '',
      d1Databases: ids,
      resourcePersistencePath: join(storage, 'v3'),
    }),
  );
  const found = await runtime.getBindings<Record<string, LocalDatabase>>();
  const all = Object.keys(ids).map((binding) => {
    const database = found[binding];
    if (database === undefined) throw new Error(`there is no database ${binding}`);
    return {
      binding,
      ask: async (statements: readonly string[]) => runBatch(database, statements),
      execute: async (statements: readonly string[]) => void (await runBatch(database, statements)),
    };
  });
  return { all, [Symbol.asyncDispose]: () => runtime.dispose() };
}

/** As much of D1's binding as is used here. */
interface LocalDatabase {
  prepare(sql: string): object;
  batch(
    statements: readonly object[],
  ): Promise<readonly { readonly results: readonly Record<string, string | null>[] }[]>;
}

async function runBatch(database: LocalDatabase, statements: readonly string[]): Promise<readonly Row[][]> {
  const answers = await database.batch(statements.map((sql) => database.prepare(sql)));
  return answers.map(({ results }) => results.map((row) => Object.values(row)));
}
