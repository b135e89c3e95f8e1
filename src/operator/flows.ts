import { z } from '@hono/zod-openapi';
import type { LedgerAnswer } from '../db/ask-ledgers.ts';
import { Decimal, Timestamp } from '../http/wire-types.ts';
import { type FlowsOfDay, mergeFlows } from '../reconciliation/flows.ts';
import { ProfitQuery } from './profit.ts';
import { showUsdt } from '../money/assets.ts';

export const FlowsQuery = ProfitQuery.omit({ format: true });

const Flow = z.object({
  count: z.number().int().openapi({ description: 'How many', example: 12 }),
  usdt: Decimal.openapi({ description: 'What they were worth when they were made, in USDT', example: '1250.5' }),
});

/** What came in, left and was traded. */
export const FlowReport = z
  .object({
    ts: Timestamp,
    days: z
      .array(
        z.object({
          day: z.iso.date().openapi({ description: 'In UTC', example: '2026-11-21' }),
          deposits: Flow.openapi({ description: 'Credited, by a chain or by hand; not from another account here' }),
          withdrawals: Flow.openapi({ description: 'Paid out, without fees; not to another account here' }),
          orders: Flow.openapi({ description: 'Filled, at what they cost or brought' }),
        }),
      )
      .openapi({ description: 'Newest day first, over all ledgers that answered; a day without any is left out' }),
    missingLedgers: z
      .array(z.number().int())
      .openapi({ description: 'The ledgers that did not answer: the sums are without them', example: [] }),
  })
  .openapi('FlowReport');

type FlowReport = z.output<typeof FlowReport>;

const show = ({ count, atoms }: FlowsOfDay['orders']) => ({ count, usdt: showUsdt(BigInt(atoms)) });

/** The flows of some days by what the keeper of each ledger answered. Pure. */
export function describeFlows(
  answers: readonly LedgerAnswer<readonly FlowsOfDay[]>[],
  to: string,
  now_ms: number,
): FlowReport {
  return {
    ts: new Date(now_ms).toISOString(),
    days: mergeFlows(answers.flatMap(({ answer }) => answer ?? []))
      .filter(({ day }) => day <= to)
      .map(({ day, deposits, withdrawals, orders }) => ({
        day,
        deposits: show(deposits),
        withdrawals: show(withdrawals),
        orders: show(orders),
      })),
    missingLedgers: answers.flatMap(({ ledger, answer }) => (answer ? [] : [ledger])),
  };
}
