import { v7 } from 'uuid';

/** Ledger 0, which every exchange has. */
export const FIRST_LEDGER = 0;

/** The highest number that a ledger can have: it takes twelve bits of an id. */
export const MAX_LEDGER = 0xfff;

/**
 * Makes the id of an account, a key or a record: a UUIDv7 (RFC 9562). Ids sort by the time at which they were made, and
 * the API shows that time as the record's. The twelve bits after the version are the number of the ledger that holds it;
 * 62 are random.
 */
export function newRecordId(now_ms: number, ledger: number = FIRST_LEDGER): string {
  if (!Number.isInteger(ledger) || ledger < 0 || ledger > MAX_LEDGER) throw new RangeError('no such ledger number');
  return moveToLedger(v7({ msecs: now_ms }), ledger);
}

const RECORD_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** Whether a text is the id of an account, a key or a record, of whichever ledger. */
export function isRecordId(text: string): boolean {
  return RECORD_ID.test(text);
}

/** The number of the ledger that an id names: the three hexadecimal digits after the version. */
export function ledgerNumberOf(id: string): number {
  return Number.parseInt(id.slice(15, 18), 16);
}

/** The same id with the number of another ledger, for the copy that this ledger has of a record. */
export function moveToLedger(id: string, ledger: number): string {
  return `${id.slice(0, 15)}${ledger.toString(16).padStart(3, '0')}${id.slice(18)}`;
}

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

type BindingName = 'DB' | `DB_${number}`;

/** The names of the bindings of all ledgers but the first. */
export const BINDING = /^DB_(\d+)$/;

export function bindingOf(ledger: number): BindingName {
  return ledger === FIRST_LEDGER ? 'DB' : `DB_${ledger}`;
}

/**
 * The faults of the ledgers' bindings, each a variable and its fault. The numbers must go from 0 on without a gap, so
 * that a forgotten binding stops the start of the Worker, instead of failing requests of that ledger's accounts.
 */
export function findBindingFaults(bindings: Readonly<Record<string, unknown>>): string[] {
  const named = Object.keys(bindings).filter((name) => BINDING.test(name));
  const isListed = (name: string) => named.includes(name);
  return [
    ...(bindings['DB'] === undefined ? ['DB is not bound'] : []),
    ...named.flatMap((name) => {
      const number = Number(BINDING.exec(name)?.[1]);
      if (name !== bindingOf(number) || number < 1 || number > MAX_LEDGER) return [`${name} is the name of no ledger`];
      const before = bindingOf(number - 1);
      return number === 1 || isListed(before) ? [] : [`${name} is bound, and ${before} is not`];
    }),
  ];
}
