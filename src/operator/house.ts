import { z } from '@hono/zod-openapi';
import { Decimal, SignedDecimal, Timestamp } from '../http/wire-types.ts';
import type { LedgerAnswer } from '../db/ask-ledgers.ts';
import { type CustodyStanding, isSilent } from '../db/custody-standing.ts';
import { dayOf } from '../reconciliation/day-sums.ts';
import type { ProfitOfDay } from '../reconciliation/profit-of-day.ts';
import type { PositionOfDay } from '../reconciliation/position-of-day.ts';
import { type Positions, positionIn, positionOf, sumPositions } from '../db/positions.ts';
import { type CoinTerms, usdtAtoms } from '../db/coin-terms.ts';
import { VENUE_PREFIX, house } from '../db/transfers.ts';
import { firmPrice } from '../markets/firm-price.ts';
import type { MarketSnapshot } from '../markets/snapshot.ts';
import { type Asset, QUOTE_ASSET, assetSymbols, coinSymbols, scaleOf, toUsdt, showUsdt } from '../money/assets.ts';
import { type Atoms, formatAmount, type Price, formatPrice } from '../money/amounts.ts';

/** Decimals of a share. */
const SHARE_SCALE = 4;

const Share = Decimal.nullable().openapi({
  description: 'As a fraction, rounded up; null where the limit is 0',
  example: '0.1234',
});

const Cover = Decimal.nullable().openapi({
  description:
    'How much of what is owed to clients and in flight custody has by the ledger, rounded down; null where nothing is owed',
  example: '0.9821',
});

const UsdValue = SignedDecimal.nullable().openapi({
  description: 'At the firm price, in USDT; null while there is none',
  example: '-6500',
});

const HouseAsset = z.object({
  asset: z.string().openapi({ example: 'BTC' }),
  owedToClients: SignedDecimal.openapi({ description: 'The sum of all clients’ balances', example: '12.5' }),
  inFlight: SignedDecimal.openapi({
    description: 'Taken for withdrawals that have not ended',
    example: '0.5',
  }),
  inTransit: SignedDecimal.openapi({
    description: 'Gone to other ledgers less what came from them; over all ledgers zero, but for what is on its way',
    example: '0',
  }),
  feesEarned: SignedDecimal.openapi({ description: 'Withdrawal fees so far', example: '0.02' }),
  inventory: SignedDecimal.openapi({
    description: 'What orders fill from; below zero the house is short',
    example: '-0.1',
  }),
  inventoryUsdValue: UsdValue,
  capital: SignedDecimal.openapi({ description: 'What the owner brought in less what was taken out', example: '2' }),
  position: SignedDecimal.openapi({
    description: 'Inventory and what hedges have set aside, less the capital: what the house bears the risk of',
    example: '-2.1',
  }),
  positionUsdValue: UsdValue,
  band: z
    .object({
      venue: z.string().openapi({ example: 'binance' }),
      outer: Decimal.openapi({ description: 'A position beyond it is hedged at once', example: '5000' }),
      inner: Decimal.openapi({ description: 'Each hedge goes back to it', example: '2500' }),
    })
    .nullable()
    .openapi({ description: 'In USDT, of all ledgers together; null where the position is not hedged' }),
  hedging: SignedDecimal.openapi({ description: 'What open hedges may still spend', example: '0' }),
  atVenues: SignedDecimal.openapi({ description: 'What the house has at venues, by the ledger', example: '0.4' }),
  exposure: SignedDecimal.openapi({
    description: 'The most that the house may be short, or long beyond its capital',
    example: '20',
  }),
  exposureUsed: Share,
  custodyShouldHold: SignedDecimal.openapi({
    description:
      'What custody has received less what it has paid, by the ledger: all that is owed, in flight and the house’s own, less what is at venues',
    example: '12.92',
  }),
  coveredByCustody: Cover,
  coveredWithVenues: Cover.openapi({
    description: 'The same of custody and venues together: coins at a venue bear the venue’s risk',
    example: '1.0212',
  }),
  custodyHolds: Decimal.nullable().openapi({
    description: 'What the custodian says that it holds, on all networks; null while it is not known of one of them',
    example: '12.93',
  }),
  custodyCovers: z.enum(['covered', 'shortfall', 'unknown']).openapi({
    description: 'Whether it held at least what it should when it was last asked. unknown is no shortfall',
    example: 'covered',
  }),
  supplyCap: SignedDecimal.openapi({
    description: 'The most that custody may hold for the exchange',
    example: '10000',
  }),
  supplyCapUsed: Share,
  price: Decimal.nullable().openapi({
    description: 'The firm price in USDT; null while there is none',
    example: '65000',
  }),
});

