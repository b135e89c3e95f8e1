import { active_ms, cpu_us, logEvent_bytes } from './measured-times.ts';
import { priceList } from './price-list.ts';
import type { CountedRequests, Counts } from './request-counts.ts';

/** The cost of a million requests in whole microdollars, each part rounded up. */
export interface Price {
  readonly worker: number;
  readonly objects: number;
  readonly database: number;
  readonly total: number;
  /** The cost of the log if every event is kept. */
  readonly log: number;
}

/**
 * Computes the price of a million requests. One picodollar for a request is one microdollar for a million, so every
 * number is whole. Pure.
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

/** The cost of a day in whole microdollars, in which something happens so many times. Pure. */
export function priceDay(counted: CountedRequests, times: number): Price {
  const million = priceMillion(counted);
  const day = (picodollars: number) => Math.ceil((picodollars * times) / 1_000_000);
  return {
    worker: day(million.worker),
    objects: day(million.objects),
    database: day(million.database),
    total: day(million.total),
    log: day(million.log),
  };
}

function countEvents({ logLines, workerRequests, objectCalls }: Counts): number {
  return logLines + workerRequests + objectCalls;
}

export function showDollars(microdollars: number): string {
  const cents = Math.ceil(microdollars / 10_000);
  return `${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, '0')}`;
}
