import { z } from '@hono/zod-openapi';
import { type Outcome, accept, refuse } from '../http/refusal.ts';
import { Decimal } from '../http/wire-types.ts';
import type { Actor } from '../ledger/audit.ts';
import { findNumberedLedger } from '../ledger/ledgers.ts';
import { finishGrants } from '../ledger/quotas/grant-quota.ts';
import { type Limit, type Obtained, setQuota } from '../ledger/quotas/obtain-quota.ts';
import { type Quota, type Quotas, readAllQuotas } from '../ledger/quotas/read-quotas.ts';
import type { LedgerAnswer } from '../ledger/ask-ledgers.ts';
import { FIRST_LEDGER, MAX_LEDGER } from '../ledger/record-id.ts';
import { type Asset, assetSymbols, scaleOf } from '../money/assets.ts';
import { type Atoms, formatAmount } from '../money/amounts.ts';
import type { LedgerBindings } from '../platform/bindings.ts';
import { AmountsByAsset, floorAccounts, readAtoms } from './settings.ts';
import { refuseLedger } from './unknown-ledger.ts';

const QuotaFigures = z.object({
  quota: Decimal.openapi({ description: 'The ledger’s part of the limit', example: '400' }),
  used: Decimal.openapi({ description: 'How much of it is used', example: '120.5' }),
});

const LimitFigures = z.object({
  asset: z.string().openapi({ example: 'BTC' }),
  limit: Decimal.nullable().openapi({
    description: 'The limit of the whole exchange, as in the settings; null while ledger 0 does not answer',
    example: '1000',
  }),
  quotas: Decimal.openapi({
    description: 'The sum of the quotas of all ledgers that answered; less than the limit while some is on its way',
    example: '1000',
  }),
  used: Decimal.openapi({ description: 'The sum of what is used of them', example: '340.5' }),
  ledgers: z.array(
    QuotaFigures.extend({
      ledger: z.number().int().openapi({ description: 'Its number', example: 0 }),
      quota: QuotaFigures.shape.quota.nullable(),
      used: QuotaFigures.shape.used.nullable(),
    }).openapi({ description: 'null when the ledger did not answer' }),
  ),
});

/** Which part of the supply caps and exposures each ledger has. */
export const QuotaReport = z
  .object({ supplyCaps: z.array(LimitFigures), exposure: z.array(LimitFigures) })
  .openapi('Quotas');

export type QuotaReport = z.output<typeof QuotaReport>;

/** What the quotas of a ledger become; those that are not named stay. */
export const ChangeQuotas = z
  .strictObject({
    ledger: z
      .int()
      .min(0)
      .max(MAX_LEDGER)
      .openapi({ description: 'The number of the ledger: any but 0, which has what the others have not', example: 1 }),
    supplyCaps: AmountsByAsset.optional().openapi({
      description: 'The ledger’s part of the supply cap',
      example: { BTC: '400' },
    }),
    exposure: AmountsByAsset.optional().openapi({
      description: 'The ledger’s part of the exposure',
      example: { BTC: '4' },
    }),
  })
  .openapi('ChangeQuotas');

export type ChangeQuotas = z.output<typeof ChangeQuotas>;

const limitNames = ['supplyCaps', 'exposure'] as const;

/** The quotas of all ledgers and their sums. Throws when no ledger answers. */
export async function readQuotaReport(bindings: LedgerBindings, now_ms: number): Promise<QuotaReport> {
  const [supplyCaps, exposure] = await Promise.all(
    limitNames.map(async (name) => {
      const all = await readAllQuotas(bindings, floorAccounts[name], now_ms);
      return assetSymbols.map((asset) => showLimit(asset, all));
    }),
  );
  return { supplyCaps: supplyCaps ?? [], exposure: exposure ?? [] };
}

const usedOf = ({ quota, room }: Quota): Atoms => (room < quota ? quota - room : 0n);

function showLimit(asset: Asset, all: readonly LedgerAnswer<Quotas>[]): QuotaReport['exposure'][number] {
  const show = (amount: Atoms) => formatAmount(amount, scaleOf(asset));
  const ledgers = all.map(({ ledger, answer }) => ({ ledger, own: answer?.get(asset) }));
  const sum = (of: (quota: Quota) => Atoms) => ledgers.reduce((total, { own }) => total + (own ? of(own) : 0n), 0n);
  const first = ledgers.find(({ ledger }) => ledger === FIRST_LEDGER)?.own;
  return {
    asset,
    limit: first ? show(first.quota + first.given) : null,
    quotas: show(sum(({ quota }) => quota)),
    used: show(sum(usedOf)),
    ledgers: ledgers.map(({ ledger, own }) => ({
      ledger,
      quota: own ? show(own.quota) : null,
      used: own ? show(usedOf(own)) : null,
    })),
  };
}

/**
 * Sets quotas of a ledger other than 0, one after the other: ledger 0 gives it what it lacks, and gets what it has more. No limit of the exchange changes. Refuses with `precision_exceeded`,
 * `amount_above_maximum`, `invalid_request` for ledger 0 or one that does not exist, `invalid_state` when the ledger uses
 * more than that or ledger 0 has not so much to spare, and `service_unavailable` when it was not confirmed: it is safe
 * to send it again. Throws when D1 cannot be read.
 */
export async function changeQuotas(
  bindings: LedgerBindings,
  change: ChangeQuotas,
  actor: Actor,
): Promise<Outcome<QuotaReport>> {
  const { ledger } = change;
  if (!findNumberedLedger(bindings, ledger)) return refuseLedger('/ledger');
  if (ledger === FIRST_LEDGER) return ofFirst;
  const wanted: { readonly limit: Limit; readonly quota: Atoms }[] = [];
  for (const name of limitNames) {
    for (const asset of assetSymbols) {
      const text = change[name]?.[asset];
      if (text === undefined) continue;
      const quota = readAtoms(text, asset);
      if (!quota.ok) return quota;
      wanted.push({ limit: { account: floorAccounts[name], asset }, quota: quota.value });
    }
  }
  // What an earlier attempt has given counts, also where it has not been received.
  if (!(await isFinished(bindings, ledger, actor.now_ms))) return notConfirmed;
  for (const { limit, quota } of wanted) {
    const obtained = await setQuota(bindings, limit, ledger, quota, actor);
    if (obtained !== 'obtained') return explain(obtained, limit.asset);
  }
  return accept(await readQuotaReport(bindings, actor.now_ms));
}

const ofFirst = refuse('invalid_request', 'The request is not valid.', {
  errors: [{ pointer: '/ledger', code: 'unknown_value', detail: 'is 0, which has what the other ledgers have not' }],
});

const notConfirmed = refuse('service_unavailable', 'The quotas were not confirmed. Send it again.', {
  retryAfterSeconds: 1,
});

function explain(obtained: Exclude<Obtained, 'obtained'>, asset: Asset) {
  return obtained === 'not_yet'
    ? notConfirmed
    : refuse('invalid_state', `The ledger uses more ${asset} than that, or ledger 0 cannot spare so much.`);
}

async function isFinished(bindings: LedgerBindings, ledger: number, now_ms: number): Promise<boolean> {
  try {
    await Promise.all([FIRST_LEDGER, ledger].map((giver) => finishGrants(bindings, giver, now_ms)));
    return true;
  } catch {
    return false;
  }
}