const LedgerAsset = HouseAsset.omit({
  inventoryUsdValue: true,
  positionUsdValue: true,
  band: true,
  custodyHolds: true,
  custodyCovers: true,
  price: true,
});

type LedgerAsset = z.output<typeof LedgerAsset>;

/** What the orders of a coin earned on a day. */
const SpreadEarned = z.object({
  day: z.iso.date().openapi({ description: 'In UTC', example: '2026-11-21' }),
  coin: z.string().openapi({ example: 'BTC' }),
  orders: z.number().int().openapi({ example: 120 }),
  usdt: SignedDecimal.openapi({ description: 'In USDT', example: '31.25' }),
});

const DayPositions = z.object({
  day: z.iso.date().openapi({ description: 'In UTC', example: '2026-11-21' }),
  usdValue: Decimal.nullable().openapi({
    description: 'What all positions were worth, long and short ones alike; null while a price was missing',
    example: '6500',
  }),
  coins: z.array(
    z.object({
      coin: z.enum(coinSymbols).openapi({ example: 'BTC' }),
      position: SignedDecimal.openapi({ description: 'In the coin; below zero the house was short', example: '-0.1' }),
      usdValue: UsdValue.openapi({ description: 'At the last price known on that day; null when there was none' }),
    }),
  ),
});

/** The position of the house. */
export const House = z
  .object({
    ts: Timestamp,
    inventoryUsdValue: UsdValue.openapi({
      description: 'Of all assets; null while one that is held has no firm price',
    }),
    custodyAnsweredAt: Timestamp.nullable().openapi({
      description: 'When the custodian last said what it holds; null for one that answers without saying so',
    }),
    assets: z.array(HouseAsset).openapi({ description: 'Over all ledgers that answered' }),
    ledgers: z
      .array(
        z.object({
          ledger: z.number().int().openapi({ description: 'Its number', example: 0 }),
          assets: z.array(LedgerAsset).nullable().openapi({
            description: 'null when the ledger did not answer: then the figures of the whole are without it',
          }),
        }),
      )
      .openapi({ description: 'The position in each ledger' }),
    spreadEarned: z.array(SpreadEarned).nullable().openapi({
      description:
        'What clients paid more, or got less, than the market’s middle price, by day and coin, of the last 31 days, newest first. Each order’s is rounded down to an atom. Counted every minute; null while it is not known',
    }),
    positionsByDay: z.array(DayPositions).nullable().openapi({
      description:
        'What the house had of each coin beyond its capital at the end of each of the last 31 days, newest first, of which the first is as of now. Counted every minute; null while it is not known',
    }),
  })
  .openapi('House');

export type House = z.output<typeof House>;

/** As many days are shown, today among them. */
const DAYS_SHOWN = 31;
const DAY_MS = 86_400_000;

/** The first day whose spread is shown, and whose profit is unless another is asked for. */
export function firstDayShown(now_ms: number): string {
  return dayOf(now_ms - (DAYS_SHOWN - 1) * DAY_MS);
}

/** The value of an amount that may be below zero; `null` without a firm price. Rounded towards zero. */
function valueOf(asset: Asset, amount: Atoms, price: Price | undefined): Atoms | null {
  if (asset === QUOTE_ASSET || amount === 0n) return amount;
  if (price === undefined) return null;
  const value = toUsdt(asset, amount < 0n ? -amount : amount, price, 'down');
  return amount < 0n ? -value : value;
}

