import type { Event, EventType } from '../../../src/events/event.ts';
import { type Trader, json } from '../exchange.ts';
import { databaseOfId } from '../db/open-in-ledger.ts';

export interface FeedPage<Told = Event> {
  readonly events: readonly Told[];
  readonly nextAfter: number;
  readonly since: number;
  readonly newest: number;
}

/** One page of an account's events. */
export async function readFeed(trader: Trader, query: Record<string, string | number> = {}): Promise<FeedPage> {
  const search = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]));
  const response = await trader.get(`/api/v1/events?${search.toString()}`);
  if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
  return json<FeedPage>(response);
}

export async function readTypes(trader: Trader, after = 0): Promise<EventType[]> {
  const { events } = await readFeed(trader, { after, limit: 200 });
  return events.map(({ type }) => type);
}

const OLD_MS = Date.now() - 91 * 86_400_000;

/** Writes events of a time that the test chooses, of a type that needs no record; by default they are long over. */
export async function tellOld(trader: Trader, from: number, to: number, ts = OLD_MS): Promise<void> {
  const detail = JSON.stringify({ network: 'ETH', address: '0x1', label: 'cold', usableAt: 7 });
  const database = databaseOfId(trader.accountId);
  const insert = database.prepare(
    `INSERT INTO events (account_id, sequence, type, subject, detail, ts) VALUES (?, ?, 'allowlist.removed', 'e', ?, ?)`,
  );
  const numbers = Array.from({ length: to - from + 1 }, (_, at) => from + at);
  await database.batch(numbers.map((sequence) => insert.bind(trader.accountId, sequence, detail, ts)));
}

export function recordOf(event: Event | undefined): Record<string, unknown> {
  const [record] = Object.values(event?.data ?? {}) as Record<string, unknown>[];
  if (!record) throw new Error('an event shows no record');
  return record;
}
