import { beforeAll, describe, expect, it } from 'vitest';
import { newRecordId } from '../../src/db/record-id.ts';
import {
  INSERTS,
  NEXT,
  NOON_MS,
  type Row,
  UPDATES,
  credit,
  expectRefused,
  expectUnchanged,
  insertRow,
  openFunded,
  order,
  setFloor,
  updateRow,
  withdrawalRow,
} from '../support/db/raw-ledger.ts';
import { env } from '../support/runtime/test-env.ts';
import { sql, listRows } from '../support/db/sql.ts';

/**
 * Every write that the database itself must refuse. The writes are derived from the schema: the kinds of transfers, the
 * states of records, and a record in each state.
 */

let account: string;
let other: string;
beforeAll(async () => {
  [account, other] = [await openFunded(), await openFunded()];
  // The balances that a forged transfer would move must exist.
  await env.DB.batch([
    credit(account, 'USDT', '100000'),
    credit(other, 'USDT', '100000'),
    credit(other, 'BTC', '1000'),
  ]);
  await env.DB.batch(setFloor('house:custody', 'BTC', '-2000000000000'));
  await sql("INSERT INTO addresses VALUES (?1, 'TRC20', ?1)", other).run();
});

async function readList(name: string, column: string): Promise<string[]> {
  const text = await sql('SELECT sql FROM sqlite_schema WHERE name = ?', name).first<string>('sql');
  const [, list = ''] = new RegExp(`${column} IN \\(([^)]*)\\)`).exec(text ?? '') ?? [];
  return list.split(',').map((item) => item.trim().slice(1, -1));
}

async function readKinds(): Promise<string[]> {
  const text = await sql("SELECT sql FROM sqlite_schema WHERE name = 'transfers_are_numbered'").first<string>('sql');
  return Array.from((text ?? '').matchAll(/kind <> '(\w+)'/g), ([, kind = '']) => kind);
}

type Forbidden = readonly [what: string, ...writes: D1PreparedStatement[]];

/**
 * Tries each write by itself. None may change a row, and at the end the whole ledger must be unchanged. Reading all of
 * it takes longer than a write, so a test gathers its writes and tries them together.
 */
async function expectNothing(forbidden: readonly Forbidden[]): Promise<void> {
  await expectUnchanged(async () => {
    for (const [what, ...writes] of forbidden) {
      for (const write of writes) {
        const changes = await write.run().then(
          ({ meta }) => meta.changes,
          () => 0,
        );
        expect(changes, what).toBe(0);
      }
    }
  });
}

/** The statement that writes a record of a table and type in a state. `null` when a record cannot start there. */
type Write = (id: string, status: string, insert?: string) => D1PreparedStatement;

function writeDeposit(id: string, status: string, insert = 'INSERT', transfer = NEXT): D1PreparedStatement {
  const chain = {
    network: 'BTC',
    tx_hash: id,
    output_index: 0,
    address: 'x',
    exact_amount: '0.00000005',
    confirmations: 1,
  };
  const row = { account_id: account, id, type: 'ONCHAIN_DEPOSIT', asset: 'BTC', amount: 5, usd_value: 1, ...chain };
  return insertRow('deposits', { ...row, status, ...stepOfDeposit(status, transfer) }, insert);
}

/** The values of the columns that a state requires. */
const stepOfDeposit = (status: string, transfer = NEXT) => ({
  reason: status === 'QUARANTINED' ? 'supply_cap' : null,
  transfer: status === 'COMPLETED' ? transfer : null,
});

function writeWithdrawal(isInside: boolean): Write {
  return (id, status, insert = 'INSERT') => {
    const inside = { type: 'INTERNAL_WITHDRAWAL', address: other, fee: 0, recipient: other };
    const row = { ...withdrawalRow(account, id, status), ...(isInside && inside) };
    const paid_transfer = status === 'COMPLETED' ? `${NEXT} + 1` : null;
    return insertRow('withdrawals', { ...row, ...stepOfWithdrawal(isInside, id, status), paid_transfer }, insert);
  };
}

function stepOfWithdrawal(isInside: boolean, id: string, status: string): Row {
  return {
    tx_hash: status === 'COMPLETED' && !isInside ? 'x' : null,
    reason: status === 'FAILED' ? 'x' : null,
    receipt_id: status === 'COMPLETED' && isInside ? id.replace('-7', '-8') : null,
    paid_transfer: status === 'COMPLETED' ? NEXT : null,
    returned_transfer: status === 'FAILED' ? NEXT : null,
    // Only an approval and a payout set the time of release.
    ...(['PROCESSING', 'COMPLETED'].includes(status) && { released_at: NOON_MS }),
    next_ask_at: status === 'PROCESSING' ? NOON_MS : null,
  };
}

