import { z } from '@hono/zod-openapi';
import { Balance } from '../activity/balances.ts';
import { Event, Sequence } from '../events/event.ts';
import { Status } from '../exchange/schemas.ts';
import { exampleOfProblem } from '../http/document/problem-examples.ts';
import { Problem } from '../http/document/problem-responses.ts';
import { symbolIn } from '../http/wire-types.ts';
import { Ticker } from '../markets/schemas.ts';
import { coinSymbols } from '../money/assets.ts';

const reqId = z
  .number()
  .int()
  .min(0)
  .max(Number.MAX_SAFE_INTEGER)
  .optional()
  .openapi({ description: 'A number of the client’s own, which comes back with the answer', example: 1 });

const subscribe = z.literal('subscribe');

/** What a client sends to the market's stream. */
export const MarketCommand = z
  .strictObject({
    method: subscribe,
    params: z.discriminatedUnion('channel', [
      z.strictObject({
        channel: z.literal('tickers'),
        symbols: z
          .array(symbolIn(coinSymbols))
          .min(1)
          .max(coinSymbols.length)
          .optional()
          .openapi({ description: 'Base symbols in any case; all markets unless told' }),
      }),
      z.strictObject({ channel: z.literal('status') }),
    ]),
    reqId,
  })
  .openapi('MarketCommand');

export type MarketCommand = z.output<typeof MarketCommand>;

/** What a client sends to its account's stream. */
export const AccountCommand = z
  .discriminatedUnion('method', [
    z
      .strictObject({
        method: subscribe,
        params: z.strictObject({
          channel: z.literal('events'),
          after: z.number().int().min(0).max(999_999_999_999_999).optional().openapi({
            description: 'Events with a higher number than this one; only what happens from now on unless told',
            example: 41,
          }),
        }),
        reqId,
      })
      .openapi('SubscribeEvents'),
    z
      .strictObject({
        method: z.literal('ack'),
        params: z.strictObject({
          sequence: Sequence.min(0).openapi({ description: 'The newest number that was received' }),
        }),
        reqId,
      })
      .openapi('Ack'),
  ])
  .openapi('AccountCommand');

export type AccountCommand = z.output<typeof AccountCommand>;

/** Is answered by the platform, and wakes nothing. The text must be exactly this one. */
export const PING = '{"method":"ping"}';
export const PONG = '{"type":"pong"}';

const state = z
  .enum(['snapshot', 'update'])
  .openapi({ description: 'Whether it answers a subscription, or follows it' });

export const TickersMessage = z
  .object({
    channel: z.literal('tickers'),
    type: state,
    reqId,
    round: z
      .number()
      .int()
      .openapi({ description: 'Ascends: of two messages the higher is newer', example: 1795241228900 }),
    degraded: z.boolean().openapi({ description: 'Whether any ticker in the message is degraded', example: false }),
    data: z.array(Ticker).openapi({ description: 'All tickers that were subscribed to, each whole' }),
  })
  .openapi('TickersMessage');

export const StatusMessage = z
  .object({ channel: z.literal('status'), type: state, reqId, data: Status })
  .openapi('StatusMessage');

const sequence = Sequence.openapi({ description: 'The number up to which everything was sent', example: 57 });
const balances = z.array(Balance).optional();

const EventsSnapshot = z
  .object({
    channel: z.literal('events'),
    type: z.literal('snapshot'),
    reqId,
    sequence,
    newest: Sequence.openapi({
      description: 'The number of the newest event. The snapshot ends where both are equal',
      example: 57,
    }),
    data: z.array(Event).openapi({ description: 'At most 100, oldest first, without a gap' }),
    balances: balances.openapi({ description: 'In the last message of a snapshot: all balances as of that event' }),
  })
  .openapi('EventsSnapshot');

const EventsUpdate = z
  .object({
    channel: z.literal('events'),
    type: z.literal('update'),
    sequence,
    data: z.array(Event).openapi({ description: 'What happened since, oldest first, without a gap' }),
    balances: balances.openapi({ description: 'The balances that changed, as of the newest event' }),
  })
  .openapi('EventsUpdate');

const ProblemMessage = z
  .object({
    type: z.literal('problem'),
    reqId,
    problem: Problem.loose().openapi({
      description: 'As the REST interface answers it',
      example: exampleOfProblem('events_expired', false),
    }),
  })
  .openapi('ProblemMessage');

const Pong = z.object({ type: z.literal('pong') }).openapi('Pong');

/** Every message that the market's stream sends, by the name of its schema. */
export const marketMessages = { TickersMessage, StatusMessage, ProblemMessage, Pong };

/** Every message that an account's stream sends. */
export const accountMessages = { EventsSnapshot, EventsUpdate, ProblemMessage, Pong };

type Sent = typeof marketMessages & typeof accountMessages;

/** A message from the exchange. */
export type ServerMessage = z.input<Sent[keyof Sent]>;

/** Why the exchange ends a socket. A client connects again and resumes, but for a key that is no longer valid. */
export const closings = {
  failed: [1013, 'try again'],
  keyEnded: [4401, 'the API key is no longer valid'],
  tooSlow: [4408, 'more than 1 MB is not acknowledged'],
  tooMany: [4429, 'more than 60 messages a minute'],
  gone: [4410, 'events are no longer kept'],
} as const satisfies Record<string, readonly [code: number, reason: string]>;

export type Closing = keyof typeof closings;
