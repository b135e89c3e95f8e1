import { active_ms, cpu_us, logEvent_bytes } from './measured-times.ts';
import { priceList } from './price-list.ts';
import type { CountedRequests, Counts } from './request-counts.ts';

/** What a million requests cost, in whole microdollars, each part rounded up. */
export interface Price {
  readonly worker: number;
  readonly objects: number;
  readonly database: number;
  /** The three together. */
  readonly total: number;
  /** What the log adds where every event of it is kept. */
  readonly log: number;
}

/**
 * The price of a million requests. A picodollar for one is a microdollar for a million, so no number here is ever
 * anything but whole. Pure.
 */
export function priceMillion({ requests, counts, active, cpu }: CountedRequests): Price {
  const each = (picodollars: number) => Math.ceil(picodollars / requests);
  const worker = each(counts.workerRequests * priceList.workerRequest) + cpu_us[cpu] * priceList.cpu_us;
  const objects =
    each(
      counts.objectCalls * priceList.objectCall +
        counts.objectRowsRead * priceList.rowRead +
        counts.objectRowsWritten * priceList.rowWritten,
    ) +
    active_ms[active] * priceList.objectActive_ms;
  const database = each(
    counts.databaseRowsRead * priceList.rowRead + counts.databaseRowsWritten * priceList.rowWritten,
  );
  const log = each(countEvents(counts) * logEvent_bytes * priceList.logByte);
  return { worker, objects, database, total: worker + objects + database, log };
}

/** Events of the log: the exchange's own lines, and one of the platform's for each request and each call. */
function countEvents({ logLines, workerRequests, objectCalls }: Counts): number {
  return logLines + workerRequests + objectCalls;
}

/** Microdollars as dollars and cents, rounded up. */
export function showDollars(microdollars: number): string {
  const cents = Math.ceil(microdollars / 10_000);
  return `${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, '0')}`;
}
