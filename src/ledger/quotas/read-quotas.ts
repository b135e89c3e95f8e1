import { and, eq, sql } from 'drizzle-orm';
import type { Asset } from '../../money/assets.ts';
import type { Atoms } from '../../money/amounts.ts';
import type { LedgerBindings } from '../../platform/bindings.ts';
import { type LedgerAnswer, askLedgers } from '../ask-ledgers.ts';
import { openLedger } from '../ledgers.ts';
import type { Database } from '../database.ts';
import { numberLedger } from '../number-ledger.ts';
import { FIRST_LEDGER } from '../record-id.ts';
import { balances, exactly } from '../schema.ts';
import type { house } from '../transfers.ts';

/** The accounts of the house whose floors are limits: the supply cap of custody, the exposure of liquidity. */
export type LimitedAccount = typeof house.custody | typeof house.liquidity;

/** A ledger's part of a limit of the exchange, in atoms. */
export interface Quota {
  readonly quota: Atoms;
  /** How much more can be used: the quota less what is used of it. */
  readonly room: Atoms;
  /** How much of the quota the ledger could give away. */
  readonly spare: Atoms;
  /** Of ledger 0: what all other ledgers have been given; 0 for another. It includes what they have not received yet. */
  readonly given: Atoms;
}

/** Whether more than half of a quota is used. Pure. */
export function isHalfUsed({ quota, room }: Quota): boolean {
  return room < quota && 2n * room < quota;
}

/** By asset. */
export type Quotas = ReadonlyMap<Asset, Quota>;

/** How the sum of what other ledgers were given is read beside a balance, as SQL. */
export const sumOfGiven = sql`(SELECT coalesce(sum(q.amount), 0) FROM quotas AS q
  WHERE q.account = balances.account AND q.asset = balances.asset)`;

/**
 * Reads the quotas of one ledger, of all assets or of one. A database that has not taken its number yet takes it. Throws
 * when D1 fails.
 */
export async function readQuotas(
  database: Database,
  ledger: number,
  account: LimitedAccount,
  now_ms: number,
  asset?: Asset,
): Promise<Quotas> {
  const rows = await database
    .select({
      asset: balances.asset,
      amount: exactly(balances.amount),
      floor: exactly(balances.floor),
      given: sql<string>`CAST(${sumOfGiven} AS TEXT)`,
      number: sql<number>`(SELECT s.ledger FROM settings AS s)`,
    })
    .from(balances)
    .where(and(eq(balances.account, account), asset && eq(balances.asset, asset)));
  if (ledger !== FIRST_LEDGER && rows.some(({ number }) => number === FIRST_LEDGER)) {
    await numberLedger(database, ledger, now_ms);
    return readQuotas(database, ledger, account, now_ms, asset);
  }
  return new Map(
    rows.map(({ asset: name, amount, floor, given }) => {
      const [quota, room] = [-floor, amount - floor];
      return [name, { quota, room, spare: room < quota ? room : quota, given: BigInt(given) }];
    }),
  );
}

/** Reads the quotas of all ledgers. One that does not answer is logged and has no answer. */
export function readAllQuotas(
  bindings: LedgerBindings,
  account: LimitedAccount,
  now_ms: number,
  asset?: Asset,
): Promise<LedgerAnswer<Quotas>[]> {
  return askLedgers(bindings, (database, ledger) => readQuotas(database, ledger, account, now_ms, asset));
}

/** The assets of which a ledger has used more than half of its quota, and the quotas of all ledgers. */
export interface Scarcity {
  readonly scarce: readonly Asset[];
  readonly all: readonly LedgerAnswer<Quotas>[];
}

/**
 * Finds of which assets a ledger has used more than half of its quota. Other ledgers are asked only when there is one.
 * Throws when D1 fails in the ledger itself.
 */
export async function findScarce(
  bindings: LedgerBindings,
  account: LimitedAccount,
  ledger: number,
  now_ms: number,
): Promise<Scarcity> {
  const own = await readQuotas(openLedger(bindings, ledger), ledger, account, now_ms);
  const scarce = [...own].flatMap(([asset, quota]) => (isHalfUsed(quota) ? [asset] : []));
  return { scarce, all: scarce.length === 0 ? [] : await readAllQuotas(bindings, account, now_ms) };
}
