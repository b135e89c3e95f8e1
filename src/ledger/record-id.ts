import { v7 } from 'uuid';
import { z } from 'zod';

/** The number of the only ledger today. Ids contain it, so that a second ledger can be added. */
export const LEDGER_NUMBER = 0;

/** The ledger's number as three hexadecimal digits: the twelve bits after the version of a UUIDv7. */
const ledgerDigits = LEDGER_NUMBER.toString(16).padStart(3, '0');

/**
 * Makes the id of an account, a key or a record: a UUIDv7 (RFC 9562). Ids sort by the time at which they were made, and
 * the API shows that time as the record's. The twelve bits after the version are the ledger's number; 62 are random.
 */
export function newRecordId(now_ms: number): string {
  const id = v7({ msecs: now_ms });
  return `${id.slice(0, 15)}${ledgerDigits}${id.slice(18)}`;
}

/** An id of this ledger. Any other text, and an id of another ledger, cannot be the id of a record here. */
export const RecordId = z
  .string()
  .regex(new RegExp(`^[0-9a-f]{8}-[0-9a-f]{4}-7${ledgerDigits}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`));

/** The time of a record, from its id: the first 48 bits are milliseconds. */
export function timeOfRecord(id: string): number {
  return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
}

/** The time of a record as the API shows it: ISO 8601, UTC, milliseconds. */
export function timestampOfRecord(id: string): string {
  return new Date(timeOfRecord(id)).toISOString();
}

/**
 * A text that sorts before every id made at or after `time_ms`, and after every earlier id: the start of a scan by
 * time.
 */
export function lowestRecordId(time_ms: number): string {
  const digits = Math.max(0, time_ms).toString(16).padStart(12, '0');
  return `${digits.slice(0, 8)}-${digits.slice(8)}`;
}
