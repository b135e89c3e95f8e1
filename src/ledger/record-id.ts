import { v7 } from 'uuid';
import { z } from 'zod';

/** The number of the ledger that holds every account there is. Ids name it, so that a second one can join. */
export const LEDGER_NUMBER = 0;

/** The ledger's number as the twelve bits after the version of a UUIDv7: three hexadecimal digits. */
const ledgerDigits = LEDGER_NUMBER.toString(16).padStart(3, '0');

/**
 * A new id, of an account, a key or a record: a UUIDv7 (RFC 9562), so that ids sort by the time they were made, and that
 * time is the one a client sees. The twelve bits after the version are the ledger's number, and 62 are random.
 */
export function newRecordId(now_ms: number): string {
  const id = v7({ msecs: now_ms });
  return `${id.slice(0, 15)}${ledgerDigits}${id.slice(18)}`;
}

/** An id of this ledger; what does not look like one, or names another ledger, is of nothing here. */
export const RecordId = z
  .string()
  .regex(new RegExp(`^[0-9a-f]{8}-[0-9a-f]{4}-7${ledgerDigits}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`));

/** The time of a record, from its id: the first 48 bits are milliseconds. */
export function timeOfRecord(id: string): number {
  return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
}

/** The time of a record as the wire shows it: ISO 8601, UTC, milliseconds. */
export function timestampOfRecord(id: string): string {
  return new Date(timeOfRecord(id)).toISOString();
}

/** A text below every id that is made from `time_ms` on, and above every earlier one: where a scan by time begins. */
export function lowestRecordId(time_ms: number): string {
  const digits = Math.max(0, time_ms).toString(16).padStart(12, '0');
  return `${digits.slice(0, 8)}-${digits.slice(8)}`;
}
