import { z } from '@hono/zod-openapi';
import { and, desc, eq, lt, sql } from 'drizzle-orm';
import { type Outcome, accept, refuse, refuseUnconfirmed } from '../http/answer.ts';
import { Amount, Decimal, Id, Reason, SignedDecimal, Timestamp, showTime } from '../http/wire-types.ts';
import { type Actor, insertAudit } from '../db/audit.ts';
import type { Database } from '../db/database.ts';
import { approvalRefusals, commitOrRefuse } from '../db/explain.ts';
import { ledgerNumberOf, timeOfRecord, timestampOfRecord } from '../db/record-id.ts';
import { columnsOf, hedges } from '../db/schema.ts';
import { VENUE_PREFIX, nextTransfer } from '../db/transfers.ts';
import { PRICE_SCALE, divideDown, formatAmount, formatPrice } from '../money/amounts.ts';
import { QUOTE_ASSET, assetSymbols, coinSymbols, scaleOf, toUsdt, showUsdt } from '../money/assets.ts';
import { readEnd } from './hedge-book.ts';

/** An order for a venue, and what came of it. */
export const Hedge = z
  .object({
    id: Id,
    ts: Timestamp,
    ledger: z.number().int().openapi({ description: 'The ledger whose position it covers', example: 0 }),
    venue: z.string().openapi({ example: 'binance' }),
    coin: z.enum(coinSymbols).openapi({ example: 'BTC' }),
    side: z.enum(['BUY', 'SELL']),
    status: z.enum(['OPEN', 'DEALT', 'NEVER']),
    amount: Decimal.openapi({ description: 'What was ordered, in the coin', example: '0.05' }),
    limitPrice: Decimal.openapi({ description: 'In USDT for a whole coin', example: '65195.5' }),
    middlePrice: Decimal.openapi({ description: 'The market’s middle when it was planned', example: '65000' }),
    setAside: Decimal.openapi({ description: 'What it may spend', example: '3266.3' }),
    setAsideAsset: z.enum(assetSymbols).openapi({ example: 'USDT' }),
    sendBy: Timestamp.openapi({ description: 'The dealer sends nothing after it' }),
    openSeconds: z
      .number()
      .int()
      .nullable()
      .openapi({ description: 'How long it has been open; null once it has ended', example: null }),
    dealtAmount: Decimal.nullable().openapi({ description: 'In the coin, without the fee', example: '0.04' }),
    dealtUsdt: Decimal.nullable().openapi({ description: 'The sum, without the fee', example: '2607.28' }),
    dealtPrice: Decimal.nullable().openapi({ description: 'In USDT for a whole coin, rounded down', example: '65182' }),
    gain: SignedDecimal.nullable().openapi({
      description: 'In USDT, against the middle price and without the fee: a cost is below zero',
      example: '-7.28',
    }),
    fee: z
      .object({ asset: z.enum(assetSymbols).openapi({ example: 'USDT' }), amount: Decimal.openapi({ example: '2.6' }) })
      .nullable(),
    venueReference: z.string().nullable().openapi({ description: 'The venue’s own id of the order', example: '28' }),
    reason: z.string().nullable().openapi({ description: 'Why it is NEVER', example: null }),
    endedAt: Timestamp.nullable(),
  })
  .openapi('Hedge');

export type Hedge = z.output<typeof Hedge>;

export type HedgeRow = typeof hedges.$inferSelect;

/** Shows a hedge as of `now_ms`. Pure. */
export function showHedge(row: HedgeRow, now_ms: number): Hedge {
  const { id, coin, side, status, feeAsset, dealtCoin, dealtUsdt, middlePrice } = row;
  const gives = side === 'BUY' ? QUOTE_ASSET : coin;
  const isDealt = status === 'DEALT';
  const worth = toUsdt(coin, dealtCoin, middlePrice, side === 'BUY' ? 'down' : 'up');
  const unit = 10n ** BigInt(scaleOf(coin) + PRICE_SCALE - scaleOf(QUOTE_ASSET));
  return {
    id,
    ts: timestampOfRecord(id),
    ledger: ledgerNumberOf(id),
    venue: row.accountId.slice(VENUE_PREFIX.length),
    coin,
    side,
    status,
    amount: formatAmount(row.coinAmount, scaleOf(coin)),
    limitPrice: formatPrice(row.limitPrice),
    middlePrice: formatPrice(middlePrice),
    setAside: formatAmount(row.setAside, scaleOf(gives)),
    setAsideAsset: gives,
    sendBy: showTime(row.sendBy),
    openSeconds: status === 'OPEN' ? Math.max(0, Math.floor((now_ms - timeOfRecord(id)) / 1_000)) : null,
    dealtAmount: isDealt ? formatAmount(dealtCoin, scaleOf(coin)) : null,
    dealtUsdt: isDealt ? showUsdt(dealtUsdt) : null,
    dealtPrice: isDealt ? formatPrice(divideDown(dealtUsdt * unit, dealtCoin)) : null,
    gain: isDealt ? showUsdt(side === 'BUY' ? worth - dealtUsdt : dealtUsdt - worth) : null,
    fee: feeAsset === null ? null : { asset: feeAsset, amount: formatAmount(row.fee, scaleOf(feeAsset)) },
    venueReference: row.venueReference,
    reason: row.reason,
    endedAt: showTime(row.endedAt),
  };
}

