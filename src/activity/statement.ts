import { z } from '@hono/zod-openapi';
import { lte, sql } from 'drizzle-orm';
import { type Outcome, accept, refuse } from '../http/answer.ts';
import { Decimal, Id, SignedDecimal, Timestamp, showTime } from '../http/wire-types.ts';
import type { Database } from '../db/database.ts';
import { writeCsvLine } from '../http/csv.ts';
import { TimeSpan } from '../db/record-list.ts';
import { statements } from '../db/schema.ts';
import { type Asset, QUOTE_ASSET, assetSymbols, scaleOf } from '../money/assets.ts';
import { type Atoms, formatAmount } from '../money/amounts.ts';
import { type Movement, type MovementSpan, readMovements, readSnapshot, sumMovements } from './movements.ts';
import { taxColumns, writeTaxLines } from './tax.ts';

/** An account has one statement in this time. */
const PAUSE_S = 60;

const AssetAmount = z.object({
  asset: z.string().openapi({ description: 'Asset symbol', example: 'USDT' }),
  amount: Decimal.openapi({ example: '1000' }),
});

/** An account's statement: what it held, every movement, and what it holds after them. */
export const Statement = z
  .object({
    from: Timestamp,
    to: Timestamp,
    opening: z.array(AssetAmount).openapi({ description: 'The balance of every asset at `from`' }),
    movements: z.array(
      z.object({
        transfer: z.int().openapi({ description: 'The number of the movement in the ledger', example: 7_312 }),
        ts: Timestamp.openapi({ description: 'When the balance changed' }),
        id: Id.openapi({ description: 'The order, deposit, withdrawal or settlement' }),
        type: z.string().openapi({
          description:
            'As in the activity feed; `ONCHAIN_WITHDRAWAL_RETURNED` and `INTERNAL_WITHDRAWAL_RETURNED` give money back',
          example: 'SPOT_BUY',
        }),
        asset: z.string().openapi({ example: 'USDT' }),
        amount: SignedDecimal.openapi({
          description: 'What the balance gained, or lost where there is a minus',
          example: '-130',
        }),
      }),
    ),
    closing: z.array(AssetAmount).openapi({
      description: 'The balance of every asset at `to`: the opening one and all movements',
    }),
    spread: z
      .array(
        z.object({
          month: z.string().openapi({ description: 'In UTC', example: '2026-11' }),
          usdt: Decimal.openapi({ description: 'The sum of all orders of that month', example: '0.26' }),
        }),
      )
      .openapi({
        description:
          'What the spread of orders cost, by month: what was paid more, or got less, than the amount is worth at `midPrice`. It is part of the movements, and no fee beside them',
      }),
  })
  .openapi('Statement');

export type Statement = z.output<typeof Statement>;

export const StatementQuery = z.strictObject({
  from: TimeSpan.from.unwrap().openapi({
    type: 'string',
    format: 'date-time',
    description: 'The beginning, ISO 8601 in UTC',
    example: '2026-11-01T00:00:00Z',
  }),
  to: TimeSpan.to.openapi({ description: 'The end, which is not included; now unless told' }),
  format: z.enum(['json', 'csv', 'tax']).default('json').openapi({
    description: 'How it is written. `tax` is a CSV of what has ended, with a row for each trade, for tax programs',
  }),
});

/** The formats by the content type of their answers. */
export const statementTypes = { json: 'application/json', csv: 'text/csv', tax: 'text/csv' } as const;

/** Counts a statement. Refuses with `rate_limited` when the account had one a moment ago. Throws when D1 fails. */
export async function countStatement(database: Database, accountId: string, now_ms: number): Promise<Outcome<null>> {
  const counted = await database
    .insert(statements)
    .values({ accountId, madeAt: now_ms })
    .onConflictDoUpdate({
      target: statements.accountId,
      set: { madeAt: sql`excluded.made_at` },
      setWhere: lte(statements.madeAt, now_ms - PAUSE_S * 1_000),
    })
    .returning({ madeAt: statements.madeAt });
  if (counted.length > 0) return accept(null);
  return refuse('rate_limited', 'This account had a statement a moment ago: there is one a minute.', {
    retryAfterSeconds: PAUSE_S,
  });
}

type Balances = ReadonlyMap<Asset, Atoms>;

/** What a statement is written of: everything but the movements, which are read while it is sent. */
export interface StatementPlan {
  readonly database: Database;
  readonly span: MovementSpan;
  readonly to_ms: number;
  readonly opening: Balances;
  readonly closing: Balances;
}

/**
 * Prepares a statement: the closing balance is the present one less what moved since, and the opening one is that less
 * the movements in between. Without an end it is of everything until now, whatever the database's clock says. Throws
 * when D1 fails.
 */
