import { type ExchangeOptions, startExchange } from './start-exchange.ts';

/** What the starter asks of an exchange that serves as a process of its own. */
export type ServedQuestion =
  /** What cron does every minute. */
  | { readonly ask: 'schedule' }
  /** Rows of D1. */
  | { readonly ask: 'query'; readonly sql: string };

/** What comes back: first where the exchange answers, then one answer for each question, in its order. */
export type ServedAnswer =
  | { readonly kind: 'ready'; readonly url: string }
  | { readonly kind: 'answer'; readonly rows: readonly Readonly<Record<string, unknown>>[] }
  | { readonly kind: 'failed'; readonly reason: string };

/**
 * Run as a process of its own by `startServedExchange`: an exchange with the options of its first argument, in JSON. It
 * answers questions over the channel to its starter, and ends with that channel, so that it never outlives the starter.
 */
const exchange = await startExchange(JSON.parse(process.argv[2] ?? '{}') as ExchangeOptions);

const say = (answered: ServedAnswer) => process.send?.(answered);

async function answer(question: ServedQuestion): Promise<ServedAnswer> {
  if (question.ask === 'schedule') {
    const worker = await exchange.runtime.getWorker();
    await worker.scheduled({ scheduledTime: new Date(), cron: '* * * * *' });
    return { kind: 'answer', rows: [] };
  }
  const database = await exchange.runtime.getD1Database('DB');
  const { results } = await database.prepare(question.sql).all();
  return { kind: 'answer', rows: results };
}

let turn: Promise<unknown> = Promise.resolve();
process.on('message', (question: ServedQuestion) => {
  turn = turn
    .then(() => answer(question))
    .catch((error: unknown): ServedAnswer => ({ kind: 'failed', reason: String(error) }))
    .then(say);
});
process.on('disconnect', () => void exchange.dispose().finally(() => process.exit()));
say({ kind: 'ready', url: exchange.urls[0] ?? '' });
