import type { Clerk } from '../../test/kills/clerk.ts';
import type { Probe } from '../../test/support/node/exchange/probe.ts';

/** Compares a ledger that has only these orders with their answers, when no request is open any more. */
export async function findFaults(probe: Probe, { entries }: Clerk): Promise<string[]> {
  const acknowledged = entries.flatMap(({ first }) =>
    first?.status === 201 ? [(JSON.parse(first.body) as { order: { id: string } }).order.id] : [],
  );
  const told = new Set(acknowledged);
  const wrong = entries.filter(({ first }) => first?.status !== 201);
  const kept = await probe.query<{ id: string; transfers: number }>(
    `SELECT orders.id, coalesce(made.count, 0) AS transfers FROM orders LEFT JOIN
      (SELECT reference, count(*) AS count FROM transfers WHERE kind = 'order' GROUP BY reference) AS made
      ON made.reference = orders.id`,
  );
  const ids = new Set(kept.map(({ id }) => id));
  const crooked = await probe.query('SELECT asset, sum(amount) FROM balances GROUP BY asset HAVING sum(amount) != 0');
  return [
    ...wrong.map(({ first }) => `an order was answered ${first?.status} ${first?.body}`),
    ...(told.size === acknowledged.length ? [] : ['two requests were answered with one order']),
    ...acknowledged.filter((id) => !ids.has(id)).map((id) => `order ${id} was acknowledged and is not in the ledger`),
    ...kept.filter(({ id }) => !told.has(id)).map(({ id }) => `order ${id} is in the ledger and nobody was told`),
    ...kept.filter(({ transfers }) => transfers !== 2).map(({ id }) => `order ${id} has not two transfers`),
    ...crooked.map((row) => `balances do not sum to zero: ${JSON.stringify(row)}`),
  ];
}
