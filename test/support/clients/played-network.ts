import { BureauClient } from '../../../clients/bureau-client/src/index.ts';
import type { Clock } from '../../../clients/bureau-client/src/clock.ts';
import type { ClientRequest, Step } from './driven-client.ts';

/**
 * A step of the script: an answer or failure that every language can simulate, or a function that runs in this process.
 */
type PlayedStep = Step | (() => void);

/** A sleep of the client, which is the time of an attempt or the wait before one. */
interface Sleeper {
  isOfAttempt: boolean;
  end(): void;
}

/**
 * A client whose network follows the steps in turn. After a function there is no answer. Waits end at once, and so does
 * the time limit of an attempt that hangs.
 */
export function play(script: readonly PlayedStep[], { random = 0, whileWaiting = () => {} } = {}) {
  const steps = [...script];
  const sent: ClientRequest[] = [];
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
      sent.push({
        method,
        key: new Headers(headers).get('Idempotency-Key'),
        body: typeof body === 'string' ? body : null,
      });
      const step = steps.shift();
      if (!step || !latest) throw new Error('the script is at its end');
      latest.isOfAttempt = true;
      return take(step, latest);
    },
  });
  return { client, sent, slept };
}

function take(step: PlayedStep, attempt: Sleeper): Promise<Response> {
  const never = new Promise<Response>(() => undefined);
  if (typeof step === 'function') step();
  else if (step.kind === 'break') return Promise.reject(new TypeError('connection lost'));
  else if (step.kind === 'hang') queueMicrotask(attempt.end);
  else return Promise.resolve(new Response(step.body, { status: step.status, headers: step.headers }));
  return never;
}
