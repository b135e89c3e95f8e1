import { runInDurableObject } from 'cloudflare:test';
import { vi } from 'vitest';
import type { WebhookSender } from '../../../src/events/webhooks/webhook-sender.ts';
import type { KeyLane } from '../../../src/lane/key-lane.ts';
import type { LedgerHedger } from '../../../src/dealing/ledger-hedger.ts';
import type { LedgerGate } from '../../../src/orders/gate.ts';
import type { CandleHub } from '../../../src/markets/candles/candle-hub.ts';
import type { LedgerKeeper } from '../../../src/keeper/ledger-keeper.ts';
import type { PriceHub } from '../../../src/markets/price-hub.ts';
import type { AccountStream } from '../../../src/streams/account-stream.ts';
import type { MarketStream } from '../../../src/streams/market-stream.ts';
import { databaseInternals } from './meter.ts';

/** When a fault is injected: before the batch reaches D1, or after D1 has committed it. */
export type Moment = 'before' | 'after';

/** D1's errors when a connection breaks, when a write takes too long, and when it is overloaded. */
export const CONNECTION_LOST = 'D1_ERROR: Network connection lost.';
export const TIMED_OUT = 'D1_ERROR: D1 DB storage operation exceeded timeout which caused object to be reset.';
export const OVERLOADED = 'D1_ERROR: D1 DB is overloaded. Requests queued for too long.';

/**
 * Calls `inject` around the next batches that are sent to the real D1. Every change of money is a batch. `inject` may
 * throw an error of D1's. Only batches whose text `isMeant` count. `state.injected` counts how often; call `restore`
 * when done.
 */
export function aroundBatches(
  moment: Moment,
  times: number,
  inject: () => Promise<void> | void,
  isMeant: (text: string) => boolean = () => true,
) {
  return aroundSends(moment, times, inject, (sent) => Array.isArray(sent) && isMeant(JSON.stringify(sent)));
}

/** The same around the next reads of a key's record, each of which is a single query. */
export function aroundKeyReads(moment: Moment, times: number, inject: () => Promise<void> | void) {
  const isKeyRead = (sent: unknown) => typeof sent === 'string' && sent.includes('from "api_keys" inner join');
  return aroundSends(moment, times, inject, isKeyRead);
}

/** The same around the next row of a hedge, or the next end of one, each of which is a single statement. */
export function aroundHedgeWrite(write: 'INSERT' | 'UPDATE', moment: Moment, inject: () => Promise<void> | void) {
  const begin = write === 'INSERT' ? 'INSERT INTO hedges' : 'UPDATE hedges';
  return aroundSends(moment, 1, inject, (sent) => typeof sent === 'string' && sent.includes(begin));
}

function aroundSends(
  moment: Moment,
  times: number,
  inject: () => Promise<void> | void,
  isMeant: (sent: unknown) => boolean,
) {
  const internals = databaseInternals();
  const send = internals._send;
  const state = { injected: 0 };
  const spy = vi.spyOn(internals, '_send').mockImplementation(async function look(this: unknown, ...values: unknown[]) {
    const isInjected = state.injected < times && isMeant(values[1]);
    if (!isInjected) return send.apply(this as never, values);
    state.injected += 1;
    if (moment === 'before') await inject();
    const reply = await send.apply(this as never, values);
    if (moment === 'after') await inject();
    return reply;
  });
  return { state, restore: () => spy.mockRestore() };
}

/** The batches of an operation, recognised by their text. */
const batches = {
  order: (text: string) => text.includes('INSERT INTO wanted_orders'),
  facts: (text: string) => text.includes('daily_withdrawal_limit') && !text.includes('insert into'),
  debit: (text: string) => text.includes('insert into \\"withdrawals\\"'),
  settle: (text: string) => text.includes('update \\"withdrawals\\" set \\"status\\"'),
  release: (text: string) => text.includes('update \\"withdrawals\\" set \\"released_at\\"'),
  deposit: (text: string) => text.includes('insert into \\"deposits\\"') || text.includes('update \\"deposits\\"'),
  settlement: (text: string) => text.includes('insert into \\"settlements\\"'),
  refusal: (text: string) => text.includes('insert into \\"claims\\"') && text.includes('refused_receipt'),
  account: (text: string) => text.includes('insert into \\"accounts\\"'),
  key: (text: string) => text.includes('insert into \\"api_keys\\"'),
  funding: (text: string) => text.includes('insert into \\"fundings\\"'),
} as const;

export type Batch = keyof typeof batches;

/** Calls `inject` around the next batches of one kind, as `aroundBatches` does around all. Use one at a time. */
export function aroundBatch(batch: Batch, moment: Moment, times: number, inject: () => Promise<void> | void) {
  return aroundBatches(moment, times, inject, batches[batch]);
}

export function fail(message: string): () => never {
  return () => {
    throw new Error(message);
  };
}

/** Ends an object as the platform does when it resets it: memory and running calls are gone, storage stays. */
export async function abort(
  stub: DurableObjectStub<
    | KeyLane
    | LedgerGate
    | PriceHub
    | CandleHub
    | LedgerKeeper
    | LedgerHedger
    | WebhookSender
    | AccountStream
    | MarketStream
  >,
): Promise<void> {
  try {
    await runInDurableObject(stub, (_instance, state) => state.abort('reset by the test'));
  } catch {
    // The call that aborts its own object ends with it.
  }
}
