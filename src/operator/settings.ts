import { z } from '@hono/zod-openapi';
import { type SQL, eq, sql } from 'drizzle-orm';
import type { SQLiteUpdateSetSource } from 'drizzle-orm/sqlite-core';
import { type Outcome, accept, refuse } from '../http/answer.ts';
import { Timestamp } from '../http/wire-types.ts';
import { type Actor, insertAudit } from '../db/audit.ts';
import { type CommitOutcome, commit } from '../db/commit.ts';
import { type Database, firstLedger } from '../db/database.ts';
import { approvalRefusals, explain } from '../db/explain.ts';
import { raiseFloors, replaceShares, setLowerFloors } from '../db/shares/keep-shares.ts';
import { type SharesPlan, listUsed, readPlan, readStandings } from '../db/shares/read-shares.ts';
import { type Limit, type Shares, planLimit, sharesOf, sumOf, withShares } from '../db/shares/shares.ts';
import { OpeningWeights, readOpeningWeights } from '../db/opening-weights.ts';
import { settings } from '../db/schema/staff.ts';
import { NetworkAmounts, PausedDeposits, type Settings, readSettings } from '../db/settings.ts';
import { house } from '../db/transfers.ts';
import { fallbackPrice } from '../markets/fallback-price.ts';
import {
  type Asset,
  type Coin,
  MARKET_PRICES_DATE,
  QUOTE_ASSET,
  assetSymbols,
  assets,
  coinSymbols,
  scaleOf,
} from '../money/assets.ts';
import {
  AMOUNT_SYNTAX,
  type Atoms,
  MAX_ATOMS,
  formatAmount,
  parseAmount,
  PRICE_SCALE,
  formatPrice,
  parsePrice,
} from '../money/amounts.ts';
import { networks } from '../money/networks.ts';
import type { LedgerBindings } from '../platform/bindings.ts';

const Amount = z.string().regex(AMOUNT_SYNTAX, 'is not a plain decimal string');
/** Amounts by asset, as plain decimals in the asset. */
export const AmountsByAsset = z.partialRecord(z.enum(assetSymbols), Amount);
const AmountsByNetwork = NetworkAmounts.openapi('NetworkAmounts');

/** The settings of the exchange. Amounts are in their asset, the review threshold in USDT. */
export const ExchangeSettings = z
  .object({
    allowlistMode: z.enum(['off', 'strict']),
    tradingHalted: z.boolean(),
    withdrawalsHalted: z.boolean(),
    pausedNetworks: z
      .array(z.enum(networks))
      .openapi({ description: 'Networks without withdrawals for now', example: ['AVAX'] }),
    pausedDeposits: PausedDeposits.openapi({
      description: 'Networks and assets that take no deposits for now; one that arrives all the same is credited',
      example: { networks: ['AVAX'], assets: [] },
    }),
    reviewThreshold: Amount.nullable().openapi({
      description: 'Withdrawals worth more wait for a review; null: none',
      example: '10000',
    }),
    supplyCaps: AmountsByAsset.openapi({
      description: 'The most that may be owed to clients',
      example: { BTC: '1000' },
    }),
    fees: AmountsByNetwork.openapi({
      description: 'Withdrawal fees that differ from the defaults',
      example: { USDT: { TRC20: '1.5' } },
    }),
    minimums: AmountsByNetwork.openapi({
      description: 'Smallest withdrawals that differ from the defaults',
      example: { USDT: { TRC20: '20' } },
    }),
    depositMinimums: AmountsByNetwork.openapi({
      description: 'Smallest deposits that differ from the defaults; a smaller one is recorded but not credited',
      example: { USDT: { TRC20: '5' } },
    }),
    spreadBps: z.number().int().min(0).max(1_000).openapi({ description: 'In hundredths of a percent', example: 20 }),
    exposure: AmountsByAsset.openapi({ description: 'The most that the house may be short', example: { BTC: '10' } }),
    approvalAbove: AmountsByAsset.openapi({
      description:
        'What one person may credit and report by hand in 24 hours, once there are two admins; more needs two people, and so does anything of an asset that is not named',
      example: { BTC: '1' },
    }),
    openingWeights: OpeningWeights.refine((weights) => Object.values(weights).some((weight) => weight > 0), {
      message: 'gives no ledger a weight',
    }).openapi({
      description:
        'In which ledgers accounts are opened, in proportion, by the number of the ledger; one that is not named gets none',
      example: { '0': 1 },
    }),
    fallbackPrices: z.partialRecord(z.enum(coinSymbols), z.object({ price: Amount, setAt: Timestamp })).openapi({
      description: 'In USDT, shown while no source answers, with the date; no order fills at them',
      example: { BTC: { price: '65000', setAt: '2026-11-21T00:00:00.000Z' } },
    }),
  })
  .openapi('ExchangeSettings');

