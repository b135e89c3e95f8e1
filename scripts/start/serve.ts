import { type ChildProcess, spawn } from 'node:child_process';
import { createWriteStream, readFileSync } from 'node:fs';
import { stripVTControlCharacters } from 'node:util';
import type { Place } from './place.ts';

/** Wrangler without its starter, which would be one more process. */
export const WRANGLER = ['--no-warnings', 'node_modules/wrangler/wrangler-dist/cli.js'];

const READY_DEADLINE_MS = 60_000;
const READY_LOOK_MS = 100;

/** How often the platform fires the schedule (`crons` in wrangler.toml). The local runtime fires none by itself. */
const SCHEDULE_INTERVAL_MS = 60_000;
const SCHEDULE_PATH = '/cdn-cgi/local/scheduled';

/** How much of the log is shown when the exchange does not come up. */
const LAST_LINES = 20;

/** Without the terminal's colours, questions and statistics. Wrangler is large, so what Node compiles of it is kept. */
export const quietly = {
  WRANGLER_SEND_METRICS: 'false',
  CI: 'true',
  NO_COLOR: '1',
  FORCE_COLOR: '0',
  NODE_COMPILE_CACHE: 'node_modules/.cache/compile',
};

/** An exchange that is being served. */
export interface Served {
  readonly process: ChildProcess;
  /** Ends the exchange with all of its processes. */
  stop(): void;
}

/**
 * Serves the Worker with wrangler, in a process group of its own: ending wrangler alone would leave its runtime running.
 * What it writes goes to the log file as plain text. Its other arguments are `words`.
 */
export function serve({ port, storage, logFile }: Place, words: readonly string[]): Served {
  const place = ['--port', String(port), '--ip', '127.0.0.1', '--persist-to', storage];
  const child = spawn(
    process.execPath,
    [...WRANGLER, 'dev', ...place, '--show-interactive-dev-session=false', ...words],
    { env: { ...process.env, ...quietly }, stdio: ['ignore', 'pipe', 'pipe'], detached: true },
  );
  const log = createWriteStream(logFile);
  const write = (text: unknown) => void log.write(stripVTControlCharacters(String(text)));
  child.stdout.on('data', write);
  child.stderr.on('data', write);
  const stop = () => {
    if (child.pid !== undefined && child.exitCode === null && child.signalCode === null) {
      process.kill(-child.pid, 'SIGTERM');
    }
  };
  return { process: child, stop };
}

/** Resolves when the exchange answers. Throws with the end of its log when it does not. */
export async function waitUntilReady(served: Served, { origin, logFile }: Place): Promise<void> {
  const deadline_ms = Date.now() + READY_DEADLINE_MS;
  while (Date.now() < deadline_ms && served.process.exitCode === null) {
    const isReady = await fetch(`${origin}/api/v1/markets/tickers`).then(
      (response) => response.ok,
      () => false,
    );
    if (isReady) return;
    await new Promise((resolve) => setTimeout(resolve, READY_LOOK_MS));
  }
  const end = readFileSync(logFile, 'utf8').trimEnd().split('\n').slice(-LAST_LINES).join('\n');
  throw new Error(`the exchange does not answer. The end of ${logFile}:\n${end}`);
}

/** Fires the schedule now and every minute, as the platform does, so that the ledger is reconciled here as well. */
export function keepSchedule(served: Served, { origin }: Place): void {
  const fire = () => {
    fetch(`${origin}${SCHEDULE_PATH}`).catch((error: unknown) => console.error('the schedule was not fired:', error));
  };
  fire();
  const timer = setInterval(fire, SCHEDULE_INTERVAL_MS);
  served.process.on('exit', () => clearInterval(timer));
}
