import { type SQL, eq, sql } from 'drizzle-orm';
import type { SQLiteUpdateSetSource } from 'drizzle-orm/sqlite-core';
import { type Outcome, type Refusal, accept, refuse, refusePrecision, refuseUnconfirmed } from '../http/answer.ts';
import { type Actor, insertAudit } from '../db/audit.ts';
import { commit } from '../db/commit.ts';
import { copySettingsToAll, listBrokenLedgers } from '../db/copy-settings.ts';
import { firstLedger, listLedgers } from '../db/database.ts';
import { type GuardRefusals, approvalRefusals, changeUnconfirmed, explain } from '../db/explain.ts';
import { raiseFloors, replaceShares, setLowerFloors } from '../db/shares/keep-shares.ts';
import { type SharesPlan, listUsed, readPlan, readStandings } from '../db/shares/read-shares.ts';
import { type Limit, type Shares, planLimit, sharesOf, withShares } from '../db/shares/shares.ts';
import { settings } from '../db/schema/staff.ts';
import { type NetworkAmounts, readSettings } from '../db/settings.ts';
import { findThinSpreads } from '../dealing/judge-spread.ts';
import { type Asset, QUOTE_ASSET, assetSymbols, assets, scaleOf } from '../money/assets.ts';
import { type Atoms, MAX_ATOMS, PRICE_SCALE, parseAmount, parsePrice } from '../money/amounts.ts';
import type { LedgerBindings } from '../platform/bindings.ts';
import { tryOrLog } from '../platform/log.ts';
import { refuseLedger } from './find-records.ts';
import {
  type ChangeSettings,
  type ExchangeSettings,
  type SettingDefaults,
  floorAccounts,
  readExchangeSettings,
} from './settings.ts';

type Values = SQLiteUpdateSetSource<typeof settings>;

const violationStands = refuse(
  'invalid_state',
  'Reconciliation found an invariant broken. Clear the violation before you lift the halt.',
);

const settingsRefusals: GuardRefusals = { ...approvalRefusals, violation_stands: violationStands };

const notCopied = refuseUnconfirmed(
  'The change is made, and holds in every ledger within a minute. Send it again to have that confirmed.',
);

/**
 * Changes settings of the exchange, all or none, and records who did it, and why if that is said: in ledger 0, and then
 * in the copies of all others. Refuses with `precision_exceeded`, `amount_above_maximum`, `network_not_supported`,
 * `amount_below_minimum` for a spread that this environment does not allow or a price of zero, `invalid_request` for a
 * weight of a ledger that does not exist, `invalid_state` for a cap below what is already owed or short, for lifting a
 * halt while any ledger has a violation that is not cleared and for a spread below what a hedge costs, and
 * `service_unavailable`, also when a copy was not confirmed; the keepers then make it within a minute. Throws when D1
 * cannot be read.
 *
 * A higher limit is given to the ledgers in proportion to their shares, and a lower one is taken from what they do not
 * use.
 */
export async function changeSettings(
  bindings: LedgerBindings,
  { reason, ...change }: ChangeSettings,
  defaults: SettingDefaults,
  actor: Actor,
): Promise<Outcome<ExchangeSettings>> {
  const ledgers = listLedgers(bindings).map(String);
  const unknown = Object.keys(change.openingWeights ?? {}).find((ledger) => !ledgers.includes(ledger));
  if (unknown !== undefined) return refuseLedger(`/openingWeights/${unknown}`);
  const isLift = change.tradingHalted === false || change.withdrawalsHalted === false;
  if (isLift && (await listBrokenLedgers(bindings)).length > 0) return violationStands;
  const checked = checkChange(change, defaults, actor.now_ms);
  if (!checked.ok) return checked;
  const { values, limits } = checked.value;
  const thin = await refuseThinSpread(bindings, change, defaults);
  if (thin) return thin;
  const planned = await planShares(bindings, limits, (own, used, { asset, amount }) => {
    const next = planLimit(own, used, amount);
    return next ? accept(next) : refuseLowered(asset);
  });
  if (!planned.ok) return planned;
  const audit = insertAudit(firstLedger(bindings), actor, 'change_settings', 'settings', {
    ...change,
    ...(reason !== undefined && { because: reason }),
  });
  const refused = await commitSettings(bindings, audit, planned.value, refuseLowered, actor.now_ms, values);
  return refused ?? accept(await readExchangeSettings(bindings, defaults));
}

