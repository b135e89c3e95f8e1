import { beforeAll, describe, expect, it } from 'vitest';
import { type Movement, readMovements } from '../../src/activity/movements.ts';
import { recordKinds } from '../../src/record-kinds.ts';
import { database } from '../support/db/raw-ledger.ts';
import { type Trader, asOperator } from '../support/exchange.ts';
import { quarantine } from '../support/operator/quarantine.ts';
import { makeActivity } from '../support/reconciliation.ts';
import { sql, listRows } from '../support/db/sql.ts';

/**
 * The transfers of a record are written down four times: by its triggers, by the guards of `transfers`, by the legs of
 * its kind, with which the reconciliation checks them, and by the statement of an account. Here all four meet on
 * records that the exchange has made: a transfer that is in the journal was written by the first and let through by the
 * second.
 */

let traders: readonly Trader[];
beforeAll(async () => {
  traders = await makeActivity(2);
  const { id } = await quarantine('LTC', '2');
  const [one] = traders;
  await asOperator('POST', `/deposits/${id}/credit`, { accountId: one?.accountId, reason: 'its owner asked' });
});

interface Row {
  readonly id: number;
  readonly debit: string;
  readonly credit: string;
  readonly asset: string;
  readonly amount: string;
  readonly kind: string;
  readonly reference: string;
}

const read = async (query: string) => await listRows<Row>(query);

const readJournal = () =>
  read('SELECT id, debit, credit, asset, CAST(amount AS TEXT) AS amount, kind, reference FROM transfers ORDER BY id');

/** What the legs of all kinds say, leg by leg. */
const legs = recordKinds.flatMap(({ name, kind, counted = '1', legs: own }) =>
  own.map((leg, at) => ({
    what: `${name}, leg ${at + 1}`,
    query: `SELECT ${leg.number} AS id, ${leg.debit} AS debit, ${leg.credit} AS credit, ${leg.asset} AS asset,
        CAST(${leg.amount} AS TEXT) AS amount, ${leg.kind ?? `'${kind}'`} AS kind, ${leg.reference ?? 'r.id'} AS reference
      FROM ${name} AS r WHERE ${leg.number} IS NOT NULL AND ${counted}`,
  })),
);

describe('the legs of the kinds of records', () => {
  it.each(legs)('have been written by a trigger here, each of them: $what', async ({ query }) => {
    expect(await read(query)).not.toEqual([]);
  });

  it('are all transfers that the triggers wrote, and nothing else', async () => {
    const said = await Promise.all(legs.map(({ query }) => read(query)));
    expect(said.flat().toSorted((one, other) => one.id - other.id)).toEqual(await readJournal());
  });

  it('are of the kinds that the guard of the journal knows', async () => {
    const guard = await sql("SELECT sql FROM sqlite_schema WHERE name = 'transfers_are_numbered'").first<string>('sql');
    const known = Array.from((guard ?? '').matchAll(/kind <> '(\w+)'/g), ([, kind = '']) => kind);
    expect(known.toSorted()).toEqual(recordKinds.map(({ kind }) => kind).toSorted());
  });

  it('move an account as its statement shows it', async () => {
    const journal = await readJournal();
    for (const { accountId } of traders) {
      const shown: Movement[] = [];
      const span = { accountId, from_ms: 0, begin: 1, end: journal.length + 1 };
      for await (const movements of readMovements(database, span)) shown.push(...[movements].flat());
      const moved = journal.flatMap(({ id, debit, credit, asset, amount }) => [
        ...(debit === accountId ? [[id, asset, -BigInt(amount)]] : []),
        ...(credit === accountId ? [[id, asset, BigInt(amount)]] : []),
      ]);
      expect(moved.length).toBeGreaterThan(0);
      const lines = shown.toSorted((one, other) => one.transfer - other.transfer);
      expect(lines.map(({ transfer, asset, amount }) => [transfer, asset, amount])).toEqual(moved);
    }
  });
});
