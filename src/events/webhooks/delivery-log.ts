import { z } from '@hono/zod-openapi';
import { Timestamp } from '../../http/wire-types.ts';
import { type Attempt, type SentEvent, isTaken } from './deliver.ts';

/** How many attempts are kept. Each new one takes the place of the oldest, so that an attempt is one row. */
const KEPT_ATTEMPTS = 100;

/** How many events that were put aside are listed; the oldest are forgotten first. */
const KEPT_ASIDE = 1_000;

/** One attempt to deliver an event. */
export const Delivery = z
  .object({
    eventId: z.string().openapi({
      description: 'The `id` of the event, which is its `webhook-id`',
      example: 'evt_01a1fcca-895a-7000-b43c-11f474a4f8d5_12',
    }),
    type: z.string().openapi({ example: 'order.filled' }),
    at: Timestamp,
    outcome: z.enum(['DELIVERED', 'FAILED']),
    status: z.number().int().nullable().openapi({ description: 'Of the answer; null when none came', example: 200 }),
    fault: z.enum(['timed_out', 'unreachable']).nullable().openapi({ description: 'Why no answer came' }),
    durationMs: z.number().int().openapi({ example: 84 }),
    answer: z.string().nullable().openapi({
      description:
        'How the body of a failure’s answer began, as one line of at most 200 characters; null for a taken event, and where no body came. It is the receiver’s text: show it as text, never as HTML',
      example: null,
    }),
  })
  .openapi('WebhookDelivery');

export type Delivery = z.output<typeof Delivery>;

/** The body by which one event is sent again. */
export const ResendEvent = z.strictObject({ eventId: Delivery.shape.eventId }).openapi('ResendEvent');

/** The newest attempts of an endpoint, and the events that it refused alone, in the storage of its object. */
export class DeliveryLog {
  readonly #sql: SqlStorage;
  #next: number;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    for (const table of ['attempts', 'aside']) {
      sql.exec(
        `CREATE TABLE IF NOT EXISTS ${table} (place INTEGER PRIMARY KEY, number INTEGER NOT NULL, shown TEXT NOT NULL)`,
      );
    }
    this.#next = 1 + Number(sql.exec('SELECT coalesce(max(number), 0) AS n FROM attempts').one()['n']);
  }

  /** Notes an attempt, and shows it. */
  note({ id, type }: SentEvent, at_ms: number, attempt: Attempt): Delivery {
    const delivery: Delivery = {
      eventId: id,
      type,
      at: new Date(at_ms).toISOString(),
      outcome: isTaken(attempt) ? 'DELIVERED' : 'FAILED',
      status: attempt.status,
      fault: attempt.fault,
      durationMs: Math.max(0, Math.round(attempt.duration_ms)),
      answer: attempt.answer,
    };
    this.#keep('attempts', KEPT_ATTEMPTS, this.#next, delivery);
    this.#next += 1;
    return delivery;
  }

  /** Lists an event that was put aside, by its number. */
  putAside(sequence: number, delivery: Delivery): void {
    this.#keep('aside', KEPT_ASIDE, sequence, delivery);
  }

  /** Lists those of some numbers no longer: they were taken, or are sent again in their turn. */
  takeBack(from: number, to: number): void {
    this.#sql.exec('DELETE FROM aside WHERE number BETWEEN ? AND ?', from, to);
  }

  /** The newest first. */
  list(): { readonly deliveries: Delivery[]; readonly setAside: Delivery[] } {
    const read = (table: string) =>
      this.#sql
        .exec<{ shown: string }>(`SELECT shown FROM ${table} ORDER BY number DESC`)
        .toArray()
        .map(({ shown }) => JSON.parse(shown) as Delivery);
    return { deliveries: read('attempts'), setAside: read('aside') };
  }

  #keep(table: string, kept: number, number: number, delivery: Delivery): void {
    this.#sql.exec(
      `INSERT OR REPLACE INTO ${table} (place, number, shown) VALUES (?, ?, ?)`,
      number % kept,
      number,
      JSON.stringify(delivery),
    );
  }
}
