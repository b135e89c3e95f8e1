import { once } from 'node:events';

/** Where a function begins in the text that V8 was given; lines and columns count from 0. */
export interface CallFrame {
  readonly functionName: string;
  /** Empty for the runtime's own functions. */
  readonly url: string;
  readonly lineNumber: number;
  readonly columnNumber: number;
}

/** The output of V8's CPU profiler: the type Profile of the DevTools protocol. Times are microseconds. */
export interface CpuProfile {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: CallFrame;
    readonly children?: readonly number[];
  }[];
  /** The node that ran at each sample, by its id. */
  readonly samples: readonly number[];
  /** The time between each sample and the one before it. */
  readonly timeDeltas: readonly number[];
}

/** How often the profiler takes a sample, and how long the inspector may take to answer. */
const INTERVAL_US = 1_000;
const DEADLINE_MS = 30_000;

/** A request to the inspector, with its parameters, and its answer. */
type Params = Readonly<Record<string, unknown>>;
interface Answer {
  readonly id?: number;
  readonly result?: { readonly profile?: CpuProfile };
  readonly error?: { readonly message: string };
}

/**
 * Runs `work` while V8's CPU profiler watches a Worker of a local runtime and its objects, which share its isolate.
 * `inspector` is the address of that Worker's inspector. Time spent in other isolates, such as D1's, counts as idle.
 * Throws what the work throws.
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
      // A message without an id is an event of the runtime, not an answer.
      if (answer.id === id) finish(answer.error && new Error(`${method}: ${answer.error.message}`), answer.result);
    };
    socket.addEventListener('message', receive);
    socket.addEventListener('close', end);
    socket.send(JSON.stringify({ id, method, params }));
  });
}