export type ExchangeSettings = z.output<typeof ExchangeSettings>;

/**
 * Any part of the settings; the others stay. `pausedDeposits`, `fees`, `minimums`, `depositMinimums`, `approvalAbove`
 * and `openingWeights` are replaced whole. Each named fallback price is replaced and gets the present date; `null`
 * restores the default.
 */
export const ChangeSettings = ExchangeSettings.partial()
  .extend({
    fallbackPrices: z
      .partialRecord(z.enum(coinSymbols), Amount.nullable())
      .optional()
      .openapi({
        description: 'In USDT; null restores the default price of a coin',
        example: { BTC: '65000' },
      }),
  })
  .strict()
  .openapi('ChangeSettings');

export type ChangeSettings = z.output<typeof ChangeSettings>;

/** The values where the operator has set nothing. */
export interface SettingDefaults {
  readonly allowlistMode: 'off' | 'strict';
  readonly spreadBps: number;
  /** The smallest spread that this environment allows. */
  readonly minSpreadBps: number;
}

/** The accounts of the house whose floors the operator sets, by the name of the setting. */
export const floorAccounts = { supplyCaps: house.custody, exposure: house.liquidity } as const;

/** Reads everything that the operator can set. Throws when D1 fails. */
export async function readExchangeSettings(
  bindings: LedgerBindings,
  defaults: SettingDefaults,
): Promise<ExchangeSettings> {
  const database = firstLedger(bindings);
  const [standing, { shares }, approvalAbove, openingWeights] = await Promise.all([
    readSettings(database),
    readPlan(bindings),
    readApprovalAbove(database),
    readOpeningWeights(database),
  ]);
  return { ...showSettings(standing, shares, defaults), approvalAbove, openingWeights };
}

const StoredAtoms = z.partialRecord(z.enum(assetSymbols), z.string());

/** The amounts above which two people are needed. They are stored in atoms, as the triggers compare them. */
async function readApprovalAbove(database: Database): Promise<Partial<Record<Asset, string>>> {
  const [row] = await database.select({ text: settings.approvalAbove }).from(settings);
  const stored = StoredAtoms.parse(JSON.parse(row?.text ?? '{}'));
  return Object.fromEntries(
    Object.entries(stored).map(([asset, atoms]) => [asset, formatAmount(BigInt(atoms), scaleOf(asset as Asset))]),
  );
}

/** What a limit of the exchange becomes, in atoms. */
interface NewLimit extends Limit {
  readonly amount: Atoms;
}

function showSettings(
  standing: Settings,
  shares: Shares,
  defaults: SettingDefaults,
): Omit<ExchangeSettings, 'approvalAbove' | 'openingWeights'> {
  const capsOf = (account: Limit['account']) =>
    Object.fromEntries(
      assetSymbols.map((asset) => [asset, formatAmount(sumOf(sharesOf(shares, { account, asset })), scaleOf(asset))]),
    );
  const { reviewThreshold } = standing;
  return {
    allowlistMode: standing.allowlistMode ?? defaults.allowlistMode,
    tradingHalted: standing.tradingHalted,
    withdrawalsHalted: standing.withdrawalsHalted,
    pausedNetworks: [...standing.pausedNetworks],
    pausedDeposits: standing.pausedDeposits,
    reviewThreshold: reviewThreshold === null ? null : formatAmount(reviewThreshold, scaleOf(QUOTE_ASSET)),
    supplyCaps: capsOf(floorAccounts.supplyCaps),
    fees: standing.fees,
    minimums: standing.minimums,
    depositMinimums: standing.depositMinimums,
    spreadBps: standing.spreadBps ?? defaults.spreadBps,
    exposure: capsOf(floorAccounts.exposure),
    fallbackPrices: Object.fromEntries(coinSymbols.map((coin) => [coin, showFallback(coin, standing)])),
  };
}

function showFallback(coin: Coin, { fallbackPrices }: Settings) {
  const { price, setAt } = fallbackPrices[coin] ?? {
    price: formatPrice(fallbackPrice(coin)),
    setAt: MARKET_PRICES_DATE,
  };
  return { price, setAt: new Date(setAt).toISOString() };
}

/**
 * Changes settings, all or none, and records who did it. Refuses with `precision_exceeded`, `amount_above_maximum`,
 * `network_not_supported`, `amount_below_minimum` for a spread that this environment does not allow or a price of zero,
 * `invalid_state` for a cap below what is already owed or short, and for lifting a halt while a violation is not
 * cleared, and `service_unavailable`. Throws when D1 cannot be read.
 *
 * A higher limit is given to the ledgers in proportion to their shares, and a lower one is taken from what they do not
 * use.
 */
