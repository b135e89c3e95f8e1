import { sql } from 'drizzle-orm';
import type { Atoms } from '../money/amounts.ts';
import { type Asset, QUOTE_ASSET } from '../money/assets.ts';
import type { Database } from './database.ts';
import { columnsOf } from './schema/columns.ts';
import { balances } from './schema/journal.ts';
import { house } from './transfers.ts';

/** What one of the house's accounts has of an asset, and how far it may fall. */
interface Position {
  readonly amount: Atoms;
  readonly floor: Atoms;
  /** Of the inventory: what its owner brought in. */
  readonly capital: Atoms;
}

const NO_POSITION: Position = { amount: 0n, floor: 0n, capital: 0n };

/** By owner and asset. */
export type Positions = ReadonlyMap<string, Position>;

/** Reads all balances of the house in one statement, so that they belong together. Throws when D1 fails. */
export async function readPositions(database: Database): Promise<Positions> {
  const isOfHouse = sql`${balances.account} GLOB 'house:*'`;
  const rows = await database.select(columnsOf(balances)).from(balances).where(isOfHouse);
  return new Map(rows.map(({ account, asset, ...position }) => [`${account} ${asset}`, position]));
}

/** The balances of several ledgers added up. Pure. */
export function sumPositions(all: readonly Positions[]): Positions {
  const sums = new Map<string, Position>();
  for (const [name, { amount, floor, capital }] of all.flatMap((positions) => [...positions])) {
    const before = sums.get(name) ?? NO_POSITION;
    sums.set(name, {
      amount: before.amount + amount,
      floor: before.floor + floor,
      capital: before.capital + capital,
    });
  }
  return sums;
}

/** What an owner has of an asset. */
export const positionOf = (positions: Positions, owner: string, asset: Asset) =>
  positions.get(`${owner} ${asset}`) ?? NO_POSITION;

/**
 * What the house bears the risk of in an asset, and what its exposure bounds of that: how short it is, or of a coin how long
 * beyond its capital. Pure.
 */
export function positionIn(positions: Positions, asset: Asset): { readonly position: Atoms; readonly bound: Atoms } {
  const { amount, capital } = positionOf(positions, house.liquidity, asset);
  const position = amount + positionOf(positions, house.hedging, asset).amount - capital;
  return { position, bound: asset !== QUOTE_ASSET && position > -amount ? position : -amount };
}