const SHARE_UNIT = 10n ** BigInt(SHARE_SCALE);

/** How much of a limit is used, rounded up; `null` of a limit of nothing. */
export function shareOf(used: Atoms, limit: Atoms): string | null {
  if (limit === 0n) return null;
  return formatAmount(used <= 0n ? 0n : (used * SHARE_UNIT + limit - 1n) / limit, SHARE_SCALE);
}

/** How much of what is owed is there. */
function coverOf(held: Atoms, owed: Atoms): string | null {
  return owed <= 0n ? null : formatAmount(held <= 0n ? 0n : (held * SHARE_UNIT) / owed, SHARE_SCALE);
}

/** A bound of the terms, as every amount is shown. */
const showBound = (text: string) => showUsdt(usdtAtoms(text));

const sumAtVenues = (positions: Positions, asset: Asset) =>
  -[...positions]
    .filter(([name]) => name.startsWith(VENUE_PREFIX) && name.endsWith(` ${asset}`))
    .reduce((sum, [, { amount }]) => sum + amount, 0n);

/**
 * The position in an asset by the house's own balances. All balances of an asset add up to nothing, so that what is owed
 * to clients is what the house's own accounts lack: it takes no look at any client. Pure.
 */
function showPosition(positions: Positions, asset: Asset): LedgerAsset {
  const show = (amount: Atoms) => formatAmount(amount, scaleOf(asset));
  const of = (owner: string) => positionOf(positions, owner, asset);
  const [custody, liquidity] = [of(house.custody), of(house.liquidity)];
  const [payouts, fees] = [of(house.payouts).amount, of(house.fees).amount];
  const [transit, hedging] = [of(house.transit).amount, of(house.hedging).amount];
  const atVenues = sumAtVenues(positions, asset);
  const { position, bound } = positionIn(positions, asset);
  const owed = -(custody.amount + liquidity.amount + payouts + fees + transit + hedging - atVenues);
  return {
    asset,
    owedToClients: show(owed),
    inFlight: show(payouts),
    inTransit: show(transit),
    feesEarned: show(fees),
    inventory: show(liquidity.amount),
    capital: show(liquidity.capital),
    position: show(position),
    hedging: show(hedging),
    atVenues: show(atVenues),
    exposure: show(-liquidity.floor),
    exposureUsed: shareOf(bound, -liquidity.floor),
    custodyShouldHold: show(-custody.amount),
    coveredByCustody: coverOf(-custody.amount, owed + payouts),
    coveredWithVenues: coverOf(atVenues - custody.amount, owed + payouts),
    supplyCap: show(-custody.floor),
    supplyCapUsed: shareOf(-custody.amount, -custody.floor),
  };
}

/**
 * The value of what is at venues in all ledgers, with `sent` of an asset more, and of the house's capital, in atoms of USDT;
 * `null` without a firm price of something. Pure.
 */
export function valueHouse(
  answers: readonly LedgerAnswer<Positions>[],
  snapshot: MarketSnapshot | undefined,
  { asset: moved, sent, isCapital }: { readonly asset: Asset; readonly sent: Atoms; readonly isCapital: boolean },
  now_ms: number,
): { readonly atVenues: Atoms; readonly capital: Atoms } | null {
  const positions = sumPositions(answers.flatMap(({ answer }) => (answer ? [answer] : [])));
  let [atVenues, capital] = [0n, 0n];
  for (const asset of assetSymbols) {
    const price = asset === QUOTE_ASSET ? undefined : snapshot && firmPrice(snapshot, asset, now_ms);
    const there = sumAtVenues(positions, asset) + (asset === moved ? sent : 0n);
    const own = positionOf(positions, house.liquidity, asset).capital + (asset === moved && isCapital ? sent : 0n);
    const [held, owned] = [there, own].map((amount) => valueOf(asset, amount, price?.price));
    if (held == null || owned == null) return null;
    atVenues += held;
    capital += owned;
  }
  return { atVenues, capital };
}