/** Which hedges a list has. */
export interface HedgeFilter {
  readonly coin?: HedgeRow['coin'] | undefined;
  readonly status?: HedgeRow['status'] | undefined;
  readonly venue?: string | undefined;
}

/** At most `limit` hedges older than the id `behind`, newest first. Throws when D1 fails. */
export function listHedges(
  database: Database,
  { coin, status, venue }: HedgeFilter,
  behind: string | null,
  limit: number,
): Promise<HedgeRow[]> {
  const fits = and(
    coin && eq(hedges.coin, coin),
    // As a literal: the index of open hedges serves no bound value.
    status && sql`${hedges.status} = ${sql.raw(`'${status}'`)}`,
    venue === undefined ? undefined : eq(hedges.accountId, VENUE_PREFIX + venue),
    behind === null ? undefined : lt(hedges.id, behind),
  );
  return database.select(columnsOf(hedges)).from(hedges).where(fits).orderBy(desc(hedges.id)).limit(limit);
}

/** The open hedges of a ledger, of which each coin has one at most. Throws when D1 fails. */
export const listOpenHedges = (database: Database) =>
  listHedges(database, { status: 'OPEN' }, null, coinSymbols.length);

/** One hedge, or `undefined`. Throws when D1 fails. */
export async function readHedge(database: Database, id: string): Promise<HedgeRow | undefined> {
  const [row] = await database.select(columnsOf(hedges)).from(hedges).where(eq(hedges.id, id));
  return row;
}

/** The body of POST /operator/v1/hedges/{id}/settle. */
export const SettleHedge = z
  .discriminatedUnion('outcome', [
    z.strictObject({
      outcome: z.literal('dealt'),
      amount: Amount.openapi({ description: 'In the coin, without the fee', example: '0.04' }),
      usdt: Amount.openapi({ description: 'The sum, without the fee', example: '2607.28' }),
      fee: z
        .strictObject({
          asset: z.enum(assetSymbols).openapi({ example: 'USDT' }),
          amount: Amount.openapi({ example: '2.6' }),
        })
        .nullable()
        .openapi({ description: 'What the venue took beside them' }),
      venueReference: z
        .string()
        .min(1)
        .max(128)
        .openapi({ description: 'The venue’s own id of the order', example: '28' }),
      reason: Reason,
    }),
    z.strictObject({ outcome: z.literal('never'), reason: Reason }),
  ])
  .openapi('SettleHedge');

export type SettleHedge = z.output<typeof SettleHedge>;

/** How long after `sendBy` only the dealer ends a hedge: it is longer than any venue's lateness. */
const SETTLE_AFTER_MS = 5 * 60_000;

const unconfirmed = refuseUnconfirmed('The settlement was not confirmed. Send it again.');
const ended = refuse('invalid_state', 'The hedge has ended.');

/**
 * Ends a hedge that the dealer does not end, as dealt or as never: two people agree on it. Refuses with `invalid_state`
 * for one that has ended or that the dealer may still send, and for what cannot have been dealt. Throws when D1 fails.
 */
export async function settleHedge(
  database: Database,
  row: HedgeRow,
  wanted: SettleHedge,
  actor: Actor,
): Promise<Outcome<HedgeRow>> {
  if (row.status !== 'OPEN') return ended;
  if (actor.now_ms < row.sendBy + SETTLE_AFTER_MS) {
    return refuse('invalid_state', 'The dealer may still end it. Wait until five minutes after `sendBy`.');
  }
  const end = readSettlement(row, wanted);
  if (typeof end === 'string') return refuse('invalid_state', `That cannot be what the venue did: ${end}.`);
  const { reason, ...outcome } = wanted;
  const written = { ...end, endedAt: actor.now_ms, endedTransfer: nextTransfer() };
  const changes = [
    insertAudit(database, actor, 'end_hedge', row.id, { ...outcome, because: reason }),
    database.update(hedges).set(written).where(eq(hedges.id, row.id)),
  ] as const;
  const refused = await commitOrRefuse(database, changes, { ...approvalRefusals, hedge_ended: ended }, unconfirmed);
  return refused ?? accept((await readHedge(database, row.id)) ?? row);
}

/** What a settlement writes into the hedge's row, or why that cannot be. */
function readSettlement(row: HedgeRow, wanted: SettleHedge): Partial<HedgeRow> | string {
  if (wanted.outcome === 'never') return { status: 'NEVER', reason: `by_hand: ${wanted.reason}` };
  const { amount, usdt, fee, venueReference } = wanted;
  const hedge = { ...row, venue: '', sendBy_ms: row.sendBy };
  const end = readEnd(hedge, { kind: 'dealt', amount, cost: usdt, fee, reference: venueReference });
  if (typeof end === 'string') return end;
  const { coin, usdt: spent, fee: paid } = end;
  const isFree = !paid || paid.amount === 0n;
  return {
    status: 'DEALT',
    dealtCoin: coin,
    dealtUsdt: spent,
    feeAsset: isFree ? null : paid.asset,
    fee: isFree ? 0n : paid.amount,
    venueReference,
  };
}
