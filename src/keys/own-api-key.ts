import { z } from '@hono/zod-openapi';
import { Id, Timestamp } from '../http/wire-types.ts';
import { type BucketName, bucketNames, defaultLimits, limitsOf, Scope } from './rights.ts';
import { BucketAllowance, type KeyDetails } from './record.ts';

const Limits = z.object({ read: BucketAllowance, trade: BucketAllowance, withdraw: BucketAllowance });

export const OwnApiKey = z
  .object({
    id: Id,
    label: z.string().openapi({ example: 'trading bot' }),
    scopes: z.array(Scope).openapi({ example: ['read', 'trade'] }),
    ipAllowlist: z
      .array(z.string())
      .nullable()
      .openapi({
        description: 'Addresses and CIDR ranges that the key may be used from; null allows every address',
        example: ['192.0.2.0/24'],
      }),
    createdAt: Timestamp,
    expiresAt: Timestamp.nullable(),
    limits: Limits.openapi({ description: 'The limits of each bucket of the key', example: { ...defaultLimits } }),
  })
  .openapi('OwnApiKey');

export type OwnApiKey = z.output<typeof OwnApiKey>;

/** Shows a key to its holder, with the limits that hold for it. */
export function showOwnApiKey(record: KeyDetails): OwnApiKey {
  const limits = Object.fromEntries(bucketNames.map((bucket) => [bucket, limitsOf(record, bucket)]));
  return {
    id: record.id,
    label: record.label,
    scopes: [...record.scopes],
    ipAllowlist: record.ipAllowlist === null ? null : [...record.ipAllowlist],
    createdAt: new Date(record.createdAt_ms).toISOString(),
    expiresAt: record.expiresAt_ms === null ? null : new Date(record.expiresAt_ms).toISOString(),
    limits: limits as Record<BucketName, z.output<typeof BucketAllowance>>,
  };
}
