import { once } from 'node:events';
import type { CpuProfile } from './cpu-profile.ts';

/** How often the profiler looks, and how long the inspector may take to answer. */
const INTERVAL_US = 1_000;
const DEADLINE_MS = 30_000;

/** What is asked of the inspector, and what it answers. */
type Params = Readonly<Record<string, unknown>>;
interface Answer {
  readonly id?: number;
  readonly result?: { readonly profile?: CpuProfile };
  readonly error?: { readonly message: string };
}

/**
 * Does the work while V8's CPU profiler watches a Worker of a local runtime, with its objects, which share its isolate.
 * `inspector` is where that Worker's inspector listens. What other isolates do, D1 above all, is idle time to it. Throws
 * what the work throws.
 */
export async function recordProfile(inspector: string, work: () => Promise<void>): Promise<CpuProfile> {
  const socket = new WebSocket(inspector);
  await once(socket, 'open', { signal: AbortSignal.timeout(DEADLINE_MS) });
  try {
    await ask(socket, 1, 'Profiler.enable');
    await ask(socket, 2, 'Profiler.setSamplingInterval', { interval: INTERVAL_US });
    await ask(socket, 3, 'Profiler.start');
    await work();
    const { profile } = (await ask(socket, 4, 'Profiler.stop')) ?? {};
    if (!profile) throw new Error('the profiler gave no profile');
    return profile;
  } finally {
    socket.close();
  }
}

function ask(socket: WebSocket, id: number, method: string, params: Params = {}): Promise<Answer['result']> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => finish(new Error(`${method}: no answer`)), DEADLINE_MS);
    const finish = (error?: Error, result?: Answer['result']) => {
      clearTimeout(timer);
      socket.removeEventListener('message', receive);
      socket.removeEventListener('close', end);
      if (error) reject(error);
      else resolve(result);
    };
    const end = () => finish(new Error(`${method}: the inspector hung up`));
    const receive = ({ data }: MessageEvent) => {
      const answer = JSON.parse(String(data)) as Answer;
      // What has no id is news of the runtime.
      if (answer.id === id) finish(answer.error && new Error(`${method}: ${answer.error.message}`), answer.result);
    };
    socket.addEventListener('message', receive);
    socket.addEventListener('close', end);
    socket.send(JSON.stringify({ id, method, params }));
  });
}