/** Refuses a change after which the spread of a coin is below what its hedges cost. Throws when D1 fails. */
async function refuseThinSpread(
  bindings: LedgerBindings,
  { spreadBps, coinTerms }: ChangeSettings,
  { trading }: SettingDefaults,
): Promise<Refusal | undefined> {
  if (spreadBps === undefined && coinTerms === undefined) return undefined;
  const standing = await readSettings(firstLedger(bindings));
  const changed = { spreadBps: spreadBps ?? standing.spreadBps, coinTerms: coinTerms ?? standing.coinTerms };
  const thin = findThinSpreads(changed, trading, listLedgers(bindings).length);
  return thin.length === 0
    ? undefined
    : refuse('invalid_state', `Hedges would cost more than clients pay: ${thin.join('; ')}.`);
}

function refuseLowered(asset: string): Refusal {
  return refuse('invalid_state', `More ${asset} is owed or short already than this cap allows.`);
}

/** A limit, of the exchange or of a ledger, and what it becomes, in atoms. */
export interface NewLimit extends Limit {
  readonly amount: Atoms;
}

/** The plan that a change of limits was made by, and the shares after it. */
export interface ChangedShares {
  readonly plan: SharesPlan;
  readonly shares: Shares;
}

/**
 * The shares that follow from new limits; `null` without any. `planOne` gives those of one, from the present shares and
 * what each ledger uses. Refuses as it does, and with `service_unavailable` unless all ledgers answer.
 */
export async function planShares(
  bindings: LedgerBindings,
  limits: readonly NewLimit[],
  planOne: (own: readonly Atoms[], used: readonly Atoms[], limit: NewLimit) => Outcome<readonly Atoms[]>,
): Promise<Outcome<ChangedShares | null>> {
  if (limits.length === 0) return accept(null);
  const [plan, standings] = await Promise.all([readPlan(bindings), readStandings(bindings)]);
  let { shares } = plan;
  for (const limit of limits) {
    const used = listUsed(standings, limit);
    if (!used) return changeUnconfirmed;
    const planned = planOne(sharesOf(plan.shares, limit), used, limit);
    if (!planned.ok) return planned;
    shares = withShares(shares, limit, planned.value);
  }
  return accept({ plan, shares });
}

/**
 * Changes the settings of ledger 0, with its row of the audit, and brings the change to all ledgers. Refuses with what
 * the guards say, with `refuseFloor` where a ledger uses more than a new limit, and with `service_unavailable`.
 */
export async function commitSettings(
  bindings: LedgerBindings,
  audit: ReturnType<typeof insertAudit>,
  changed: ChangedShares | null,
  refuseFloor: (asset: string) => Refusal,
  now_ms: number,
  values: Values = {},
): Promise<Refusal | undefined> {
  const database = firstLedger(bindings);
  const shared = changed ? replaceShares(changed.plan, changed.shares) : { revision: sql`${settings.revision} + 1` };
  const isAlone =
    changed !== null && Object.values(changed.shares['house:custody']).every(({ length }) => length === 1);
  const outcome = await commit(database, [
    audit,
    database
      .update(settings)
      .set({ ...values, ...shared })
      .where(eq(settings.id, 1)),
    ...(changed ? [setLowerFloors(database)] : []),
    ...(isAlone ? [raiseFloors(database)] : []),
  ]);
  if (outcome.kind === 'committed') return copyToLedgers(bindings, now_ms);
  return outcome.kind === 'floor'
    ? refuseFloor(outcome.asset)
    : (explain(outcome, settingsRefusals) ?? changeUnconfirmed);
}

/**
 * Copies a change of ledger 0, of the settings, the shares or the staff, to all other ledgers; `undefined` once each
 * copy is confirmed and each ledger may use its share. Refuses with `service_unavailable` when one was not: its keeper
 * makes it within a minute.
 */
export async function copyToLedgers(bindings: LedgerBindings, now_ms: number): Promise<Refusal | undefined> {
  return tryOrLog('settings_not_copied', {}, notCopied, async () => {
    return (await copySettingsToAll(bindings, now_ms)) ? undefined : notCopied;
  });
}