export async function prepareStatement(
  database: Database,
  accountId: string,
  from_ms: number,
  end_ms: number | null,
  now_ms: number,
): Promise<StatementPlan> {
  const to_ms = end_ms ?? now_ms;
  const { balances, begin, end, next } = await readSnapshot(database, accountId, from_ms, to_ms);
  const span = { accountId, from_ms, begin, end: end_ms === null ? next : end };
  const [within, since] = await Promise.all([
    sumMovements(database, span),
    sumMovements(database, { ...span, begin: span.end, end: next }),
  ]);
  const closing = subtract(balances, since);
  return { database, span, to_ms, closing, opening: subtract(closing, within) };
}

function subtract(balances: Balances, gains: Balances): Balances {
  return new Map(assetSymbols.map((asset) => [asset, (balances.get(asset) ?? 0n) - (gains.get(asset) ?? 0n)]));
}

/** Writes a statement piece by piece, so that a long one takes no more memory than a short one. */
export async function* writeStatement(
  prepared: StatementPlan,
  format: keyof typeof statementTypes,
): AsyncGenerator<string, void, undefined> {
  if (format === 'tax') return yield* writeTax(prepared);
  const writer = format === 'csv' ? csv : createJson();
  yield writer.begin(prepared);
  let isFirst = true;
  for await (const movements of readMovements(prepared.database, prepared.span)) {
    if (movements.length === 0) continue;
    yield writer.movements(movements, isFirst);
    isFirst = false;
  }
  yield writer.end(prepared);
}

function listBalances(balances: Balances): Statement['opening'] {
  return [...balances].map(([asset, amount]) => ({ asset, amount: formatAmount(amount, scaleOf(asset)) }));
}

function showMovement({ transfer, time_ms, id, type, asset, amount }: Movement): Statement['movements'][number] {
  return { transfer, ts: showTime(time_ms), id, type, asset, amount: formatAmount(amount, scaleOf(asset)) };
}

/** The rows of what has ended, by the columns that tax programs read. */
async function* writeTax({ database, span }: StatementPlan): AsyncGenerator<string, void, undefined> {
  yield writeCsvLine(taxColumns);
  for await (const lines of writeTaxLines(database, span)) {
    if (lines.length > 0) yield lines.map(writeCsvLine).join('');
  }
}

function addSpread(months: Map<string, Atoms>, movements: readonly Movement[]): void {
  for (const { time_ms, spread } of movements) {
    const month = showTime(time_ms).slice(0, '2026-11'.length);
    if (spread !== undefined) months.set(month, (months.get(month) ?? 0n) + spread);
  }
}

function listMonths(months: ReadonlyMap<string, Atoms>): Statement['spread'] {
  const sorted = [...months].toSorted(([one], [other]) => (one < other ? -1 : 1));
  return sorted.map(([month, usdt]) => ({ month, usdt: formatAmount(usdt, scaleOf(QUOTE_ASSET)) }));
}

const createJson = (months = new Map<string, Atoms>()) => ({
  begin: ({ span, to_ms, opening }: StatementPlan) => {
    const head = JSON.stringify({ from: showTime(span.from_ms), to: showTime(to_ms), opening: listBalances(opening) });
    return `${head.slice(0, -1)},"movements":[`;
  },
  movements: (movements: readonly Movement[], isFirst: boolean) => {
    addSpread(months, movements);
    return (isFirst ? '' : ',') + movements.map((movement) => JSON.stringify(showMovement(movement))).join();
  },
  end: ({ closing }: StatementPlan) => {
    const [balances, spread] = [listBalances(closing), listMonths(months)].map((part) => JSON.stringify(part));
    return `],"closing":${balances},"spread":${spread}}`;
  },
});

const csv = {
  begin: ({ span, opening }: StatementPlan) =>
    writeCsvLine(['ts', 'type', 'asset', 'amount', 'id', 'transfer']) +
    writeBalances(span.from_ms, 'OPENING_BALANCE', opening),
  movements: (movements: readonly Movement[]) =>
    movements
      .map(showMovement)
      .map(({ ts, type, asset, amount, id, transfer }) => writeCsvLine([ts, type, asset, amount, id, transfer]))
      .join(''),
  end: ({ to_ms, closing }: StatementPlan) => writeBalances(to_ms, 'CLOSING_BALANCE', closing),
};

function writeBalances(time_ms: number, type: string, balances: Balances): string {
  return listBalances(balances)
    .map(({ asset, amount }) => writeCsvLine([showTime(time_ms), type, asset, amount, '', '']))
    .join('');
}
