import type { BucketLimits, BucketName } from '../keys/bucket-limits.ts';
import type { LateWrites } from './late-writes.ts';
import type { ObjectState } from '../platform/object-state.ts';
import {
  type Bucket,
  type RateDecision,
  type ReadRun,
  continueRun,
  emptyBucket,
  lastCounted,
  noRun,
  sizeOfBlock,
  spendReserve,
  takeOne,
} from './rate-buckets.ts';

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
  /** The run since this object was started: what it stored ahead before that, and lost, must not be stored again. */
  #run: ReadRun = noRun;

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
    this.#run = continueRun(this.#run, now_ms);
    if (this.#readsAhead > 0) {
      this.#readsAhead -= 1;
      return;
    }
    this.#readsAhead = sizeOfBlock(this.#run) - 1;
    this.#write();
  }

  readonly #write = (): void => {
    const written: WrittenBuckets = { buckets: { ...this.#live }, readReserve: this.#readsAhead };
    this.#state.write('buckets', written);
  };
}
