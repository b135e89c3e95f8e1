import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type CloudflareAccount, askCloudflare } from '../../scripts/databases/database.ts';
import { migrateDatabases } from '../../scripts/databases/migrate-databases.ts';
import { describeMemory, openMemoryDatabases } from '../support/node/cloudflare/memory-databases.ts';
import { type PlayedD1Api, playD1Api } from '../support/node/cloudflare/play-d1-api.ts';

/** Loading wrangler takes seconds on a busy machine. */
const COMMAND_MS = 240_000;

let folder = '';
let memory = openMemoryDatabases();
let api: PlayedD1Api;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'bureau-databases-'));
  memory = openMemoryDatabases();
  api = await playD1Api(memory.run);
});
afterEach(async () => {
  await api.stop();
  rmSync(folder, { recursive: true });
});

/** A copy of the project as an operator has it, with databases of their own in production. */
function placeProject(ids: Readonly<Record<'DB' | 'IDENTITY', string>>): void {
  for (const name of ['node_modules', 'scripts', 'src', 'package.json']) {
    rmSync(join(folder, name), { force: true });
    symlinkSync(resolve(name), join(folder, name));
  }
  cpSync('migrations', join(folder, 'migrations'), { recursive: true });
  mkdirSync(join(folder, 'console'), { recursive: true });
  cpSync('console/migrations', join(folder, 'console/migrations'), { recursive: true });
  const fill = (file: string, id: string) =>
    writeFileSync(
      join(folder, file),
      readFileSync(file, 'utf8').replaceAll(/^database_id = .*$/gm, `database_id = "${id}"`),
    );
  fill('wrangler.toml', ids.DB);
  fill('console/wrangler.toml', ids.IDENTITY);
}

/** Runs a command of the project there, against the played API. */
async function runCommand(script: string, ...options: string[]): Promise<string> {
  const command = [`scripts/${script}.ts`, ...options, '--remote', '--env', 'production'];
  const { stdout } = await promisify(execFile)(process.execPath, command, {
    cwd: folder,
    env: { ...process.env, ...api.environment },
  });
  return stdout;
}

describe('the commands of the operator', () => {
  it(
    'migrate new databases, back them up and restore them into others, with wrangler and over D1’s API',
    async () => {
      placeProject({ DB: 'ledger', IDENTITY: 'console' });
      expect(await runCommand('migrate')).toContain('IDENTITY: 0001_identity.sql; its schema is as expected');
      expect(await runCommand('migrate')).toContain('DB: nothing to apply; its schema is as expected');
      memory
        .open('console')
        .exec(
          `INSERT INTO users (id, email, account_id, created_at) VALUES ('u', 'a@example.com', 'it''s; one', 9007199254740993)`,
        );
      await runCommand('backup');
      const [backup = ''] = readdirSync(join(folder, 'backups'));
      placeProject({ DB: 'new-ledger', IDENTITY: 'new-console' });
      expect(await runCommand('restore', join('backups', backup))).toMatch(
        /DB: \d+ rows are as they were at .*transfer 0/,
      );
      const restored = memory
        .open('new-console')
        .prepare('SELECT account_id, CAST(created_at AS TEXT) AS at FROM users');
      expect({ ...restored.get() }).toEqual({ account_id: "it's; one", at: '9007199254740993' });
      const count = memory.open('new-ledger').prepare(`SELECT count(*) AS n FROM sqlite_schema WHERE type = 'trigger'`);
      expect(Number(count.get()?.['n'])).toBeGreaterThan(100);
      // A trigger that was sent in a question would have been divided.
      expect(api.asked.filter((one) => one === 'POST import').length).toBeGreaterThanOrEqual(4);
    },
    COMMAND_MS,
  );

  it(
    'name what is missing before they ask anything',
    async () => {
      placeProject({ DB: '00000000-0000-0000-0000-000000000000', IDENTITY: 'console' });
      await expect(runCommand('migrate')).rejects.toThrow('DB has no database_id in production');
      expect(api.asked).toEqual([]);
    },
    COMMAND_MS,
  );
});

describe('migrating', () => {
  const migrate = (...bindings: string[]) =>
    migrateDatabases(
      bindings.map((binding) => describeMemory(memory, binding)),
      () => 'migrations',
      () => undefined,
    );

  it('says which trigger is missing, another one, or of its own', async () => {
    await migrate('DB');
    const trigger = memory
      .open('DB')
      .prepare(`SELECT sql FROM sqlite_schema WHERE name = 'orders_are_not_changed'`)
      .get();
    memory.open('DB').exec(`DROP TRIGGER orders_are_not_deleted; DROP TRIGGER orders_are_not_changed;
      ${String(trigger?.['sql']).replace('ABORT', 'FAIL')}; CREATE TABLE notes (text TEXT)`);
    await expect(migrate('DB')).rejects.toThrow(
      'its schema differs: it lacks the trigger orders_are_not_deleted; it has a table notes of its own; ' +
        'the trigger orders_are_not_changed is another one',
    );
  });

  it('stops at the first database that fails, which keeps what it had, and names those that were not reached', async () => {
    memory.open('DB_1').exec('CREATE TABLE webhook_endpoints (id TEXT)');
    await expect(migrate('DB', 'DB_1', 'DB_2')).rejects.toThrow(
      /DB_1 is not migrated: .*webhook_endpoints(.|\n)*Not reached: DB_2/,
    );
    const tables = (binding: string) =>
      memory
        .open(binding)
        .prepare(`SELECT name FROM sqlite_schema WHERE type = 'table'`)
        .all()
        .map(({ name }) => name);
    expect(tables('DB')).toContain('d1_migrations');
    expect(tables('DB_1')).toEqual(['webhook_endpoints']);
    expect(tables('DB_2')).toEqual([]);
  });

  it('refuses a database with migrations that these files do not begin with', async () => {
    await migrate('DB');
    memory.open('DB').exec(`UPDATE d1_migrations SET name = '0002_others.sql' WHERE name = '0002_accounts.sql'`);
    await expect(migrate('DB')).rejects.toThrow('migrations begins with others');
  });
});

describe('a question to D1', () => {
  const ask = () => {
    const {
      CLOUDFLARE_API_BASE_URL: origin = '',
      CLOUDFLARE_ACCOUNT_ID: account = '',
      CLOUDFLARE_API_TOKEN: token = '',
    } = api.environment;
    const at: CloudflareAccount = { origin, account, token };
    return askCloudflare(at, 'ledger', [`SELECT '1' AS a, NULL AS b`, `SELECT '2' AS c`], 0);
  };

  it('is asked again while the API is busy or counts too many calls', async () => {
    api.refusals.push(429, 500, 503);
    expect(await ask()).toEqual([[['1', null]], [['2']]]);
    expect(api.asked).toHaveLength(4);
  });

  it('is not asked again when it was refused, or was asked five times', async () => {
    api.refusals.push(403);
    await expect(ask()).rejects.toThrow('D1 answered 403');
    expect(api.asked).toHaveLength(1);
    api.refusals.push(500, 500, 500, 500, 500);
    await expect(ask()).rejects.toThrow('D1 answered 500');
    expect(api.asked).toHaveLength(6);
  });
});
