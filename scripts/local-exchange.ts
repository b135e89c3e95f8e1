import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFreePort } from './find-free-port.ts';

const DEADLINE_MS = 240_000;

export interface LocalExchange {
  readonly origin: string;
  readonly consoleOrigin: string;
  readonly greeting: string;
  readonly storage: string;
  /** Returns a printed value by its name, such as `api key`. */
  valueOf(name: string): string;
  /** Ends the exchange as Ctrl-C does. Its data stays. */
  stop(): Promise<void>;
}

interface Ports {
  readonly port: number;
  readonly consolePort: number;
}

/**
 * Runs `use` with a function that starts an exchange on one free port and one fresh storage, with more variables of the
 * environment perhaps; a second start finds the data of the first. All processes are ended and the storage is removed
 * afterwards, also when `use` throws.
 */
export async function withLocalExchange(
  use: (start: (environment?: NodeJS.ProcessEnv) => Promise<LocalExchange>) => Promise<void>,
  script = 'scripts/start.cjs',
): Promise<void> {
  const ports: Ports = { port: await findFreePort(), consolePort: await findFreePort() };
  const storage = mkdtempSync(join(tmpdir(), 'bureau-'));
  const servers: ChildProcess[] = [];
  try {
    await use((environment) => startExchange(script, ports, storage, servers, environment));
  } finally {
    await Promise.all(servers.map(stop));
    rmSync(storage, { recursive: true, force: true });
  }
}

async function startExchange(
  script: string,
  { port, consolePort }: Ports,
  storage: string,
  servers: ChildProcess[],
  environment: NodeJS.ProcessEnv = {},
): Promise<LocalExchange> {
  const server = spawn(process.execPath, [script], {
    env: {
      ...process.env,
      PORT: String(port),
      CONSOLE_PORT: String(consolePort),
      BUREAU_STORAGE: storage,
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  servers.push(server);
  const greeting = await new Promise<string>((resolve, reject) => {
    let text = '';
    const timer = setTimeout(() => reject(new Error(`no greeting within ${DEADLINE_MS} ms:\n${text}`)), DEADLINE_MS);
    server.stdout.on('data', (part) => {
      text += String(part);
      if (!text.includes('Ctrl-C ends it')) return;
      clearTimeout(timer);
      resolve(text);
    });
    server.on('exit', (code) => reject(new Error(`the server ended with ${code}:\n${text}`)));
  });
  return {
    origin: `http://127.0.0.1:${port}`,
    consoleOrigin: `http://localhost:${consolePort}`,
    greeting,
    storage,
    valueOf: (name) => {
      const value = new RegExp(`^${name}: (.+)$`, 'm').exec(greeting)?.[1];
      if (value === undefined) throw new Error(`the greeting does not tell the ${name}`);
      return value;
    },
    stop: () => stop(server),
  };
}

async function stop(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return;
  const ended = new Promise((resolve) => server.once('exit', resolve));
  server.kill('SIGINT');
  await ended;
}

/** Prints an expectation that holds, and throws one that does not. */
export function expectThat(isTrue: boolean, what: string): void {
  if (!isTrue) throw new Error(`expected ${what}`);
  console.log(`ok: ${what}`);
}
