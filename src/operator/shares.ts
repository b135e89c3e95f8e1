import { z } from '@hono/zod-openapi';
import { type Outcome, type Refusal, accept, refuse, refuseField } from '../http/answer.ts';
import { Decimal } from '../http/wire-types.ts';
import type { LedgerAnswer } from '../db/ask-ledgers.ts';
import { type Actor, insertAudit } from '../db/audit.ts';
import { findNumberedLedger, firstLedger } from '../db/database.ts';
import { FIRST_LEDGER, MAX_LEDGER } from '../db/record-id.ts';
import { type LedgerStanding, findLimit, readPlan, readStandings, usedOf } from '../db/shares/read-shares.ts';
import { type Shares, planShare, sharesOf, sumOf } from '../db/shares/shares.ts';
import { type Asset, assetSymbols, scaleOf } from '../money/assets.ts';
import { formatAmount } from '../money/amounts.ts';
import type { LedgerBindings } from '../platform/bindings.ts';
import { commitSettings, planShares, readLimits } from './change-settings.ts';
import { AmountsByAsset, floorAccounts } from './settings.ts';
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

/** The shares of all ledgers, and what is used of them. Throws when ledger 0 does not answer. */
export async function readShareReport(bindings: LedgerBindings): Promise<ShareReport> {
  const [{ shares }, standings] = await Promise.all([readPlan(bindings), readStandings(bindings)]);
  const showAll = (name: keyof typeof floorAccounts) =>
    assetSymbols.map((asset) => showLimit(shares, standings, name, asset));
  return { supplyCaps: showAll('supplyCaps'), exposure: showAll('exposure') };
}

function showLimit(
  shares: Shares,
  standings: readonly LedgerAnswer<LedgerStanding>[],
  name: keyof typeof floorAccounts,
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
  const limits = readLimits({ supplyCaps: change.supplyCaps, exposure: change.exposure });
  if (!limits.ok) return limits;
  const planned = await planShares(bindings, limits.value, (own, used, { asset, amount }) => {
    if (own.length <= change.ledger) return notBegun;
    const next = planShare(own, used, change.ledger, amount);
    return next ? accept(next) : tooMuchUsed(asset);
  });
  if (!planned.ok) return planned;
  const audit = insertAudit(firstLedger(bindings), actor, 'change_shares', 'settings', change);
  const refused = await commitSettings(bindings, audit, planned.value, tooMuchUsed, actor.now_ms);
  return refused ?? accept(await readShareReport(bindings));
}

const ofFirst = refuseField('/ledger', 'unknown_value', 'is 0, which gives and gets the difference');

const notBegun = refuse('invalid_state', 'The ledger is not ready. Try again in a minute.');

function tooMuchUsed(asset: string): Refusal {
  return refuse('invalid_state', `The ledger uses more ${asset} than that, or ledger 0 uses too much to give so much.`);
}
