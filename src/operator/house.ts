import { z } from '@hono/zod-openapi';
import { inArray } from 'drizzle-orm';
import { Decimal, SignedDecimal, Timestamp } from '../http/wire-types.ts';
import type { LedgerAnswer } from '../db/ask-ledgers.ts';
import { type CustodyStanding, isSilent } from '../db/custody-standing.ts';
import type { Database } from '../db/database.ts';
import { balances } from '../db/schema/journal.ts';
import { exactly } from '../db/schema/columns.ts';
import type { SpreadOfDay } from '../reconciliation/spread-sums.ts';
import { house } from '../db/transfers.ts';
import { VALUE_MAX_AGE_MS, firmPrice } from '../markets/firm-price.ts';
import type { MarketSnapshot } from '../markets/snapshot.ts';
import { type Asset, QUOTE_ASSET, assetSymbols, scaleOf, toUsdt } from '../money/assets.ts';
import { type Atoms, formatAmount, type Price, formatPrice } from '../money/amounts.ts';

/** Decimals of a share. */
const SHARE_SCALE = 4;

const Share = Decimal.nullable().openapi({
  description: 'As a fraction, rounded up; null where the limit is 0',
  example: '0.1234',
});

const UsdValue = SignedDecimal.nullable().openapi({
  description: 'At the firm price, in USDT; null while there is none',
  example: '-6500',
});

