import { z } from 'zod';
import { type Asset, type Coin, assetSymbols, coinSymbols, scaleOf } from '../money/assets.ts';
import { AMOUNT_SYNTAX, type Atoms, parseAmount } from '../money/amounts.ts';
import { type Network, networks } from '../money/networks.ts';
import { CoinTerms } from './coin-terms.ts';
import { type Database, prepareOnce } from './database.ts';
import { columnsOf, settings } from './schema.ts';

/** Amounts that the operator has set, by asset and network, as decimals. They replace those of the asset records. */
export const NetworkAmounts = z.partialRecord(
  z.enum(assetSymbols),
  z.partialRecord(z.enum(networks), z.string().regex(AMOUNT_SYNTAX, 'is not a plain decimal string')),
);

export type NetworkAmounts = Partial<Record<Asset, Partial<Record<Network, string>>>>;

/** The amount in force for an asset on a network, in atoms: the operator's, or else the asset record's, `standard`. */
export function amountInForce(amounts: NetworkAmounts, asset: Asset, network: Network, standard: string): Atoms {
  const atoms = parseAmount(amounts[asset]?.[network] ?? standard, scaleOf(asset));
  if (atoms === undefined) throw new Error(`an amount of ${asset} on ${network} is finer than the ledger`);
  return atoms;
}

/** The same for a smallest amount, which is never less than one atom. */
export function minimumInForce(amounts: NetworkAmounts, asset: Asset, network: Network, standard: string): Atoms {
  const minimum = amountInForce(amounts, asset, network, standard);
  return minimum > 1n ? minimum : 1n;
}

/** Prices in USDT that the operator has set for coins while no source answers, and when (`setAt`, in milliseconds). */
const StoredFallbackPrices = z.partialRecord(z.enum(coinSymbols), z.object({ price: z.string(), setAt: z.number() }));

export type StoredFallbackPrices = z.output<typeof StoredFallbackPrices>;

/** The networks and the assets whose deposits are switched off: no address is offered, and what arrives is credited. */
export const PausedDeposits = z.strictObject({
  networks: z.array(z.enum(networks)),
  assets: z.array(z.enum(assetSymbols)),
});

export type PausedDeposits = z.output<typeof PausedDeposits>;

/** What all holders are told, and from when until when, in ISO 8601. */
export const HolderNotice = z.strictObject({ text: z.string(), from: z.iso.datetime(), until: z.iso.datetime() });

export type HolderNotice = z.output<typeof HolderNotice>;

/** The text of a notice while it is to be shown; else `null`. Pure. */
export function noticeAt(notice: HolderNotice | null, now_ms: number): string | null {
  if (!notice || now_ms < Date.parse(notice.from) || now_ms >= Date.parse(notice.until)) return null;
  return notice.text;
}

/**
 * What the operator sets while the exchange runs. `null` means that the configuration applies, unless a member says
 * more.
 */
export interface Settings {
  readonly tradingHalted: boolean;
  readonly withdrawalsHalted: boolean;
  readonly allowlistMode: 'off' | 'strict' | null;
  readonly pausedNetworks: readonly Network[];
  readonly pausedDeposits: PausedDeposits;
  /** In atoms of USDT. Withdrawals that take the sum of 24 hours above it wait for a review. `null`: none waits. */
  readonly reviewThreshold: Atoms | null;
  readonly fees: NetworkAmounts;
  readonly minimums: NetworkAmounts;
  readonly depositMinimums: NetworkAmounts;
  readonly spreadBps: number | null;
  readonly fallbackPrices: StoredFallbackPrices;
  readonly haltedCoins: readonly Coin[];
  readonly coinTerms: CoinTerms;
  /** No hedge is planned; one that is open is still ended. */
  readonly hedgingHalted: boolean;
  /** In atoms of USDT: the value of a day's hedges, and a day's loss that halts trading. `null`: no bound. */
  readonly dailyHedgeVolume: Atoms | null;
  readonly dailyLoss: Atoms | null;
  /** In atoms of USDT: the most that may be at venues. `null`: the house's own capital. */
  readonly maxAtVenues: Atoms | null;
  readonly notice: HolderNotice | null;
}

/** How long settings may be used after they were read. */
export const SETTINGS_MAX_AGE_MS = 5_000;

const columns = columnsOf(settings);

/** Selects the settings; `parseSettings` parses the result. */
export const selectSettings = prepareOnce((database) => database.select(columns).from(settings).prepare());

/** Parses the result of `selectSettings`. Throws when the row is missing. */
export function parseSettings([row]: Awaited<ReturnType<ReturnType<typeof selectSettings>['all']>>): Settings {
  if (!row) throw new Error('the settings row is missing');
  return {
    ...row,
    pausedNetworks: z.array(z.enum(networks)).parse(JSON.parse(row.pausedNetworks)),
    pausedDeposits: PausedDeposits.parse(JSON.parse(row.pausedDeposits)),
    fees: NetworkAmounts.parse(JSON.parse(row.fees)),
    minimums: NetworkAmounts.parse(JSON.parse(row.minimums)),
    depositMinimums: NetworkAmounts.parse(JSON.parse(row.depositMinimums)),
    fallbackPrices: StoredFallbackPrices.parse(JSON.parse(row.fallbackPrices)),
    haltedCoins: z.array(z.enum(coinSymbols)).parse(JSON.parse(row.haltedCoins)),
    coinTerms: CoinTerms.parse(JSON.parse(row.coinTerms)),
    notice: HolderNotice.nullable().parse(JSON.parse(row.notice)),
  };
}

export type Halts = Pick<Settings, 'tradingHalted' | 'withdrawalsHalted'>;

/** What is halted in any of the given ledgers. Pure. */
export function mergeHalts(all: readonly Halts[]): Halts {
  return {
    tradingHalted: all.some(({ tradingHalted }) => tradingHalted),
    withdrawalsHalted: all.some(({ withdrawalsHalted }) => withdrawalsHalted),
  };
}

/** Reads the settings. Throws when D1 fails or the row is missing. */
export async function readSettings(database: Database): Promise<Settings> {
  return parseSettings(await selectSettings(database).all());
}
