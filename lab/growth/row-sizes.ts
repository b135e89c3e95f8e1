import { DatabaseSync } from 'node:sqlite';

/** A way to store an order and its two transfers: the columns of both tables, and the SQL of each value. */
interface Layout {
  readonly name: string;
  /** The type of an id, and the SQL that makes one from 32 hexadecimal digits. */
  readonly id: string;
  readonly writeId: (digits: string) => string;
  /** The type of an account's id on either side of a transfer. */
  readonly account: string;
  readonly writeAccount: (number: string) => string;
  /** Whether assets, sides, states and kinds are numbers. */
  readonly numbered: boolean;
}

const asText = (digits: string) =>
  `(substr(${digits}, 1, 8) || '-' || substr(${digits}, 9, 4) || '-' || substr(${digits}, 13, 4) || '-'
    || substr(${digits}, 17, 4) || '-' || substr(${digits}, 21))`;
const asBlob = (digits: string) => `unhex(${digits})`;
const digitsOf = (number: string, prefix: string) => `printf('${prefix}%028x', ${number})`;

const text = { id: 'TEXT', writeId: asText, account: 'TEXT', writeAccount: (n: string) => asText(digitsOf(n, '0190')) };
const blob = { id: 'BLOB', writeId: asBlob, account: 'BLOB', writeAccount: (n: string) => asBlob(digitsOf(n, '0190')) };
const numberedAccount = { account: 'INTEGER', writeAccount: (number: string) => number };

const layouts: readonly Layout[] = [
  { name: 'as it is: ids and assets as text', ...text, numbered: false },
  { name: 'numbered assets, sides and kinds', ...text, numbered: true },
  { name: 'ids of 16 bytes', ...blob, numbered: false },
  { name: 'ids of 16 bytes, numbered assets, sides and kinds', ...blob, numbered: true },
  { name: 'the same, and numbered accounts', ...blob, ...numberedAccount, numbered: true },
];

const ACCOUNTS = 500;

/**
 * The bytes of each layout for an order with its two transfers, measured over many orders of some accounts in turns.
 */
export function measureRowSizes(orders: number): Readonly<Record<string, number>> {
  return Object.fromEntries(layouts.map((layout) => [layout.name, measureLayout(layout, orders)]));
}

function measureLayout({ id, writeId, account, writeAccount, numbered }: Layout, orders: number): number {
  const word = numbered ? 'INTEGER' : 'TEXT';
  const write = (name: string, number: number) => (numbered ? number : `'${name}'`);
  const database = new DatabaseSync(':memory:');
  database.exec(`
    CREATE TABLE orders (
      account_id ${account} NOT NULL, id ${id} NOT NULL, coin ${word} NOT NULL, side ${word} NOT NULL,
      executed_price INTEGER NOT NULL, coin_amount INTEGER NOT NULL, usdt_amount INTEGER NOT NULL, status ${word} NOT NULL,
      price_round INTEGER NOT NULL, key_id ${id} NOT NULL, first_transfer INTEGER, middle_price INTEGER,
      PRIMARY KEY (account_id, id)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE transfers (
      id INTEGER PRIMARY KEY NOT NULL, debit ${account} NOT NULL, credit ${account} NOT NULL, asset ${word} NOT NULL,
      amount INTEGER NOT NULL, kind ${word} NOT NULL, reference ${id} NOT NULL, ts INTEGER NOT NULL) STRICT;
    CREATE TEMP TABLE n (i INTEGER PRIMARY KEY);
    INSERT INTO n WITH RECURSIVE c (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM c WHERE i + 1 < ${orders}) SELECT i FROM c;`);
  const [who, order] = [writeAccount(`i % ${ACCOUNTS}`), writeId(digitsOf('i', '0191'))];
  // The house's name is short as text, a number where accounts are numbers, and 16 bytes where they are such ids.
  const house = account === 'TEXT' ? `'house:liquidity'` : account === 'BLOB' ? 'zeroblob(16)' : '-1';
  const now = 1_795_000_000_000;
  database.exec(`
    INSERT INTO orders
      SELECT ${who}, ${order}, ${write('BTC', 3)}, ${write('BUY', 1)}, 5000000000000, 10000, 5000000,
        ${write('COMPLETED', 1)}, ${now} + i, ${writeId(digitsOf(`i % ${ACCOUNTS}`, '0192'))}, 2 * i + 1,
        4995000000000 FROM n ORDER BY i;
    INSERT INTO transfers
      SELECT 2 * i + 1 + leg, iif(leg, ${house}, ${who}), iif(leg, ${who}, ${house}),
        iif(leg, ${write('BTC', 3)}, ${write('USDT', 1)}), 5000000, ${write('order', 1)}, ${order}, ${now} + i
      FROM n CROSS JOIN (SELECT 0 AS leg UNION ALL SELECT 1) ORDER BY 1;`);
  const size = database
    .prepare('SELECT page_count * page_size AS bytes FROM pragma_page_count, pragma_page_size')
    .get();
  database.close();
  return Math.round(Number(size?.['bytes']) / orders);
}
