import { z } from '@hono/zod-openapi';
import { writeCsvLine } from '../http/csv.ts';
import { SignedDecimal, Timestamp } from '../http/wire-types.ts';
import { type Outcome, accept, refuseField } from '../http/answer.ts';
import type { LedgerAnswer } from '../db/ask-ledgers.ts';
import { type ProfitOfDay, addParts, mergeProfit, profitParts, sumParts } from '../reconciliation/profit-of-day.ts';
import { firstDayShown } from './house.ts';
import { showUsdt } from '../money/assets.ts';

const MOST_DAYS = 366;
const DAY_MS = 86_400_000;

const Day = z.iso.date().openapi({ description: 'In UTC', example: '2026-11-21' });

export const ProfitQuery = z.strictObject({
  from: Day.optional().openapi({ description: 'The first day, in UTC; unless told there are 31 days' }),
  to: Day.optional().openapi({ description: 'The last day, which is included; today unless told' }),
  format: z.enum(['json', 'csv']).default('json').openapi({ description: 'How it is written' }),
});

const Usdt = SignedDecimal.openapi({ description: 'In USDT, below zero a loss', example: '31.25' });

const Parts = z.object({
  orders: z.number().int().openapi({ description: 'Orders that were filled', example: 120 }),
  spread: Usdt.openapi({
    description:
      'In USDT, what clients paid more, or got less, than the market’s middle price; each order’s rounded down',
  }),
  hedges: Usdt.openapi({
    description:
      'What hedges paid less, or got more, than the middle price when they were planned; a cost is below zero',
    example: '-8.4',
  }),
  fees: Usdt.openapi({ description: 'What venues took of hedges, below zero', example: '-2.6' }),
  settlements: Usdt.openapi({
    description: 'What settlements with the house gained against the middle price',
    example: '0',
  }),
  revaluation: Usdt.openapi({
    description: 'The position times the change of the middle price, with less than 0.000001 an order for rounding',
    example: '-3.1',
  }),
  profit: Usdt.openapi({ description: 'All parts together', example: '17.15' }),
});

/** Profit and loss. */
export const Profit = z
  .object({
    ts: Timestamp,
    from: Day,
    to: Day,
    sum: Parts.openapi({ description: 'Of all days and coins' }),
    days: z
      .array(z.object({ day: Day, coin: z.string().openapi({ example: 'BTC' }), ...Parts.shape }))
      .openapi({ description: 'By day and coin, newest day first, over all ledgers that answered' }),
    ledgers: z
      .array(
        z.object({
          ledger: z.number().int().openapi({ description: 'Its number', example: 0 }),
          profit: Usdt.nullable().openapi({
            description: 'Of all these days; null when the ledger did not answer: then the figures are without it',
          }),
        }),
      )
      .openapi({ description: 'The profit in each ledger' }),
  })
  .openapi('Profit');

export type Profit = z.output<typeof Profit>;

type Answers = readonly LedgerAnswer<readonly ProfitOfDay[]>[];

/** The first and the last day of a query. Refuses more than a year, and an end before the beginning. Pure. */
export function readDays(
  { from, to }: Pick<z.output<typeof ProfitQuery>, 'from' | 'to'>,
  now_ms: number,
): Outcome<{ readonly from: string; readonly to: string }> {
  const last = to ?? new Date(now_ms).toISOString().slice(0, 10);
  const first = from ?? firstDayShown(Date.parse(last));
  const days = (Date.parse(last) - Date.parse(first)) / DAY_MS + 1;
  if (days < 1) return refuseField('from', 'not_valid', 'is after `to`');
  if (days > MOST_DAYS) return refuseField('from', 'not_valid', `is more than ${MOST_DAYS} days before \`to\``);
  return accept({ from: first, to: last });
}

/** Parts and what they add up to, as they are shown. Pure. */
export const showParts = (parts: Parameters<typeof sumParts>[0][number]) => ({
  orders: parts.orders,
  ...(Object.fromEntries(profitParts.map((part) => [part, showUsdt(BigInt(parts[part]))])) as Record<
    (typeof profitParts)[number],
    string
  >),
  profit: showUsdt(sumParts([parts])),
});

/** The profit of some days by what the keeper of each ledger answered. Pure. */
export function describeProfit(
  answers: Answers,
  { from, to }: { readonly from: string; readonly to: string },
  now_ms: number,
): Profit {
  const within = ({ day }: ProfitOfDay) => day >= from && day <= to;
  const days = mergeProfit(answers.flatMap(({ answer }) => answer ?? [])).filter(within);
  return {
    ts: new Date(now_ms).toISOString(),
    from,
    to,
    sum: showParts(addParts(days)),
    days: days.map(({ day, coin, ...parts }) => ({ day, coin, ...showParts(parts) })),
    ledgers: answers.map(({ ledger, answer }) => ({
      ledger,
      profit: answer ? showUsdt(sumParts(answer.filter(within))) : null,
    })),
  };
}

const columns = ['day', 'coin', 'orders', ...profitParts, 'profit'] as const;

/** The same as CSV (RFC 4180): a line for each day and coin. Pure. */
export function writeProfit({ days }: Profit): string {
  return [columns, ...days.map((row) => columns.map((name) => row[name]))].map(writeCsvLine).join('');
}
