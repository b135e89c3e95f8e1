import type { Bindings } from '../platform/bindings.ts';
import { reach } from '../platform/objects.ts';
import type { MarketSnapshot } from './snapshot.ts';

/** All markets, and a number by which an older state is known. */
export interface MarketRound {
  readonly snapshot: MarketSnapshot;
  readonly round: number;
}

/** What the hub asks of an object that has sockets of the market's stream. Every call may throw. */
export interface MarketShard {
  /** Sends a round to its listeners. Returns whether it has any socket. */
  publish(round: MarketRound): Promise<boolean>;
}

/** How many objects share the sockets of the market's stream. More than all addresses of one region need. */
const SHARDS = 8;

export type ShardBindings = Pick<Bindings, 'MARKET_STREAM' | 'PRICE_HUB_LOCATION'>;

/** The name of the object that has all sockets of an address: so one object counts them. */
export function nameShard({ PRICE_HUB_LOCATION: location }: ShardBindings, address: string): string {
  const hash = Array.from(address).reduce((sum, letter) => (sum * 31 + (letter.codePointAt(0) ?? 0)) % 1_000_003, 7);
  return `markets ${location} ${hash % SHARDS}`;
}

export function reachShard({ MARKET_STREAM, PRICE_HUB_LOCATION: location }: ShardBindings, name: string) {
  return reach(MARKET_STREAM, name, location) as unknown as MarketShard & Pick<DurableObjectStub, 'fetch'>;
}
