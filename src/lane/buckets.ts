import { type BucketLimits, type BucketName, limitsOf } from '../keys/rights.ts';
import type { LateWrites } from '../platform/turns.ts';
import { type ObjectState, reach } from '../platform/objects.ts';
import { type Outcome, type ReportedRate, overloaded } from '../http/answer.ts';
import type { KeyRecord } from '../keys/record.ts';
import type { Bindings } from '../platform/bindings.ts';
import { tryOrLog } from '../platform/log.ts';

/** A minute is the sixty seconds that just passed, a day is a UTC day. */
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

/**
 * With a limit of up to this many a minute, each request is kept with its millisecond. Above it, requests of one second
 * share an entry, which leaves the window when the last of them would, so a client never gains by it.
 */
const EXACT_PER_MINUTE = 600;
const COARSE_SLOT_MS = 1_000;

/** Reads are stored ahead in blocks of at most this many. */
const READ_BLOCK = 10;

/**
 * Reads that are at most this far apart keep their object awake: it sleeps after 10 s without a request ("Lifecycle of
 * a Durable Object" in the platform's documentation).
 */
const AWAKE_MS = 9_500;

/** One bucket: the counted requests, by the time at which they leave the minute. */
export interface Bucket {
  /** `[when these leave the minute, how many]`, oldest first. */
  readonly minute: readonly (readonly [number, number])[];
  /** The UTC day that `dayCount` belongs to, in days since 1970. */
  readonly day: number;
  readonly dayCount: number;
}

export const emptyBucket: Bucket = { minute: [], day: 0, dayCount: 0 };

/** Both windows after a decision. */
export interface RateState extends ReportedRate {
  readonly bucket: BucketName;
}

/** A bucket's decision about one more request. A refused one is not counted. */
export interface RateDecision {
  readonly admitted: boolean;
  readonly bucket: Bucket;
  readonly state: RateState;
  /** Seconds until a request is admitted again; 0 when this one was. */
  readonly retryAfter_s: number;
}

/** When a bucket's newest request was counted, to the second; `null` where none ever was. */
function lastCounted({ minute }: Bucket): number | null {
  const newest = minute.at(-1);
  return newest ? newest[0] - MINUTE_MS : null;
}

function sum(minute: Bucket['minute']): number {
  return minute.reduce((total, [, count]) => total + count, 0);
}

/** Removes what has left the windows. A clock that went back restores nothing. */
function age(bucket: Bucket, now_ms: number): Bucket {
  const day = Math.max(bucket.day, Math.floor(now_ms / DAY_MS));
  return {
    minute: bucket.minute.filter(([leaves_ms]) => leaves_ms > now_ms),
    day,
    dayCount: day === bucket.day ? bucket.dayCount : 0,
  };
}

function addOne(bucket: Bucket, limits: BucketLimits, now_ms: number): Bucket {
  const slot_ms = limits.perMinute > EXACT_PER_MINUTE ? COARSE_SLOT_MS : 1;
  const leaves_ms = (Math.floor(now_ms / slot_ms) + 1) * slot_ms - 1 + MINUTE_MS;
  const last = bucket.minute.at(-1);
  const minute: Bucket['minute'] =
    last && last[0] >= leaves_ms
      ? [...bucket.minute.slice(0, -1), [last[0], last[1] + 1]]
      : [...bucket.minute, [leaves_ms, 1]];
  return { minute, day: bucket.day, dayCount: bucket.dayCount + 1 };
}

function describe(name: BucketName, bucket: Bucket, limits: BucketLimits, now_ms: number): RateState {
  return {
    bucket: name,
    minute: {
      quota: limits.perMinute,
      window_s: MINUTE_MS / 1_000,
      remaining: Math.max(0, limits.perMinute - sum(bucket.minute)),
      reset_ms: bucket.minute[0]?.[0] ?? now_ms + MINUTE_MS,
    },
    day: {
      quota: limits.perDay,
      window_s: DAY_MS / 1_000,
      remaining: Math.max(0, limits.perDay - bucket.dayCount),
      reset_ms: (bucket.day + 1) * DAY_MS,
    },
  };
}

/** Asks a bucket for one request at `now_ms`: counts it, or refuses it and says when to come back. */
export function takeOne(name: BucketName, bucket: Bucket, limits: BucketLimits, now_ms: number): RateDecision {
  const aged = age(bucket, now_ms);
  const before = describe(name, aged, limits, now_ms);
  if (before.day.remaining === 0 || before.minute.remaining === 0) {
    const reset_ms = before.day.remaining === 0 ? before.day.reset_ms : whenRoom(aged, limits, now_ms);
    return {
      admitted: false,
      bucket: aged,
      state: before,
      retryAfter_s: Math.max(1, Math.ceil((reset_ms - now_ms) / 1_000)),
    };
  }
  const counted = addOne(aged, limits, now_ms);
  return { admitted: true, bucket: counted, state: describe(name, counted, limits, now_ms), retryAfter_s: 0 };
}

