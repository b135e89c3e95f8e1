export type { Fetch } from './attempt.ts';
export type { CallOptions } from './call.ts';
export {
  BureauClient,
  type BureauClientOptions,
  type CallAnswer,
  type FollowOptions,
  type ReadOptions,
  type WalkOptions,
  type WriteOptions,
} from './client.ts';
export type { Clock } from './clock.ts';
export { BureauConnectionError, BureauError } from './errors.ts';
export type {
  EventsMessage,
  OpenSocket,
  Socket,
  StatusMessage,
  Subscription,
  TickersMessage,
} from './follow-stream.ts';
export type * from './operations.ts';
export type { RetryLimits } from './retry.ts';
export type { components, operations, paths } from './schema.d.ts';