function writeSettlement(type: string): Write {
  return (id, _status, insert = 'INSERT') => {
    const [own, counterparty] =
      type === 'P2P_SELL' ? [other, account] : [account, type === 'P2P_BUY' ? other : 'house:liquidity'];
    const amounts = { coin: 'BTC', coin_amount: 7, usdt_amount: 5, reference: id, first_transfer: NEXT };
    return insertRow('settlements', { account_id: own, id, type, counterparty, ...amounts }, insert);
  };
}

/** One sort of record and its allowed steps. All other steps must be refused. */
interface Sort {
  readonly table: string;
  readonly kind: string;
  readonly write: Write;
  /** The states in which a record may start, each with the number of transfers that this writes. */
  readonly begins: Readonly<Record<string, number>>;
  readonly steps: Readonly<Record<string, Readonly<Record<string, number>>>>;
  /** The values of the columns that a state requires. */
  readonly columns: (id: string, status: string) => Row;
}

const sorts: Readonly<Record<string, Sort>> = {
  'an order': {
    table: 'orders',
    kind: 'order',
    write: (id, status, insert) => order(account, { id, status }, insert),
    begins: { COMPLETED: 2, FAILED: 0 },
    steps: {},
    columns: (_id, status) => ({ first_transfer: status === 'COMPLETED' ? NEXT : null }),
  },
  'a deposit': {
    table: 'deposits',
    kind: 'deposit',
    write: writeDeposit,
    begins: { PENDING: 0, COMPLETED: 1, FAILED: 0, QUARANTINED: 0 },
    steps: {
      PENDING: { COMPLETED: 1, FAILED: 0, QUARANTINED: 0 },
      QUARANTINED: { COMPLETED: 1, FAILED: 0 },
    },
    columns: (_id, status) => stepOfDeposit(status),
  },
  'a withdrawal': {
    table: 'withdrawals',
    kind: 'withdrawal',
    write: writeWithdrawal(false),
    begins: { PENDING: 1, PROCESSING: 1 },
    steps: { PENDING: { PROCESSING: 0, FAILED: 1 }, PROCESSING: { COMPLETED: 2, FAILED: 1 } },
    columns: (id, status) => stepOfWithdrawal(false, id, status),
  },
  'a withdrawal inside': {
    table: 'withdrawals',
    kind: 'withdrawal',
    write: writeWithdrawal(true),
    begins: { PENDING: 1, COMPLETED: 2 },
    steps: { PENDING: { COMPLETED: 1, FAILED: 1 } },
    columns: (id, status) => stepOfWithdrawal(true, id, status),
  },
};

const settlementTypes = ['P2P_BUY', 'P2P_SELL', 'QUICK_BUY', 'QUICK_SELL'];

function step({ table, columns }: Sort, id: string, status: string, update = 'UPDATE'): D1PreparedStatement {
  return updateRow(table, id, { status, ...columns(id, status) }, update);
}

const newId = () => newRecordId(NOON_MS);
const countTransfers = async (id: string) =>
  Number(await sql('SELECT count(*) AS n FROM transfers WHERE reference = ?', id).first('n'));

/** Writes a record in each state that it can reach, by the shortest way. */
async function reach(sort: Sort, status: string): Promise<string | undefined> {
  const from =
    status in sort.begins ? undefined : Object.keys(sort.steps).find((one) => status in (sort.steps[one] ?? {}));
  if (from === undefined && !(status in sort.begins)) return undefined;
  const id = newId();
  if (from === undefined) await sort.write(id, status).run();
  else {
    if (!(from in sort.begins)) return undefined;
    await sort.write(id, from).run();
    await step(sort, id, status).run();
  }
  return id;
}

/** Every transfer of a record a second time, and variants of each with one other value. */
async function forge(id: string): Promise<D1PreparedStatement[]> {
  const results = await listRows<Record<string, string | number>>('SELECT * FROM transfers WHERE reference = ?', id);
  const changes: Record<string, string>[] = [
    {},
    { debit: `'${other}'` },
    { credit: `'${other}'` },
    { debit: 'credit', credit: 'debit' },
    { debit: `'house:liquidity'` },
    { debit: `'house:custody'` },
    { debit: `'house:payouts'` },
    { credit: `'house:fees'` },
    { asset: `'ETH'` },
    { amount: 'amount + 1' },
    { amount: '1' },
    { reference: `'x'` },
  ];
  const kinds = await readKinds();
  const own = results.flatMap(({ id: number }) =>
    [...changes, ...kinds.map((kind) => ({ kind: `'${kind}'` }))].flatMap((change) =>
      [NEXT, String(number)].map((place) => {
        const names = ['debit', 'credit', 'asset', 'amount', 'kind', 'reference'];
        const columns = { id: place, ...Object.fromEntries(names.map((name) => [name, name])), ...change };
        return `(${Object.keys(columns).join(', ')}) SELECT ${Object.values(columns).join(', ')} FROM transfers WHERE id = ${number}`;
      }),
    ),
  );
  return own.flatMap((text) =>
    ['INSERT', 'INSERT OR REPLACE'].map((insert) => sql(`${insert} INTO transfers ${text}`)),
  );
}

