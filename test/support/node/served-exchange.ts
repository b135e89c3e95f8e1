import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { ServedAnswer, ServedQuestion } from './serve-exchange.ts';
import type { ExchangeOptions } from './start-exchange.ts';

/** How long a start or an answer may take before it is an error. */
const DEADLINE_MS = 60_000;

/** An exchange in a process group of its own: it can be killed as a machine that loses its power. */
export interface ServedExchange {
  readonly url: string;
  /** Everything that the exchange and its runtime have written so far, to either stream. */
  readonly log: () => string;
  /** Runs the handler that cron runs every minute. */
  schedule(): Promise<void>;
  /** Reads D1, behind the exchange's back. */
  query<Row>(sql: string): Promise<Row[]>;
  /** Kills Node and workerd with SIGKILL, and returns when neither is left. */
  kill(): Promise<void>;
  /** Lets it end as a deployment ends. */
  stop(): Promise<void>;
}

/** Starts the deployed bundle as `startExchange` does, in a process of its own. Throws when it does not come up. */
export async function startServedExchange(options: ExchangeOptions): Promise<ServedExchange> {
  const file = fileURLToPath(new URL('serve-exchange.ts', import.meta.url));
  const server = spawn(process.execPath, [file, JSON.stringify(options)], {
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    detached: true,
  });
  let log = '';
  for (const stream of [server.stdout, server.stderr]) {
    stream?.setEncoding('utf8').on('data', (part: string) => (log += part));
  }
  const first = await receive(server, () => log);
  if (first.kind !== 'ready') throw new Error(`the exchange did not come up:\n${log}`);

  let turn: Promise<unknown> = Promise.resolve();
  const ask = (question: ServedQuestion): Promise<ServedAnswer> => {
    const asked = turn.then(() => {
      server.send(question);
      return receive(server, () => log);
    });
    turn = asked.catch(() => undefined);
    return asked;
  };
  const rows = async (question: ServedQuestion) => {
    const answer = await ask(question);
    if (answer.kind !== 'answer') throw new Error(`${JSON.stringify(question)}: ${JSON.stringify(answer)}`);
    return answer.rows;
  };
  const end = async (finish: () => void) => {
    const exited = server.exitCode === null && server.signalCode === null ? once(server, 'exit') : undefined;
    finish();
    await exited;
    await groupEnd(server);
  };
  return {
    url: first.url,
    log: () => log,
    schedule: async () => void (await rows({ ask: 'schedule' })),
    query: async <Row>(sql: string) => (await rows({ ask: 'query', sql })) as Row[],
    kill: () => end(() => process.kill(-(server.pid ?? 0), 'SIGKILL')),
    stop: () => end(() => server.disconnect()),
  };
}

/** The next message of the exchange; throws when it ends first, or says nothing in time. */
async function receive(server: ChildProcess, log: () => string): Promise<ServedAnswer> {
  const waiting = new AbortController();
  try {
    const signal = AbortSignal.any([waiting.signal, AbortSignal.timeout(DEADLINE_MS)]);
    return await Promise.race([
      once(server, 'message', { signal }).then(([message]) => message as ServedAnswer),
      once(server, 'exit', { signal }).then(([code, killer]) => {
        throw new Error(`the exchange ended with ${String(code ?? killer)}:\n${log()}`);
      }),
    ]);
  } finally {
    waiting.abort();
  }
}

/** Waits until no process of the group is left: the runtime outlives Node by a moment, and holds the storage. */
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
