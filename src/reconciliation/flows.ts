import { z } from 'zod';

/** How many, and what they are worth together, in atoms of USDT as text. */
const Flow = z.object({ count: z.int(), atoms: z.string() });

type Flow = z.output<typeof Flow>;

export const Flows = z.object({ deposits: Flow, withdrawals: Flow, orders: Flow });

export type Flows = z.output<typeof Flows>;

/** What came in, what left and what was traded on a day (UTC). */
export interface FlowsOfDay extends Flows {
  /** Such as `2026-11-21`. */
  readonly day: string;
}

const NO_FLOW: Flow = { count: 0, atoms: '0' };

export const NO_FLOWS: Flows = { deposits: NO_FLOW, withdrawals: NO_FLOW, orders: NO_FLOW };

/** Two flows added up. Pure. */
export const addFlows = (one: Flow, other: Flow): Flow => ({
  count: one.count + other.count,
  atoms: (BigInt(one.atoms) + BigInt(other.atoms)).toString(),
});

/** The sums of several ledgers added up: each day once, newest day first. Pure. */
export function mergeFlows(days: readonly FlowsOfDay[]): FlowsOfDay[] {
  const sums = new Map<string, FlowsOfDay>();
  for (const { day, ...flows } of days) {
    const before = sums.get(day) ?? NO_FLOWS;
    sums.set(day, {
      day,
      deposits: addFlows(before.deposits, flows.deposits),
      withdrawals: addFlows(before.withdrawals, flows.withdrawals),
      orders: addFlows(before.orders, flows.orders),
    });
  }
  return [...sums.values()].toSorted((one, other) => (one.day < other.day ? 1 : -1));
}