function checkChange(
  change: ChangeSettings,
  defaults: SettingDefaults,
  now_ms: number,
): Outcome<{ readonly values: Values; readonly limits: readonly NewLimit[] }> {
  // What is not named here is stored as it came.
  const { approvalAbove, fallbackPrices, pausedNetworks, haltedCoins, supplyCaps, exposure, ...rest } = change;
  const { reviewThreshold, dailyHedgeVolume, dailyLoss, maxAtVenues, ...plain } = rest;
  const spreads = [plain, ...Object.values(plain.coinTerms ?? {})].flatMap(({ spreadBps }) => spreadBps ?? []);
  if (spreads.some((spread) => spread < defaults.trading.minSpread_bps)) {
    return refuse('amount_below_minimum', `The spread is at least ${defaults.trading.minSpread_bps} here.`);
  }
  for (const amounts of [plain.fees, plain.minimums, plain.depositMinimums]) {
    const refusal = checkNetworkAmounts(amounts);
    if (refusal) return refusal;
  }
  const bounds = readBounds({ reviewThreshold, dailyHedgeVolume, dailyLoss, maxAtVenues });
  if (!bounds.ok) return bounds;
  for (const { maxNotional, hedging } of Object.values(plain.coinTerms ?? {})) {
    const terms = readBounds({ maxNotional, outer: hedging?.outer, inner: hedging?.inner, most: hedging?.maxHedge });
    if (!terms.ok) return terms;
  }
  const fallback = checkFallbackPrices(fallbackPrices);
  if (fallback) return fallback;
  const limits = readLimits({ supplyCaps, exposure });
  if (!limits.ok) return limits;
  const above = readAmounts(approvalAbove);
  if (!above.ok) return above;
  const stored = {
    ...plain,
    pausedNetworks: pausedNetworks && [...new Set(pausedNetworks)],
    haltedCoins: haltedCoins && [...new Set(haltedCoins)],
  };
  const values = Object.entries(stored).map(([name, value]) => {
    return [name, typeof value === 'object' ? JSON.stringify(value) : value] as const;
  });
  return accept({
    values: {
      ...(Object.fromEntries(values) as Values),
      ...bounds.value,
      ...(approvalAbove && {
        approvalAbove: JSON.stringify(Object.fromEntries(above.value.map(([asset, atoms]) => [asset, String(atoms)]))),
      }),
      ...(fallbackPrices && { fallbackPrices: patchFallbacks(fallbackPrices, now_ms) }),
    },
    limits: limits.value,
  });
}

/**
 * Merges the change into the stored value in the database, so that two changes at once do not lose each other's coins
 * (RFC 7396).
 */
function patchFallbacks(change: NonNullable<ChangeSettings['fallbackPrices']>, now_ms: number): SQL {
  const patch = Object.entries(change).map(([coin, price]) => [coin, price && { price, setAt: now_ms }]);
  return sql`json_patch(${settings.fallbackPrices}, ${JSON.stringify(Object.fromEntries(patch))})`;
}

/** The limits that a change names. Refuses as `readAtoms` does. */
export function readLimits(
  change: Readonly<Record<keyof typeof floorAccounts, ExchangeSettings['exposure'] | undefined>>,
): Outcome<NewLimit[]> {
  const [caps, exposures] = [readAmounts(change.supplyCaps), readAmounts(change.exposure)];
  if (!caps.ok) return caps;
  if (!exposures.ok) return exposures;
  return accept([
    ...caps.value.map(([asset, amount]) => ({ account: floorAccounts.supplyCaps, asset, amount })),
    ...exposures.value.map(([asset, amount]) => ({ account: floorAccounts.exposure, asset, amount })),
  ]);
}

/** Amounts by asset in atoms, in the order of the assets. Refuses as `readAtoms` does. */
function readAmounts(amounts: Partial<Record<Asset, string>> = {}): Outcome<(readonly [Asset, Atoms])[]> {
  const read: (readonly [Asset, Atoms])[] = [];
  for (const asset of assetSymbols) {
    const text = amounts[asset];
    if (text === undefined) continue;
    const atoms = readAtoms(text, asset);
    if (!atoms.ok) return atoms;
    read.push([asset, atoms.value]);
  }
  return accept(read);
}

/** Amounts of USDT in atoms; what is absent or null stays so. Refuses as `readAtoms` does. */
function readBounds<Name extends string>(
  bounds: Readonly<Record<Name, string | null | undefined>>,
): Outcome<Record<Name, Atoms | null | undefined>> {
  const read: Partial<Record<Name, Atoms | null | undefined>> = {};
  for (const [name, text] of Object.entries<string | null | undefined>(bounds)) {
    const atoms = text == null ? accept(text) : readAtoms(text, QUOTE_ASSET);
    if (!atoms.ok) return atoms;
    read[name as Name] = atoms.value;
  }
  return accept(read as Record<Name, Atoms | null | undefined>);
}

/** An amount in atoms. Refuses with `precision_exceeded` and `amount_above_maximum`. */
function readAtoms(text: string, asset: Asset): Outcome<Atoms> {
  const atoms = parseAmount(text, scaleOf(asset));
  if (atoms === undefined) return refusePrecision(asset);
  return atoms > MAX_ATOMS
    ? refuse('amount_above_maximum', `The ledger cannot count so much ${asset}.`)
    : accept(atoms);
}

/** Every pair must be one that exists, every amount one that the ledger can move. */
function checkNetworkAmounts(amounts: NetworkAmounts | undefined): Refusal | undefined {
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
function checkFallbackPrices(prices: ChangeSettings['fallbackPrices']): Refusal | undefined {
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
