import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, chownSync, cpSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { findFreePort } from '../../scripts/find-free-port.ts';

export interface Peer extends AsyncDisposable {
  readonly origin: string;
  readonly tokens: readonly string[];
}

/** What is in the folder of a peer: its server, which takes PORT and PGHOST, and its tables for PostgreSQL. */
const SERVER = 'server.mjs';
const SCHEMA = 'schema.sql';

const PACKAGES = ['fastify@5', 'pg@8'];

/** Where Debian has the programs of PostgreSQL. */
const POSTGRES = '/usr/lib/postgresql/15/bin';
const DATABASE = 'peer';

const START_DEADLINE_MS = 30_000;

export function isPeer(folder: string): boolean {
  return [SERVER, SCHEMA].every((file) => existsSync(join(folder, file)));
}

/**
 * Starts the peer of a folder beside a PostgreSQL of its own, with this many traders. Both keep what they write below
 * `directory`, which must be new and have a short path, because a socket is in it. Throws when one of them does not
 * start.
 */
export async function startPeer(folder: string, directory: string, traders: number): Promise<Peer> {
  mkdirSync(directory);
  for (const file of [SERVER, SCHEMA]) cpSync(join(folder, file), join(directory, file));
  writeFileSync(join(directory, 'package.json'), JSON.stringify({ private: true }));
  execFileSync('npm', ['install', '--silent', '--no-audit', '--no-fund', ...PACKAGES], { cwd: directory });
  const database = await startPostgres(directory);
  try {
    const tokens = Array.from({ length: traders }, () => `peer-${randomUUID()}`);
    query(directory, '-c', `CREATE DATABASE ${DATABASE}`);
    query(directory, '-d', DATABASE, '-f', join(directory, SCHEMA));
    query(directory, '-d', DATABASE, '-c', tokens.map(insertKey).join(';'));
    const port = await findFreePort();
    const env = { ...process.env, PORT: String(port), PGHOST: directory };
    const server = spawn(process.execPath, [SERVER], { cwd: directory, env, stdio: ['ignore', 'ignore', 'inherit'] });
    const origin = `http://127.0.0.1:${port}`;
    const end = async () => {
      await stop(server, 'SIGTERM');
      await stop(database, 'SIGINT');
    };
    await untilReady(async () => void (await fetch(origin)), end);
    return { origin, tokens, [Symbol.asyncDispose]: end };
  } catch (error) {
    await stop(database, 'SIGINT');
    throw error;
  }
}

/** Starts PostgreSQL with its data and its socket in a folder. It refuses to run as root, so root lends its rights. */
async function startPostgres(directory: string): Promise<ChildProcess> {
  const data = join(directory, 'data');
  mkdirSync(data);
  const owner = process.getuid?.() === 0 ? { uid: idOf('-u'), gid: idOf('-g') } : {};
  if (owner.uid !== undefined && owner.gid !== undefined) {
    for (const path of [directory, data]) chownSync(path, owner.uid, owner.gid);
    chmodSync(join(directory, '..'), 0o755);
  }
  execFileSync(join(POSTGRES, 'initdb'), ['-D', data, '-A', 'trust', '-U', 'postgres'], { ...owner, cwd: directory });
  const settings = ['listen_addresses=', `unix_socket_directories=${directory}`, 'shared_buffers=512MB'];
  const server = spawn(join(POSTGRES, 'postgres'), ['-D', data, ...settings.flatMap((setting) => ['-c', setting])], {
    ...owner,
    cwd: directory,
    stdio: 'ignore',
  });
  await untilReady(
    async () => query(directory, '-c', 'SELECT 1'),
    () => stop(server, 'SIGINT'),
  );
  return server;
}

function idOf(option: '-u' | '-g'): number {
  return Number(execFileSync('id', [option, 'postgres'], { encoding: 'utf8' }));
}

function query(directory: string, ...rest: string[]): void {
  const options = ['-h', directory, '-U', 'postgres', '-q', '-v', 'ON_ERROR_STOP=1'];
  execFileSync(join(POSTGRES, 'psql'), [...options, ...rest], { stdio: ['ignore', 'ignore', 'pipe'] });
}

function insertKey(token: string, index: number): string {
  const hash = createHash('sha256').update(token).digest('hex');
  return `INSERT INTO api_keys VALUES ('${hash}', 'k${index}', 't${index}')`;
}

/** Repeats a question until it succeeds. Past the deadline it runs `end` and throws the last failure. */
async function untilReady(ask: () => Promise<void>, end: () => Promise<void>): Promise<void> {
  const deadline_ms = Date.now() + START_DEADLINE_MS;
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (Date.now() > deadline_ms) {
        await end();
        throw error;
      }
      await pause(100);
    }
  }
}

async function stop(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill(signal);
  await ended;
}