/** What the position of the house is described by. */
export interface HouseFacts {
  readonly answers: readonly LedgerAnswer<Positions>[];
  readonly snapshot: MarketSnapshot | undefined;
  readonly custodian: CustodyStanding | undefined;
  readonly profit: readonly ProfitOfDay[] | undefined;
  /** `undefined` when a keeper does not answer; left out where nobody asks for the days. */
  readonly positions?: readonly PositionOfDay[] | undefined;
  readonly coinTerms: CoinTerms;
  readonly now_ms: number;
}

/** The position of the house by what each ledger answered: over all that did, and in each. Pure. */
export function describeHouse(facts: HouseFacts): House {
  const { answers, snapshot, custodian, profit, coinTerms, now_ms } = facts;
  const isReported = Object.values(custodian?.assets ?? {}).some(({ held }) => held !== null);
  const answeredAt = isReported ? (custodian?.answeredAt ?? null) : null;
  const standingOf = (asset: Asset) =>
    custodian && isSilent(custodian, now_ms) ? undefined : custodian?.assets[asset];
  const positions = sumPositions(answers.flatMap(({ answer }) => (answer ? [answer] : [])));
  const shown = assetSymbols.map((asset) => {
    const price = asset === QUOTE_ASSET ? undefined : snapshot && firmPrice(snapshot, asset, now_ms);
    const { amount } = positionOf(positions, house.liquidity, asset);
    const { position } = positionIn(positions, asset);
    const [value = null, valueBeyond = null] = [amount, position].map((atoms) => valueOf(asset, atoms, price?.price));
    const hedging = asset === QUOTE_ASSET ? undefined : coinTerms[asset]?.hedging;
    return {
      value,
      shown: {
        ...showPosition(positions, asset),
        inventoryUsdValue: showUsdt(value),
        positionUsdValue: showUsdt(valueBeyond),
        band: hedging
          ? { venue: hedging.venue, outer: showBound(hedging.outer), inner: showBound(hedging.inner) }
          : null,
        custodyHolds: standingOf(asset)?.held ?? null,
        custodyCovers: standingOf(asset)?.cover ?? 'unknown',
        price: asset === QUOTE_ASSET ? '1' : price ? formatPrice(price.price) : null,
      },
    };
  });
  return {
    ts: new Date(now_ms).toISOString(),
    inventoryUsdValue: showUsdt(sumKnown(shown.map(({ value }) => value))),
    custodyAnsweredAt: answeredAt === null ? null : new Date(answeredAt).toISOString(),
    assets: shown.map((one) => one.shown),
    ledgers: answers.map(({ ledger, answer }) => ({
      ledger,
      assets: answer ? assetSymbols.map((asset) => showPosition(answer, asset)) : null,
    })),
    spreadEarned:
      profit
        ?.filter(({ orders }) => orders > 0)
        .map(({ day, coin, orders, spread }) => ({ day, coin, orders, usdt: showUsdt(BigInt(spread)) })) ?? null,
    positionsByDay: facts.positions ? showDays(facts.positions, now_ms) : null,
  };
}

/** The sum of values; `null` where one is not known. */
function sumKnown(values: readonly (Atoms | null)[]): Atoms | null {
  return values.reduce((sum, value) => (sum === null || value === null ? null : sum + value), 0n);
}

/** The positions of each day shown, of which some may have none. Pure. */
function showDays(positions: readonly PositionOfDay[], now_ms: number): NonNullable<House['positionsByDay']> {
  return Array.from({ length: DAYS_SHOWN }, (_, place) => dayOf(now_ms - place * DAY_MS)).map((day) => {
    const coins = positions.filter((one) => one.day === day);
    const values = coins.map(({ value }) => (value === null ? null : BigInt(value)));
    return {
      day,
      usdValue: showUsdt(sumKnown(values.map((value) => (value !== null && value < 0n ? -value : value)))),
      coins: coins.map(({ coin, position, value }) => ({
        coin,
        position: formatAmount(BigInt(position), scaleOf(coin)),
        usdValue: showUsdt(value === null ? null : BigInt(value)),
      })),
    };
  });
}
