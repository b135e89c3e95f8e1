import { z } from '@hono/zod-openapi';
import { Reason, Timestamp } from '../http/wire-types.ts';
import { type Database, firstLedger } from '../db/database.ts';
import { readPlan } from '../db/shares/read-shares.ts';
import { type Limit, sharesOf, sumOf } from '../db/shares/shares.ts';
import { OpeningWeights, readOpeningWeights } from '../db/opening-weights.ts';
import { settings } from '../db/schema/staff.ts';
import { CoinTerms } from '../db/coin-terms.ts';
import { HolderNotice, NetworkAmounts, PausedDeposits, type Settings, readSettings } from '../db/settings.ts';
import { house } from '../db/transfers.ts';
import { fallbackPrice } from '../markets/fallback-price.ts';
import {
  type Asset,
  type Coin,
  MARKET_PRICES_DATE,
  assetSymbols,
  coinSymbols,
  scaleOf,
  showUsdt,
} from '../money/assets.ts';
import { AMOUNT_SYNTAX, formatAmount, formatPrice } from '../money/amounts.ts';
import { networks } from '../money/networks.ts';
import type { TradingContext } from '../orders/in-force.ts';
import { holderText } from './holder-text.ts';
import type { LedgerBindings } from '../platform/bindings.ts';

const Amount = z.string().regex(AMOUNT_SYNTAX, 'is not a plain decimal string');
/** Amounts by asset, as plain decimals in the asset. */
export const AmountsByAsset = z.partialRecord(z.enum(assetSymbols), Amount);
const AmountsByNetwork = NetworkAmounts.openapi('NetworkAmounts');

const MAX_NOTICE_LENGTH = 500;

const Notice = HolderNotice.extend({
  text: holderText(MAX_NOTICE_LENGTH).openapi({
    description: 'Plain text without a link',
    example: 'On Sunday withdrawals of SOL wait for an hour.',
  }),
  from: z.iso.datetime().openapi({ example: '2026-11-22T00:00:00Z' }),
  until: z.iso.datetime().openapi({ example: '2026-11-22T12:00:00Z' }),
})
  .refine(({ from, until }) => Date.parse(from) < Date.parse(until), { path: ['until'], message: 'is not after from' })
  .openapi('HolderNotice');

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
    exposure: AmountsByAsset.openapi({
      description:
        'The most that the house may be short, and of a coin also the most that orders may leave it with beyond its capital',
      example: { BTC: '10' },
    }),
    haltedCoins: z
      .array(z.enum(coinSymbols))
      .openapi({ description: 'Coins of which no order is filled', example: [] }),
    coinTerms: CoinTerms.openapi({
      description:
        'By coin, what holds instead of the spread and the largest order of all, and how the house’s position of it is hedged',
      example: { BTC: { spreadBps: 30, maxNotional: '20000' } },
    }),
    hedgingHalted: z.boolean().openapi({ description: 'No hedge is planned; one that is open is still ended' }),
    dailyHedgeVolume: Amount.nullable().openapi({
      description: 'The most that is hedged in a day (UTC), in USDT; null: no bound',
      example: '1000000',
    }),
    dailyLoss: Amount.nullable().openapi({
      description: 'The loss of a day (UTC) that halts trading, in USDT; null: none does',
      example: '5000',
    }),
    maxAtVenues: Amount.nullable().openapi({
      description: 'The most that may be at venues, in USDT; null: the house’s own capital',
      example: '100000',
    }),
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
    notice: Notice.nullable().openapi({
      description:
        'What the console shows to all holders, from a time until another; null: nothing. Once there are two admins a new one needs both, and taking one away does not',
    }),
    fallbackPrices: z.partialRecord(z.enum(coinSymbols), z.object({ price: Amount, setAt: Timestamp })).openapi({
      description: 'In USDT, shown while no source answers, with the date; no order fills at them',
      example: { BTC: { price: '65000', setAt: '2026-11-21T00:00:00.000Z' } },
    }),
  })
  .openapi('ExchangeSettings');

export type ExchangeSettings = z.output<typeof ExchangeSettings>;

/**
 * Any part of the settings; the others stay. `pausedDeposits`, `fees`, `minimums`, `depositMinimums`, `approvalAbove`,
 * `haltedCoins`, `coinTerms` and `openingWeights` are replaced whole. Each named fallback price is replaced and gets the
 * present date; `null` restores the default. The reason is none of the settings.
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
    reason: Reason.optional(),
  })
  .strict()
  .openapi('ChangeSettings');

export type ChangeSettings = z.output<typeof ChangeSettings>;

/** The values where the operator has set nothing. */
export interface SettingDefaults {
  readonly allowlistMode: 'off' | 'strict';
  readonly trading: TradingContext;
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
  const capsOf = (account: Limit['account']) =>
    Object.fromEntries(
      assetSymbols.map((asset) => [asset, formatAmount(sumOf(sharesOf(shares, { account, asset })), scaleOf(asset))]),
    );
  return {
    allowlistMode: standing.allowlistMode ?? defaults.allowlistMode,
    tradingHalted: standing.tradingHalted,
    withdrawalsHalted: standing.withdrawalsHalted,
    pausedNetworks: [...standing.pausedNetworks],
    pausedDeposits: standing.pausedDeposits,
    reviewThreshold: showUsdt(standing.reviewThreshold),
    supplyCaps: capsOf(floorAccounts.supplyCaps),
    fees: standing.fees,
    minimums: standing.minimums,
    depositMinimums: standing.depositMinimums,
    spreadBps: standing.spreadBps ?? defaults.trading.spread_bps,
    exposure: capsOf(floorAccounts.exposure),
    approvalAbove,
    openingWeights,
    haltedCoins: [...standing.haltedCoins],
    coinTerms: standing.coinTerms,
    hedgingHalted: standing.hedgingHalted,
    dailyHedgeVolume: showUsdt(standing.dailyHedgeVolume),
    dailyLoss: showUsdt(standing.dailyLoss),
    maxAtVenues: showUsdt(standing.maxAtVenues),
    notice: standing.notice,
    fallbackPrices: Object.fromEntries(coinSymbols.map((coin) => [coin, showFallback(coin, standing)])),
  };
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

function showFallback(coin: Coin, { fallbackPrices }: Settings) {
  const { price, setAt } = fallbackPrices[coin] ?? {
    price: formatPrice(fallbackPrice(coin)),
    setAt: MARKET_PRICES_DATE,
  };
  return { price, setAt: new Date(setAt).toISOString() };
}