describe('the kinds of transfers in the schema', () => {
  it('are those of the records in this file and in house-money.test.ts', async () => {
    const known = [...Object.values(sorts).map(({ kind }) => kind), 'settlement', 'funding', 'hedge'];
    expect((await readKinds()).toSorted()).toEqual([...new Set(known)].toSorted());
  });
});

describe.each(Object.entries(sorts))('%s', (_, sort) => {
  it('starts only in an allowed state, and writes exactly the transfers of that state', async () => {
    const states = await readList(sort.table, 'status');
    expect(states.length).toBeGreaterThan(1);
    const forbidden: Forbidden[] = [];
    for (const status of states) {
      for (const insert of INSERTS) {
        const id = newId();
        const made = sort.begins[status];
        if (made === undefined) forbidden.push([`${insert} ${status}`, sort.write(id, status, insert)]);
        else {
          await sort.write(id, status, insert).run();
          expect(await countTransfers(id), `${insert} ${status}`).toBe(made);
        }
      }
    }
    await expectNothing(forbidden);
  });

  it('takes only allowed steps, each with its transfers', async () => {
    const states = await readList(sort.table, 'status');
    const forbidden: Forbidden[] = [];
    for (const from of states) {
      for (const to of states) {
        for (const update of UPDATES) {
          const id = await reach(sort, from);
          if (id === undefined) continue;
          const before = await countTransfers(id);
          const made = sort.steps[from]?.[to];
          if (made === undefined) forbidden.push([`${update} ${from} to ${to}`, step(sort, id, to, update)]);
          else {
            await step(sort, id, to, update).run();
            expect(await countTransfers(id), `${update} ${from} to ${to}`).toBe(before + made);
          }
        }
      }
    }
    await expectNothing(forbidden);
  });

  it('has no transfer twice and no transfer of another record, in any state', async () => {
    const forbidden: Forbidden[] = [];
    for (const status of await readList(sort.table, 'status')) {
      const id = await reach(sort, status);
      if (id !== undefined) forbidden.push([`a forged transfer in ${status}`, ...(await forge(id))]);
    }
    await expectNothing(forbidden);
  });

  it('is written once, names the next numbers, and is never deleted', async () => {
    const forbidden: Forbidden[] = [];
    for (const status of Object.keys(sort.begins)) {
      const id = await reach(sort, status);
      if (id === undefined) continue;
      forbidden.push([`a second one in ${status}`, ...INSERTS.map((insert) => sort.write(id, status, insert))]);
      forbidden.push([`a deletion in ${status}`, sql(`DELETE FROM ${sort.table} WHERE id = ?`, id)]);
    }
    const numbers = ['first_transfer', 'transfer', 'taken_transfer', 'paid_transfer', 'returned_transfer'];
    const results = await listRows<{ name: string }>(`SELECT name FROM pragma_table_info('${sort.table}')`);
    for (const { name } of results.filter((column) => numbers.includes(column.name))) {
      for (const status of await readList(sort.table, 'status')) {
        const id = await reach(sort, status);
        if (id === undefined) continue;
        const changes = ['NULL', '1', NEXT, `${name} + 1`].flatMap((value) =>
          UPDATES.map((update) =>
            sql(`${update} ${sort.table} SET ${name} = ${value} WHERE id = ? AND ${name} IS NOT ${value}`, id),
          ),
        );
        forbidden.push([`another ${name} in ${status}`, ...changes]);
      }
    }
    await expectNothing(forbidden);
  });
});

describe.each(settlementTypes)('a settlement that is %s', (type) => {
  it('writes its two transfers once, or is refused', async () => {
    expect(await readList('settlements', 'type')).toEqual(settlementTypes);
    const forbidden: Forbidden[] = [];
    const written: string[] = [];
    for (const insert of INSERTS) {
      const id = newId();
      const write = () => writeSettlement(type)(id, '', insert);
      if (type === 'P2P_SELL') {
        forbidden.push([insert, write()]);
        continue;
      }
      await write().run();
      expect(await countTransfers(id)).toBe(2);
      written.push(id);
      forbidden.push(['a second one', ...INSERTS.map((conflict) => writeSettlement(type)(id, '', conflict))]);
      forbidden.push([
        'a change',
        sql('DELETE FROM settlements WHERE id = ?', id),
        sql('UPDATE OR REPLACE settlements SET coin_amount = 1 WHERE id = ?', id),
      ]);
    }
    // The rows are equal, however they were inserted.
    const [first] = written;
    if (first !== undefined) forbidden.push(['a forged transfer', ...(await forge(first))]);
    await expectNothing(forbidden);
  });
});

