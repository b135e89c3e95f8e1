import { z } from '@hono/zod-openapi';
import { eq } from 'drizzle-orm';
import { type Outcome, type Refusal, accept, refuse } from '../http/answer.ts';
import { Decimal } from '../http/wire-types.ts';
import type { LedgerAnswer } from '../db/ask-ledgers.ts';
import { type Actor, insertAudit } from '../db/audit.ts';
import { commit } from '../db/commit.ts';
import { findNumberedLedger, firstLedger } from '../db/database.ts';
import { FIRST_LEDGER, MAX_LEDGER } from '../db/record-id.ts';
import { replaceShares, setLowerFloors } from '../db/shares/keep-shares.ts';
import {
  type LedgerStanding,
  type SharesPlan,
  findLimit,
  listUsed,
  readPlan,
  readStandings,
  usedOf,
} from '../db/shares/read-shares.ts';
import { settings } from '../db/schema/staff.ts';
import { type Shares, planShare, sharesOf, sumOf, withShares } from '../db/shares/shares.ts';
import { type Asset, assetSymbols, scaleOf } from '../money/assets.ts';
import { formatAmount } from '../money/amounts.ts';
import type { LedgerBindings } from '../platform/bindings.ts';
import { copyToLedgers } from './copy-to-ledgers.ts';
import { AmountsByAsset, floorAccounts, readAtoms } from './settings.ts';
import { refuseLedger } from './find-records.ts';

const LimitFigures = z.object({
  asset: z.string().openapi({ example: 'BTC' }),
  limit: Decimal.openapi({ description: 'The limit of the whole exchange, as in the settings', example: '1000' }),
  ledgers: z.array(
    z.object({
      ledger: z.number().int().openapi({ description: 'Its number', example: 0 }),
      share: Decimal.openapi({ description: 'The ledger’s share of the limit', example: '400' }),
      allowed: Decimal.nullable().openapi({
        description:
          'How much it may use now, which is its share unless the shares were just changed; null when it did not answer',
        example: '400',
      }),
      used: Decimal.nullable().openapi({ description: 'How much of it is used', example: '120.5' }),
    }),
  ),
});

/** Each ledger's share of the supply caps and exposures. */
export const ShareReport = z
  .object({ supplyCaps: z.array(LimitFigures), exposure: z.array(LimitFigures) })
  .openapi('Shares');

export type ShareReport = z.output<typeof ShareReport>;

/** What the shares of a ledger become; those that are not named stay. */
export const ChangeShares = z
  .strictObject({
    ledger: z
      .int()
      .min(0)
      .max(MAX_LEDGER)
      .openapi({ description: 'The number of the ledger: any but 0, which gives and gets the difference', example: 1 }),
    supplyCaps: AmountsByAsset.optional().openapi({
      description: 'The ledger’s share of the supply cap',
      example: { BTC: '400' },
    }),
    exposure: AmountsByAsset.optional().openapi({
      description: 'The ledger’s share of the exposure',
      example: { BTC: '4' },
    }),
  })
  .openapi('ChangeShares');

export type ChangeShares = z.output<typeof ChangeShares>;

const limitNames = ['supplyCaps', 'exposure'] as const;

/** The shares of all ledgers, and what is used of them. Throws when ledger 0 does not answer. */
export async function readShareReport(bindings: LedgerBindings): Promise<ShareReport> {
  const [{ shares }, standings] = await Promise.all([readPlan(bindings), readStandings(bindings)]);
  const [supplyCaps = [], exposure = []] = limitNames.map((name) =>
    assetSymbols.map((asset) => showLimit(shares, standings, name, asset)),
  );
  return { supplyCaps, exposure };
}

function showLimit(
  shares: Shares,
  standings: readonly LedgerAnswer<LedgerStanding>[],
  name: (typeof limitNames)[number],
  asset: Asset,
): ShareReport['exposure'][number] {
  const show = (amount: bigint) => formatAmount(amount, scaleOf(asset));
  const limit = { account: floorAccounts[name], asset };
  const all = sharesOf(shares, limit);
  return {
    asset,
    limit: show(sumOf(all)),
    ledgers: standings.map(({ ledger, answer }) => {
      const own = findLimit(answer, limit);
      return {
        ledger,
        share: show(all[ledger] ?? 0n),
        allowed: own ? show(-own.floor) : null,
        used: own ? show(usedOf(own.amount)) : null,
      };
    }),
  };
}

/**
 * Sets shares of a ledger other than 0, all or none: ledger 0 gives it what it lacks, and gets what it has more. No
 * limit of the exchange changes. Refuses with `precision_exceeded`, `amount_above_maximum`, `invalid_request` for
 * ledger 0 or one that does not exist, `invalid_state` when the ledger uses more than that, ledger 0 has not so much
 * that it does not use, or the ledger has no share yet, and `service_unavailable` when it was not confirmed: it is safe
 * to send it again. Throws when D1 cannot be read.
 */
export async function changeShares(
  bindings: LedgerBindings,
  change: ChangeShares,
  actor: Actor,
): Promise<Outcome<ShareReport>> {
  if (!findNumberedLedger(bindings, change.ledger)) return refuseLedger('/ledger');
  if (change.ledger === FIRST_LEDGER) return ofFirst;
  const [plan, standings] = await Promise.all([readPlan(bindings), readStandings(bindings)]);
  const planned = planChange(plan, standings, change);
  if (!planned.ok) return planned;
  const first = firstLedger(bindings);
  const outcome = await commit(first, [
    insertAudit(first, actor, 'change_shares', 'settings', change),
    first.update(settings).set(replaceShares(plan, planned.value)).where(eq(settings.id, 1)),
    setLowerFloors(first),
  ]);
  if (outcome.kind === 'floor') return tooMuchUsed(outcome.asset);
  if (outcome.kind !== 'committed') return sharesNotConfirmed;
  return (await copyToLedgers(bindings, actor.now_ms)) ?? accept(await readShareReport(bindings));
}

function planChange(
  { shares }: SharesPlan,
  standings: readonly LedgerAnswer<LedgerStanding>[],
  change: ChangeShares,
): Outcome<Shares> {
  let planned = shares;
  for (const name of limitNames) {
    for (const asset of assetSymbols) {
      const text = change[name]?.[asset];
      if (text === undefined) continue;
      const share = readAtoms(text, asset);
      if (!share.ok) return share;
      const limit = { account: floorAccounts[name], asset };
      const [own, used] = [sharesOf(shares, limit), listUsed(standings, limit)];
      if (!used) return sharesNotConfirmed;
      if (own.length <= change.ledger) return notBegun;
      const next = planShare(own, used, change.ledger, share.value);
      if (!next) return tooMuchUsed(asset);
      planned = withShares(planned, limit, next);
    }
  }
  return accept(planned);
}

const ofFirst = refuse('invalid_request', 'The request is not valid.', {
  errors: [{ pointer: '/ledger', code: 'unknown_value', detail: 'is 0, which gives and gets the difference' }],
});

const notBegun = refuse('invalid_state', 'The ledger is not ready. Try again in a minute.');

/** The refusal of shares or limits while a ledger does not answer, or something else changed them. */
export const sharesNotConfirmed = refuse('service_unavailable', 'The change was not confirmed. Send it again.', {
  retryAfterSeconds: 1,
});

function tooMuchUsed(asset: string): Refusal {
  return refuse('invalid_state', `The ledger uses more ${asset} than that, or ledger 0 uses too much to give so much.`);
}
