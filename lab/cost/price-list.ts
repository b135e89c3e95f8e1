/**
 * The platform's list prices of the plan Workers Paid, in picodollars (10^-12 dollars) per unit, so that every price is
 * a whole number. They are those of the pages "Pricing" of Workers, of Durable Objects and of D1 in the platform's
 * documentation, as of November 2026. What the plan includes every month is left out: 10 million requests, 30 million
 * ms of CPU, a million calls of objects, 25 billion rows read and 50 million written. So is the plan's own price.
 */
export const priceList = {
  /** $0.30 per million. Answers of the edge cache are requests as well: the Worker runs in front of the cache. */
  workerRequest: 300_000,
  cpu_us: 20,
  /** $0.15 per million: each call of a method, and each alarm. */
  objectCall: 150_000,
  /** $12.50 per million GB-s, of the 128 MB that every object is billed for while it runs. */
  objectActive_ms: 1_600,
  /** $0.001 per million, of objects and of D1 alike. */
  rowRead: 1_000,
  /** $1.00 per million; a deletion counts, and so does each alarm that is set. */
  rowWritten: 1_000_000,
  /** $0.25 per GB that Workers Logs takes in, from December 2026 on ("Pricing" of Observability); per byte. */
  logByte: 250,
} as const;

export const storage_dollarsPerGigabyte = { database: 0.75, objects: 0.2 } as const;