/** When there is room for one more. If the limit was lowered, this may be later than when the oldest entry leaves. */
function whenRoom(bucket: Bucket, limits: BucketLimits, now_ms: number): number {
  let inWindow = sum(bucket.minute);
  for (const [leaves_ms, leaving] of bucket.minute) {
    inWindow -= leaving;
    if (inWindow < limits.perMinute) return leaves_ms;
  }
  return now_ms + MINUTE_MS;
}

/**
 * Counts the reads that an object had stored ahead and may have made before it lost its memory. They count as made at
 * the time of the last stored request, and leave the minute with it.
 */
function spendReserve(bucket: Bucket, reserve: number): Bucket {
  const last = bucket.minute.at(-1);
  return {
    minute: last ? [...bucket.minute.slice(0, -1), [last[0], last[1] + reserve]] : [],
    day: bucket.day,
    dayCount: bucket.dayCount + reserve,
  };
}

/** What is stored: the buckets, and how many more reads may have been made since. */
interface WrittenBuckets {
  readonly buckets: Readonly<Record<BucketName, Bucket>>;
  readonly readReserve: number;
}

/**
 * The buckets of one key. Trade and withdraw are stored late, but always before their request has an effect. So after a
 * loss of memory they are exact, except for the last moment's requests without an effect, such as replays.
 *
 * Reads are stored ahead in blocks. After a loss of memory the whole block counts as made at the time when it was
 * stored. So a minute after its last read a client has its whole minute again, and of its day it may lose up to one
 * block. Reads that were made later than that leave the minute too early: after a crash a client may get up to 9 extra
 * reads in that minute.
 */
export class CountedBuckets {
  readonly #state: ObjectState;
  readonly #late: LateWrites;
  #live: Record<BucketName, Bucket>;
  /** Reads that are stored already but not yet made. */
  #readsAhead = 0;
  /**
   * How many reads came one after the other, each so soon that the object did not sleep before it. Since this object was
   * started: what it stored ahead before that, and lost, must not be stored again.
   */
  #run = 0;
  #lastRead_ms = -Infinity;

  constructor(state: ObjectState, late: LateWrites) {
    this.#state = state;
    this.#late = late;
    const { buckets, readReserve } = (state.read('buckets') as WrittenBuckets | undefined) ?? {
      buckets: { read: emptyBucket, trade: emptyBucket, withdraw: emptyBucket },
      readReserve: 0,
    };
    this.#live = { ...buckets, read: spendReserve(buckets.read, readReserve) };
  }

  /** Takes one request from a bucket. Reads are stored at once, the others by the late writes. */
  take(name: BucketName, limits: BucketLimits, now_ms: number): RateDecision {
    const decision = takeOne(name, this.#live[name], limits, now_ms);
    if (!decision.admitted) return decision;
    this.#live[name] = decision.bucket;
    if (name === 'read') this.#countRead(now_ms);
    else this.#late.add(this.#write);
    return decision;
  }

  /** When the newest request was counted, to the second, in milliseconds; `null` where none ever was. */
  lastUse(): number | null {
    const times = Object.values(this.#live).flatMap((bucket) => lastCounted(bucket) ?? []);
    return times.length === 0 ? null : Math.max(...times);
  }

  #countRead(now_ms: number): void {
    this.#run = Math.abs(now_ms - this.#lastRead_ms) <= AWAKE_MS ? this.#run + 1 : 1;
    this.#lastRead_ms = now_ms;
    if (this.#readsAhead > 0) {
      this.#readsAhead -= 1;
      return;
    }
    // A client that polls while the object stays awake pays one row for ten reads, and one that lets it sleep never loses
    // more than the number of its earlier reads.
    this.#readsAhead = Math.min(READ_BLOCK, this.#run) - 1;
    this.#write();
  }

  readonly #write = (): void => {
    const written: WrittenBuckets = { buckets: { ...this.#live }, readReserve: this.#readsAhead };
    this.#state.write('buckets', written);
  };
}

/** Whether a request was counted, and the bucket's state if it is known. */
export interface Counted {
  readonly outcome: Outcome<null>;
  readonly rate: RateState | null;
}

/**
 * Counts a request of a session in the buckets of its account. Refuses with `rate_limited`, and with
 * `service_unavailable` when the account's lane does not answer.
 */
export async function countSession(
  { KEY_LANE, LEDGER_LOCATION }: Pick<Bindings, 'KEY_LANE' | 'LEDGER_LOCATION'>,
  record: KeyRecord,
  bucket: BucketName,
  limits = limitsOf(record, bucket),
): Promise<Counted> {
  const { accountId } = record;
  return tryOrLog('session_not_counted', { accountId }, { outcome: overloaded, rate: null }, () => {
    // An account's own lane has its id for a name, and no key.
    const lane = reach(KEY_LANE, accountId, LEDGER_LOCATION) as unknown as {
      count(...asked: [BucketName, BucketLimits]): Promise<Counted>;
    };
    return lane.count(bucket, limits);
  });
}
