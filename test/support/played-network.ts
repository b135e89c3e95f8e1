import { BureauClient } from '../../clients/bureau-client/src/index.ts';
import type { Clock } from '../../clients/bureau-client/src/clock.ts';

/** A request as it left the client. */
export interface Sent {
  readonly method: string;
  readonly key: string | null;
  readonly body: string | undefined;
}

export type Step = () => Response | Promise<Response>;

/** An answer of the exchange. */
export const answer = (body: unknown, status = 200) => Response.json(body, { status });

/** A refusal of the exchange. */
export function refuse(code: string, status: number, retryable: boolean, headers: Record<string, string> = {}): Step {
  const problem = { code, status, retryable, detail: 'why', title: code, requestId: 'r-1', type: 'about:blank' };
  return () => Response.json(problem, { status, headers });
}

/** A network that breaks in the middle. */
export const breakOff: Step = () => Promise.reject(new TypeError('connection lost'));

/** A network that never answers; only the request's own signal ends the wait. */
export const hang: Step = () => new Promise(() => undefined);

/** A sleep of the client, which is the time of an attempt or the wait before one. */
interface Sleeper {
  isOfAttempt: boolean;
  end(): void;
}

/** A client whose network plays the steps in turn. Waits are over at once, and an attempt’s time when it hangs. */
export function play(steps: Step[], { random = 0, whileWaiting = () => {} } = {}) {
  const sent: Sent[] = [];
  const slept: number[] = [];
  let now = 0;
  let latest: Sleeper | undefined;
  const clock: Clock = {
    now: () => now,
    sleep: (milliseconds, signal) =>
      new Promise((resolve, reject) => {
        signal?.throwIfAborted();
        signal?.addEventListener('abort', () => reject(signal.reason as Error));
        const end = () => {
          now += milliseconds;
          slept.push(milliseconds);
          resolve();
        };
        const sleeper = { isOfAttempt: false, end };
        latest = sleeper;
        queueMicrotask(() => {
          if (sleeper.isOfAttempt) return;
          whileWaiting();
          if (!signal?.aborted) end();
        });
      }),
  };
  const client = new BureauClient({
    origin: 'https://bureau.test',
    apiKey: 'bk_test_key',
    clock,
    random: () => random,
    fetch: (_, { method = 'GET', headers, body }) => {
      sent.push({ method, key: new Headers(headers).get('Idempotency-Key'), body: body as string | undefined });
      const step = steps.shift();
      if (!step || !latest) throw new Error('the script is at its end');
      latest.isOfAttempt = true;
      if (step === hang) queueMicrotask(latest.end);
      return Promise.resolve(step());
    },
  });
  return { client, sent, slept };
}
