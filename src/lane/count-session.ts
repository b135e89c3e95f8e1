import { type Outcome, overloaded } from '../http/refusal.ts';
import { type BucketLimits, type BucketName, limitsOf } from '../keys/bucket-limits.ts';
import type { KeyRecord } from '../keys/record.ts';
import type { Bindings } from '../platform/bindings.ts';
import { describeError, logFault } from '../platform/log.ts';
import type { RateState } from './rate-buckets.ts';

/** Whether a request was counted, and the bucket's state if it is known. */
export interface Counted {
  readonly outcome: Outcome<null>;
  readonly rate: RateState | null;
}

/** A lane as the one of an account: it has the account's id for its name, no key, and counts for all sessions. */
interface AccountLane {
  count(bucket: BucketName, limits: BucketLimits): Promise<Counted>;
}

/**
 * Counts a request of a session in the buckets of its account. Refuses with `rate_limited`, and with
 * `service_unavailable` when the account's lane does not answer.
 */
export async function countSession(
  { KEY_LANE }: Pick<Bindings, 'KEY_LANE'>,
  record: KeyRecord,
  bucket: BucketName,
  limits = limitsOf(record, bucket),
): Promise<Counted> {
  try {
    const lane = KEY_LANE.getByName(record.accountId) as unknown as AccountLane;
    return await lane.count(bucket, limits);
  } catch (error) {
    logFault('session_not_counted', { accountId: record.accountId, error: describeError(error) });
    return { outcome: overloaded, rate: null };
  }
}
