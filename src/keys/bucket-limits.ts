/** The buckets of a key, as the specification names them. */
export const bucketNames = ['read', 'trade', 'withdraw'] as const;

export type BucketName = (typeof bucketNames)[number];

/** How much a bucket admits. */
export interface BucketLimits {
  readonly perMinute: number;
  readonly perDay: number;
}

/** What a key has where the operator set nothing else (spec, "Limits"). */
export const defaultLimits: Readonly<Record<BucketName, BucketLimits>> = {
  read: { perMinute: 120, perDay: 5_000 },
  trade: { perMinute: 30, perDay: 500 },
  withdraw: { perMinute: 30, perDay: 200 },
};

/** What one bucket of a key admits, which may have limits of its own. */
export function limitsOf(
  key: { readonly rateLimits: { readonly [Name in BucketName]?: BucketLimits | undefined } },
  bucket: BucketName,
): BucketLimits {
  return key.rateLimits[bucket] ?? defaultLimits[bucket];
}
