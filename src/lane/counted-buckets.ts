import type { BucketLimits, BucketName } from '../keys/bucket-limits.ts';
import type { LateWrites } from './late-writes.ts';
import type { ObjectState } from './object-state.ts';
import {
  type Bucket,
  type RateDecision,
  type ReadRun,
  continueRun,
  emptyBucket,
  noRun,
  sizeOfBlock,
  spendReserve,
  takeOne,
} from './rate-buckets.ts';

/** What is written down: the buckets, and how many reads beyond them may have been spent since. */
interface WrittenBuckets {
  readonly buckets: Readonly<Record<BucketName, Bucket>>;
  readonly readReserve: number;
}

/**
 * The buckets of one key. Trade and withdraw are written down late, and always before their request has an effect: they
 * are exact through any loss of memory, but for requests of the last moment that had none, such as replays.
 *
 * Reads are written down ahead in blocks. An object that comes back counts the whole block as spent at the time it was
 * written: a minute after its last read a client has its whole minute again, and of the day it may lose up to one block.
 * What was read of the block since then counts for up to so much too short, so the minute around a loss may admit
 * up to a block less one beyond the limit.
 */
export class CountedBuckets {
  readonly #state: ObjectState;
  readonly #late: LateWrites;
  #live: Record<BucketName, Bucket>;
  /** Reads that are written down already and not yet made. */
  #readsAhead = 0;
  /** Only what this life of the object has seen: what an earlier one wrote ahead and lost must not be written again. */
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

  /** Asks a bucket for one request. Reads are written down at once, the others among the late writes. */
  take(name: BucketName, limits: BucketLimits, now_ms: number): RateDecision {
    const decision = takeOne(name, this.#live[name], limits, now_ms);
    if (!decision.admitted) return decision;
    this.#live[name] = decision.bucket;
    if (name === 'read') this.#countRead(now_ms);
    else this.#late.add(this.#write);
    return decision;
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