export async function changeSettings(
  bindings: LedgerBindings,
  change: ChangeSettings,
  defaults: SettingDefaults,
  actor: Actor,
): Promise<Outcome<ExchangeSettings>> {
  const checked = checkChange(change, defaults, actor.now_ms);
  if (!checked.ok) return checked;
  const planned = await planLimits(bindings, checked.value.limits);
  if (!planned.ok) return planned;
  const database = firstLedger(bindings);
  const outcome = await commitChange(database, change, checked.value, planned.value, actor);
  if (outcome.kind === 'committed') return accept(await readExchangeSettings(bindings, defaults));
  const refusal = explain(outcome, approvalRefusals);
  if (refusal) return refusal;
  if (outcome.kind === 'floor') return refuseLowered(outcome.asset);
  if (outcome.kind === 'guarded' && outcome.guard === 'violation_stands') return violationStands;
  return notConfirmed;
}

const notConfirmed = refuse('service_unavailable', 'The change was not confirmed. Send it again.', {
  retryAfterSeconds: 1,
});

function refuseLowered(asset: string) {
  return refuse('invalid_state', `More ${asset} is owed or short already than this cap allows.`);
}

/** The plan that a change of limits was made by, and the shares after it. */
interface ChangedShares {
  readonly plan: SharesPlan;
  readonly shares: Shares;
}

/** The shares that follow from new limits; `null` without any. Refuses with `invalid_state` and `service_unavailable`. */
async function planLimits(
  bindings: LedgerBindings,
  limits: readonly NewLimit[],
): Promise<Outcome<ChangedShares | null>> {
  if (limits.length === 0) return accept(null);
  const [plan, standings] = await Promise.all([readPlan(bindings), readStandings(bindings)]);
  let { shares } = plan;
  for (const { amount, ...limit } of limits) {
    const used = listUsed(standings, limit);
    if (!used) return notConfirmed;
    const planned = planLimit(sharesOf(shares, limit), used, amount);
    if (!planned) return refuseLowered(limit.asset);
    shares = withShares(shares, limit, planned);
  }
  return accept({ plan, shares });
}

function commitChange(
  database: Database,
  change: ChangeSettings,
  { values }: CheckedChange,
  changed: ChangedShares | null,
  actor: Actor,
): Promise<CommitOutcome> {
  const isAlone =
    changed !== null && Object.values(changed.shares['house:custody']).every(({ length }) => length === 1);
  return commit(database, [
    insertAudit(database, actor, 'change_settings', 'settings', change),
    database
      .update(settings)
      .set({
        ...values,
        ...(changed ? replaceShares(changed.plan, changed.shares) : { revision: sql`${settings.revision} + 1` }),
      })
      .where(eq(settings.id, 1)),
    ...(changed ? [setLowerFloors(database)] : []),
    ...(isAlone ? [raiseFloors(database)] : []),
  ]);
}

/** The refusal to lift a halt while a violation is not cleared. */
export const violationStands = refuse(
  'invalid_state',
  'Reconciliation found an invariant broken. Clear the violation before you lift the halt.',
);

interface CheckedChange {
  readonly values: SQLiteUpdateSetSource<typeof settings>;
  readonly limits: readonly NewLimit[];
}

function checkChange(change: ChangeSettings, defaults: SettingDefaults, now_ms: number): Outcome<CheckedChange> {
  if (change.spreadBps !== undefined && change.spreadBps < defaults.minSpreadBps) {
    return refuse('amount_below_minimum', `The spread is at least ${defaults.minSpreadBps} here.`);
  }
  for (const amounts of [change.fees, change.minimums, change.depositMinimums]) {
    const refusal = checkNetworkAmounts(amounts);
    if (refusal) return refusal;
  }
  const threshold = readThreshold(change.reviewThreshold);
  if (!threshold.ok) return threshold;
  const fallback = checkFallbackPrices(change.fallbackPrices);
  if (fallback) return fallback;
  const limits: NewLimit[] = [];
  for (const name of ['supplyCaps', 'exposure'] as const) {
    for (const asset of assetSymbols) {
      const text = change[name]?.[asset];
      if (text === undefined) continue;
      const cap = readAtoms(text, asset);
      if (!cap.ok) return cap;
      limits.push({ account: floorAccounts[name], asset, amount: cap.value });
    }
  }
  const above = readAmounts(change.approvalAbove);
  if (!above.ok) return above;
  return accept({
    values: { ...toValues(change, threshold.value, now_ms), ...(above.value && { approvalAbove: above.value }) },
    limits,
  });
}

