import { z } from 'zod';
import { assetSymbols } from '../money/assets.ts';

/** What the custodian says that it holds of an asset, against what it should hold by the ledger. */
export const AssetCover = z.object({
  /** A plain decimal in the asset, of all its networks together; `null` where that is not known. */
  held: z.string().nullable(),
  cover: z.enum(['covered', 'shortfall', 'unknown']),
  /** How many complete reports in a row were a shortfall. */
  shortfalls: z.int(),
});

export type AssetCover = z.output<typeof AssetCover>;

/** What the keeper knows about the custodian. Times are milliseconds; `null` for what has not happened yet. */
export const CustodyStanding = z.object({
  firstAskedAt: z.number().nullable(),
  answeredAt: z.number().nullable(),
  /** When the oldest withdrawal that is PROCESSING was released, as of the last look. */
  oldestPayoutAt: z.number().nullable(),
  assets: z.partialRecord(z.enum(assetSymbols), AssetCover),
});

export type CustodyStanding = z.output<typeof CustodyStanding>;

export const NEVER_ASKED: CustodyStanding = { firstAskedAt: null, answeredAt: null, oldestPayoutAt: null, assets: {} };

/** The custodian counts as silent when it has not answered for so long; it is asked every minute. */
const SILENT_AFTER_MS = 180_000;

/** Whether the custodian has not answered for three minutes. One that was never asked is not silent. */
export function isSilent({ firstAskedAt, answeredAt }: CustodyStanding, now_ms: number): boolean {
  const since = answeredAt ?? firstAskedAt;
  return since !== null && now_ms - since > SILENT_AFTER_MS;
}
