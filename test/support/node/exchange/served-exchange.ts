import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Probe } from './probe.ts';
import { readConfiguredWorker } from './read-configured-worker.ts';
import type { ServedAddresses } from './serve-exchange.ts';
import type { ExchangeOptions } from './start-exchange.ts';

/** How long a start or an end may take before it is an error. */
const DEADLINE_MS = 240_000;

/** An exchange in its own process group, so it can be killed as by a loss of power. */
export interface ServedExchange extends AsyncDisposable {
  readonly url: string;
  readonly neighbourUrl: string | undefined;
  /** The address of its inspector, if a port was given. */
  readonly inspectorUrl: string | undefined;
  /** Everything that the exchange and its runtime have written so far, to either stream. */
  readonly log: () => string;
  /** Reads D1 without the exchange, and runs the cron handler. */
  readonly probe: Probe;
  /** Kills Node and workerd with SIGKILL, and returns when neither is left. */
  kill(): Promise<void>;
  /** Ends it normally, as a new deployment does. */
  stop(): Promise<void>;
}

/**
 * Starts the deployed bundle as `startExchange` does, in a process of its own. Throws when the start fails. With the
 * log switched off, reading it costs this process no time.
 */
export async function startServedExchange(options: ExchangeOptions, keepsLog = true): Promise<ServedExchange> {
  const file = fileURLToPath(new URL('serve-exchange.ts', import.meta.url));
  const worker = readConfiguredWorker('wrangler.toml');
  const server = spawn(process.execPath, [file, JSON.stringify({ worker, ...options })], {
    stdio: keepsLog ? ['ignore', 'pipe', 'pipe', 'ipc'] : ['ignore', 'ignore', 'inherit', 'ipc'],
    detached: true,
  });
  let log = '';
  for (const stream of [server.stdout, server.stderr]) {
    stream?.setEncoding('utf8').on('data', (part: string) => (log += part));
  }
  const { url, probeUrl, neighbourUrl, inspectorUrl } = await receive(server).catch((error: unknown) => {
    if (server.exitCode === null) process.kill(-(server.pid ?? 0), 'SIGKILL');
    throw new Error(`the exchange did not come up:\n${log}`, { cause: error });
  });
  const end = async (finish: () => void) => {
    const exited = server.exitCode === null && server.signalCode === null ? once(server, 'exit') : undefined;
    finish();
    await exited;
    await groupEnd(server);
  };
  const stop = () => end(() => server.disconnect());
  return {
    url,
    neighbourUrl,
    inspectorUrl,
    probe: new Probe(probeUrl, options.ledgers),
    log: () => log,
    kill: () => end(() => process.kill(-(server.pid ?? 0), 'SIGKILL')),
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

/** The addresses that the exchange sends when it is ready. Throws when it ends first or takes too long. */
async function receive(server: ChildProcess): Promise<ServedAddresses> {
  const waiting = new AbortController();
  try {
    const signal = AbortSignal.any([waiting.signal, AbortSignal.timeout(DEADLINE_MS)]);
    return await Promise.race([
      once(server, 'message', { signal }).then(([addresses]) => addresses as ServedAddresses),
      once(server, 'exit', { signal }).then(([code, killer]) => {
        throw new Error(`the exchange ended with ${String(code ?? killer)}`);
      }),
    ]);
  } finally {
    waiting.abort();
  }
}

/** Waits until no process of the group is left: the runtime outlives Node by a moment, and locks the storage. */
async function groupEnd({ pid = 0 }: ChildProcess): Promise<void> {
  const deadline_ms = Date.now() + DEADLINE_MS;
  while (Date.now() < deadline_ms) {
    try {
      process.kill(-pid, 0);
    } catch {
      return;
    }
    await sleep(10);
  }
  throw new Error(`processes of the group ${pid} do not end`);
}