function toValues(
  change: ChangeSettings,
  reviewThreshold: Atoms | null | undefined,
  now_ms: number,
): CheckedChange['values'] {
  const { allowlistMode, tradingHalted, withdrawalsHalted, pausedNetworks, spreadBps } = change;
  const { pausedDeposits, fees, minimums, depositMinimums, openingWeights } = change;
  return {
    ...(allowlistMode !== undefined && { allowlistMode }),
    ...(tradingHalted !== undefined && { tradingHalted }),
    ...(withdrawalsHalted !== undefined && { withdrawalsHalted }),
    ...(pausedNetworks !== undefined && { pausedNetworks: JSON.stringify([...new Set(pausedNetworks)]) }),
    ...(pausedDeposits !== undefined && { pausedDeposits: JSON.stringify(pausedDeposits) }),
    ...(reviewThreshold !== undefined && { reviewThreshold }),
    ...(fees !== undefined && { fees: JSON.stringify(fees) }),
    ...(minimums !== undefined && { minimums: JSON.stringify(minimums) }),
    ...(depositMinimums !== undefined && { depositMinimums: JSON.stringify(depositMinimums) }),
    ...(spreadBps !== undefined && { spreadBps }),
    ...(openingWeights !== undefined && { openingWeights: JSON.stringify(openingWeights) }),
    ...(change.fallbackPrices !== undefined && { fallbackPrices: patchFallbacks(change.fallbackPrices, now_ms) }),
  };
}

/**
 * Merges the change into the stored value in the database, so that two changes at once do not lose each other's coins
 * (RFC 7396).
 */
function patchFallbacks(change: NonNullable<ChangeSettings['fallbackPrices']>, now_ms: number): SQL {
  const patch = Object.entries(change).map(([coin, price]) => [coin, price && { price, setAt: now_ms }]);
  return sql`json_patch(${settings.fallbackPrices}, ${JSON.stringify(Object.fromEntries(patch))})`;
}

function readThreshold(text: string | null | undefined): Outcome<Atoms | null | undefined> {
  return text === null || text === undefined ? accept(text) : readAtoms(text, QUOTE_ASSET);
}

/** Amounts by asset as they are stored: JSON, in atoms. */
function readAmounts(amounts: ExchangeSettings['approvalAbove'] | undefined): Outcome<string | undefined> {
  if (!amounts) return accept(undefined);
  const stored: Partial<Record<Asset, string>> = {};
  for (const asset of assetSymbols) {
    const text = amounts[asset];
    if (text === undefined) continue;
    const atoms = readAtoms(text, asset);
    if (!atoms.ok) return atoms;
    stored[asset] = atoms.value.toString();
  }
  return accept(JSON.stringify(stored));
}

/** An amount in atoms. Refuses with `precision_exceeded` and `amount_above_maximum`. */
export function readAtoms(text: string, asset: Asset): Outcome<Atoms> {
  const atoms = parseAmount(text, scaleOf(asset));
  if (atoms === undefined) {
    return refuse('precision_exceeded', `An amount of ${asset} has at most ${scaleOf(asset)} decimals.`);
  }
  return atoms > MAX_ATOMS
    ? refuse('amount_above_maximum', `The ledger cannot count so much ${asset}.`)
    : accept(atoms);
}

/** Every pair must be one that exists, every amount one that the ledger can move. */
function checkNetworkAmounts(amounts: NetworkAmounts | undefined): ReturnType<typeof refuse> | undefined {
  for (const asset of assetSymbols) {
    for (const [network, text] of Object.entries(amounts?.[asset] ?? {})) {
      if (!assets[asset].networks.some((listed) => listed.network === network)) {
        return refuse('network_not_supported', `${asset} is not on ${network}.`);
      }
      const atoms = readAtoms(text, asset);
      if (!atoms.ok) return atoms;
    }
  }
  return undefined;
}

/** A fallback price is one that a market could have. */
function checkFallbackPrices(prices: ChangeSettings['fallbackPrices']): ReturnType<typeof refuse> | undefined {
  for (const [coin, text] of Object.entries(prices ?? {})) {
    if (text === null) continue;
    const scaled = parseAmount(text, PRICE_SCALE);
    if (scaled === undefined) return refuse('precision_exceeded', `A price has at most ${PRICE_SCALE} decimals.`);
    if (scaled === 0n) return refuse('amount_below_minimum', `The price of ${coin} is not above zero.`);
    if (parsePrice(text) === undefined)
      return refuse('amount_above_maximum', `No market of ${coin} is at such a price.`);
  }
  return undefined;
}