it('a deposit names the next transfer', async () => {
  const late = writeDeposit(newId(), 'COMPLETED', 'INSERT', `${NEXT} + 1`);
  await expectRefused('ledger: a transfer takes the next number', late);
});

it.each(['0', '-1', '1', '-9007199254740990'])(
  'the floor of transit is never changed, whatever the audit says: %s',
  (floor) => expectRefused('guard: the floor of transit is never changed', ...setFloor('house:transit', 'BTC', floor)),
);

describe('a withdrawal to an account of another ledger', () => {
  const there = () => newRecordId(NOON_MS, 1);

  function write(change: Row = {}, id = newId()): D1PreparedStatement {
    const row = { ...withdrawalRow(account, id), type: 'INTERNAL_WITHDRAWAL', fee: 0, recipient: there() };
    return insertRow('withdrawals', { ...row, receipt_id: there(), ...change });
  }

  it('has its receipt from the start, in the ledger of its recipient, and no fee', async () => {
    await write().run();
    const changes: Row[] = [
      { receipt_id: null },
      { recipient: null },
      { fee: 1 },
      { receipt_id: newId() },
      { recipient: other },
      { type: 'ONCHAIN_WITHDRAWAL' },
      { status: 'COMPLETED', paid_transfer: `${NEXT} + 1` },
    ];
    await expectNothing(changes.map((change): Forbidden => [JSON.stringify(change), write(change)]));
  });

  it('is paid into transit, keeps its receipt, and is paid by nobody’s hand', async () => {
    const id = newId();
    await write({}, id).run();
    const set = (change: string) =>
      UPDATES.map((update) => sql(`${update} withdrawals SET ${change} WHERE id = ?`, id));
    const complete = (more = '') =>
      sql(`UPDATE withdrawals SET status = 'COMPLETED', paid_transfer = ${NEXT} ${more} WHERE id = ?`, id);
    const claim = sql(`UPDATE withdrawals SET claimed_by = 'somebody', claimed_at = 1 WHERE id = ?`, id);
    await expectNothing([
      ['another receipt', ...set(`receipt_id = '${there()}'`), ...set('receipt_id = NULL')],
      ['another recipient', ...set(`recipient = '${there()}'`), ...set('recipient = NULL')],
      ['a transaction', complete(`, tx_hash = 'x'`)],
      ['a claim', claim],
    ]);
    await complete().run();
    const results = await listRows(
      `SELECT debit, credit, amount FROM transfers WHERE reference = ? AND debit = 'house:payouts'`,
      id,
    );
    expect(results).toEqual([{ debit: 'house:payouts', credit: 'house:transit', amount: 7 }]);
    expect(await sql('SELECT count(*) AS n FROM deposits WHERE withdrawal_id = ?', id).first('n')).toBe(0);
  });
});

describe('the receipt of a withdrawal in another ledger', () => {
  const write = (insert: string, id: string, withdrawalId: string = newRecordId(NOON_MS, 1)) => {
    const row = { account_id: account, id, type: 'INTERNAL_DEPOSIT', asset: 'BTC', amount: 7, usd_value: 1 };
    return insertRow('deposits', { ...row, status: 'COMPLETED', withdrawal_id: withdrawalId, transfer: NEXT }, insert);
  };

  it('has one transfer, out of transit', async () => {
    const id = newId();
    await write('INSERT', id).run();
    const results = await listRows('SELECT debit, credit, amount FROM transfers WHERE reference = ?', id);
    expect(results).toEqual([{ debit: 'house:transit', credit: account, amount: 7 }]);
    await expectNothing([
      ['a second one', ...INSERTS.map((insert) => write(insert, id))],
      ['one of no ledger', ...INSERTS.map((insert) => write(insert, newId(), 'x'))],
      ['one of a withdrawal here', ...INSERTS.map((insert) => write(insert, newId(), newId()))],
      ...(await forge(id)).map((forged): Forbidden => ['a transfer', forged]),
    ]);
  });

  it('that is refused is refused for good, and one that has come is not refused', async () => {
    const [refused, come] = [newId(), newId()];
    await write('INSERT', come).run();
    const refuse = (id: string, insert: string) =>
      sql(`${insert} INTO claims VALUES ('refused_receipt', ?, ?)`, id, account);
    await refuse(refused, 'INSERT').run();
    await expectNothing([
      ['the receipt afterwards', ...INSERTS.map((insert) => write(insert, refused))],
      ['a refusal afterwards', ...INSERTS.map((insert) => refuse(come, insert))],
      ['a second one', ...INSERTS.map((insert) => refuse(refused, insert))],
      ['a change', sql(`UPDATE claims SET name = 'x'`)],
      ['a deletion', sql('DELETE FROM claims')],
    ]);
  });
});
