/** The buckets of a key, as the specification names them. */
export const bucketNames = ['read', 'trade', 'withdraw'] as const;

export type BucketName = (typeof bucketNames)[number];

/** The limits of a bucket. */
export interface BucketLimits {
  readonly perMinute: number;
  readonly perDay: number;
}

/** The default limits (spec, "Limits"). */
export const defaultLimits: Readonly<Record<BucketName, BucketLimits>> = {
  read: { perMinute: 120, perDay: 5_000 },
  trade: { perMinute: 30, perDay: 500 },
  withdraw: { perMinute: 30, perDay: 200 },
};

/**
 * The limits of a signed-in holder, for all sessions of an account together: a page reads more at once than a program.
 */
const sessionLimits: Readonly<Record<BucketName, BucketLimits>> = {
  ...defaultLimits,
  read: { perMinute: 600, perDay: 20_000 },
};

/** The limits of one bucket of a key: its own, or the defaults of its kind. */
export function limitsOf(
  key: {
    readonly kind: 'standing' | 'session';
    readonly rateLimits: { readonly [Name in BucketName]?: BucketLimits | undefined };
  },
  bucket: BucketName,
): BucketLimits {
  return key.rateLimits[bucket] ?? (key.kind === 'session' ? sessionLimits : defaultLimits)[bucket];
}