/** The position of the house in one asset. */
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
  exposure: SignedDecimal.openapi({ description: 'The most that the house may be short', example: '20' }),
  exposureUsed: Share,
  custodyShouldHold: SignedDecimal.openapi({
    description: 'What custody has received less what it has paid, by the ledger: all of the above together',
    example: '12.92',
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

/** The position of the house in one asset in one ledger. */
const LedgerAsset = HouseAsset.omit({ inventoryUsdValue: true, custodyHolds: true, custodyCovers: true, price: true });

type LedgerAsset = z.output<typeof LedgerAsset>;

/** What the orders of a coin earned on a day. */
const SpreadEarned = z.object({
  day: z.iso.date().openapi({ description: 'In UTC', example: '2026-11-21' }),
  coin: z.string().openapi({ example: 'BTC' }),
  orders: z.number().int().openapi({ example: 120 }),
  usdt: SignedDecimal.openapi({ description: 'In USDT', example: '31.25' }),
});

/** The position of the house. */
export const House = z
  .object({
    ts: Timestamp,
    inventoryUsdValue: UsdValue.openapi({
      description: 'Of all assets; null while one that is held has no firm price',
    }),
    custodyAnsweredAt: Timestamp.nullable().openapi({ description: 'When the custodian last said what it holds' }),
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
  })
  .openapi('House');

export type House = z.output<typeof House>;

/** As many days are shown, today among them. */
const DAYS_SHOWN = 31;
const DAY_MS = 86_400_000;

/** The first day whose spread is shown. */
export function firstDayShown(now_ms: number): string {
  return new Date(now_ms - (DAYS_SHOWN - 1) * DAY_MS).toISOString().slice(0, 10);
}

/** What one of the house's accounts has of an asset, and how far it may fall. */
interface Position {
  readonly amount: Atoms;
  readonly floor: Atoms;
}

const owners = Object.values(house);

/** By owner and asset. */
export type Positions = ReadonlyMap<string, Position>;

/** Reads all balances of the house in one statement, so that they belong together. Throws when D1 fails. */
export async function readPositions(database: Database): Promise<Positions> {
  const rows = await database
    .select({
      account: balances.account,
      asset: balances.asset,
      amount: exactly(balances.amount),
      floor: exactly(balances.floor),
    })
    .from(balances)
    .where(inArray(balances.account, owners));
  return new Map(rows.map(({ account, asset, ...position }) => [`${account} ${asset}`, position]));
}

/** The value of an amount that may be below zero; `null` without a firm price. Rounded towards zero. */
function valueOf(asset: Asset, amount: Atoms, price: Price | undefined): Atoms | null {
  if (asset === QUOTE_ASSET || amount === 0n) return amount;
  if (price === undefined) return null;
  const value = toUsdt(asset, amount < 0n ? -amount : amount, price, 'down');
  return amount < 0n ? -value : value;
}

/** How much of a limit is used. Both are positive. */
function shareOf(used: Atoms, limit: Atoms): string | null {
  if (limit === 0n) return null;
  const unit = 10n ** BigInt(SHARE_SCALE);
  return formatAmount(used <= 0n ? 0n : (used * unit + limit - 1n) / limit, SHARE_SCALE);
}

/** The balances of several ledgers added up. Pure. */
function sumPositions(all: readonly Positions[]): Positions {
  const sums = new Map<string, Position>();
  for (const [name, { amount, floor }] of all.flatMap((positions) => [...positions])) {
    const before = sums.get(name) ?? { amount: 0n, floor: 0n };
    sums.set(name, { amount: before.amount + amount, floor: before.floor + floor });
  }
  return sums;
}

const positionOf = (positions: Positions, owner: string, asset: Asset) =>
  positions.get(`${owner} ${asset}`) ?? { amount: 0n, floor: 0n };

/**
 * The position in an asset by the house's own balances. All balances of an asset add up to nothing, so that what is owed
 * to clients is what the house's own accounts lack: it takes no look at any client. Pure.
 */
function showPosition(positions: Positions, asset: Asset): LedgerAsset {
  const show = (amount: Atoms) => formatAmount(amount, scaleOf(asset));
  const of = (owner: string) => positionOf(positions, owner, asset);
  const [custody, liquidity] = [of(house.custody), of(house.liquidity)];
  const [payouts, fees] = [of(house.payouts).amount, of(house.fees).amount];
  const transit = of(house.transit).amount;
  return {
    asset,
    owedToClients: show(-(custody.amount + liquidity.amount + payouts + fees + transit)),
    inFlight: show(payouts),
    inTransit: show(transit),
    feesEarned: show(fees),
    inventory: show(liquidity.amount),
    exposure: show(-liquidity.floor),
    exposureUsed: shareOf(-liquidity.amount, -liquidity.floor),
    custodyShouldHold: show(-custody.amount),
    supplyCap: show(-custody.floor),
    supplyCapUsed: shareOf(-custody.amount, -custody.floor),
  };
}

/** The position of the house by what each ledger answered: over all that did, and in each. Pure. */
export function describeHouse(
  answers: readonly LedgerAnswer<Positions>[],
  snapshot: MarketSnapshot | undefined,
  custodian: CustodyStanding | undefined,
  spread: readonly SpreadOfDay[] | undefined,
  now_ms: number,
): House {
  const answeredAt = custodian?.answeredAt ?? null;
  const coverOf = (asset: Asset) => (custodian && isSilent(custodian, now_ms) ? undefined : custodian?.assets[asset]);
  const positions = sumPositions(answers.flatMap(({ answer }) => (answer ? [answer] : [])));
  const shown = assetSymbols.map((asset) => {
    const price = asset === QUOTE_ASSET ? undefined : snapshot && firmPrice(snapshot, asset, now_ms, VALUE_MAX_AGE_MS);
    const value = valueOf(asset, positionOf(positions, house.liquidity, asset).amount, price?.price);
    return {
      value,
      shown: {
        ...showPosition(positions, asset),
        inventoryUsdValue: value === null ? null : formatAmount(value, scaleOf(QUOTE_ASSET)),
        custodyHolds: coverOf(asset)?.held ?? null,
        custodyCovers: coverOf(asset)?.cover ?? 'unknown',
        price: asset === QUOTE_ASSET ? '1' : price ? formatPrice(price.price) : null,
      },
    };
  });
  const sum = shown.reduce<Atoms | null>(
    (total, { value }) => (total === null || value === null ? null : total + value),
    0n,
  );
  return {
    ts: new Date(now_ms).toISOString(),
    inventoryUsdValue: sum === null ? null : formatAmount(sum, scaleOf(QUOTE_ASSET)),
    custodyAnsweredAt: answeredAt === null ? null : new Date(answeredAt).toISOString(),
    assets: shown.map((one) => one.shown),
    ledgers: answers.map(({ ledger, answer }) => ({
      ledger,
      assets: answer ? assetSymbols.map((asset) => showPosition(answer, asset)) : null,
    })),
    spreadEarned:
      spread?.map(({ day, coin, orders, atoms }) => ({
        day,
        coin,
        orders,
        usdt: formatAmount(BigInt(atoms), scaleOf(QUOTE_ASSET)),
      })) ?? null,
  };
}
