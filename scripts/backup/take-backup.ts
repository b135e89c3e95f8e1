import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Database, type Row, quote } from '../databases/database.ts';
import { BackupFile, MANIFEST, type Manifest, type SavedDatabase } from './backup-files.ts';
import { type PaymentStep, findTorn } from './find-torn.ts';
import { type SchemaPart, type Table, describeTables, readPages, readSchema, selectRows } from './rows.ts';

/**
 * A backup is each database as it was at one moment, its cut: a transaction that reads the newest numbers and all rows
 * that may still change. What never changes again may be more than one answer holds. It is read afterwards, page by page
 * beside trade, up to the numbers of the cut. The balances are read page by page before, and the cut adds those that
 * have moved since.
 */
interface Reading {
  /** What the cut reads of the table; all of it where this is not said. */
  readonly atCut?: (start: Start) => string;
  /** What is read after the cut: rows that were there, and never change. */
  readonly after?: (cut: Heads, start: Start) => string;
}

/** The newest numbers of a ledger. */
interface Heads {
  readonly transfers: string;
  readonly audit: string;
}

/** When the backup of a ledger began. */
interface Start {
  readonly heads: Heads;
  readonly at_ms: number;
}

/** A row of a cut is of the ledger at that moment. */
interface Cut {
  readonly heads: Heads;
  readonly rows: ReadonlyMap<string, readonly Row[]>;
  /** By account, the number of its newest event. */
  readonly events: ReadonlyMap<string, bigint>;
}

/** Accounts of the last two days are new, whatever the clock of the Worker that opened them said. */
const NEW_MS = 172_800_000;
const NOTHING = () => 'false';

const readings: Readonly<Record<string, Reading>> = {
  transfers: { atCut: NOTHING, after: ({ transfers }) => `id <= ${transfers}` },
  audit: { atCut: NOTHING, after: ({ audit }) => `id <= ${audit}` },
  orders: { atCut: NOTHING, after: ({ transfers }) => `first_transfer <= ${transfers}` },
  settlements: { atCut: NOTHING, after: ({ transfers }) => `first_transfer <= ${transfers}` },
  deposits: { atCut: () => `status <> 'COMPLETED'`, after: ({ transfers }) => `transfer <= ${transfers}` },
  withdrawals: {
    atCut: () => `status IN ('PENDING', 'PROCESSING')`,
    after: ({ transfers }) => `coalesce(paid_transfer, returned_transfer) <= ${transfers}`,
  },
  balances: {
    atCut: ({ heads, at_ms }) => `last_transfer > ${heads.transfers} OR account GLOB 'house:*'
      OR account IN (SELECT id FROM accounts WHERE created_at > ${at_ms - NEW_MS})`,
  },
  // Each account's sign-ins are kept. One whose session has ended is as good as never changed.
  api_keys: {
    atCut: ({ at_ms }) => `kind <> 'session' OR expires_at > ${at_ms}`,
    after: (_cut, { at_ms }) => `kind = 'session' AND expires_at <= ${at_ms}`,
  },
  // Those that came after the cut are left out below.
  events: { atCut: NOTHING, after: () => 'true' },
  addresses: { atCut: NOTHING, after: () => 'true' },
  // What only grows, and where one more does no harm. Ledger 0 gives names and indexes to accounts of all ledgers, so it
  // must have those of every account that another ledger's cut has.
  solana_pool: { atCut: NOTHING, after: () => 'true' },
  address_indexes: { atCut: NOTHING, after: () => 'true' },
  claims: { atCut: NOTHING, after: () => 'true' },
};

const HEADS = `SELECT CAST((SELECT coalesce(max(id), 0) FROM transfers) AS TEXT) AS transfers,
  CAST((SELECT coalesce(max(id), 0) FROM audit) AS TEXT) AS audit`;
const EVENTS = `SELECT account_id, CAST((SELECT max(sequence) FROM events WHERE events.account_id = listeners.account_id) AS TEXT) AS newest
  FROM listeners`;

/** How often the cuts of several ledgers are made anew, because a payment between them lay between their moments. */
const TRIES = 30;

/** A ledger while its backup is made. */
interface Ledger {
  readonly database: Database;
  readonly tables: readonly Table[];
  readonly schema: readonly SchemaPart[];
  readonly start: Start;
  readonly balances: Map<string, Row>;
}

/**
 * Writes a backup of all databases into a folder, which is there only when the backup is whole. `tell` is told of each
 * step. Rejects when a database does not answer, or two cuts do not fit together.
 */
export async function takeBackup(
  databases: readonly Database[],
  folder: string,
  at_ms: number,
  tell: (line: string) => void,
): Promise<Manifest> {
  const partial = `${folder}.partial`;
  mkdirSync(partial, { recursive: true });
  const schemas = await Promise.all(databases.map(readSchema));
  const found = databases.map((database, at) => ({ database, schema: schemas[at] ?? [] }));
  const isLedger = ({ schema }: (typeof found)[number]) => schema.some(({ name }) => name === 'transfers');
  const ledgers: Ledger[] = [];
  for (const { database, schema } of found.filter(isLedger)) ledgers.push(await beginLedger(database, schema, at_ms));
  const cuts = await cutLedgers(ledgers, tell);
  const saved: SavedDatabase[] = [];
  for (const [at, ledger] of ledgers.entries()) {
    const cut = cuts[at];
    if (cut === undefined) throw new Error(`${ledger.database.binding} was not cut`);
    saved.push(await saveLedger(ledger, cut, partial));
    tell(`${ledger.database.binding}: up to transfer ${cut.heads.transfers}`);
  }
  // Who signs in: after the ledgers, so that no account has a holder that is not here.
  for (const { database, schema } of found.filter((one) => !isLedger(one))) {
    saved.push(await saveOther(database, schema, partial));
  }
  const manifest = { format: 1, takenAt: new Date(at_ms).toISOString(), databases: saved } as const;
  writeFileSync(join(partial, MANIFEST), `${JSON.stringify(manifest, null, 2)}\n`);
  renameSync(partial, folder);
  return manifest;
}

async function beginLedger(database: Database, schema: readonly SchemaPart[], at_ms: number): Promise<Ledger> {
  const tables = describeTables(schema);
  const [heads] = await database.ask([HEADS]);
  const start = { heads: readHeads(heads), at_ms };
  const balances = new Map<string, Row>();
  for await (const rows of readPages(database, findTable(tables, 'balances'))) addBalances(balances, rows);
  return { database, schema, tables, start, balances };
}

function addBalances(balances: Map<string, Row>, rows: readonly Row[]): void {
  for (const row of rows) balances.set(`${row[0]} ${row[1]}`, row);
}

/**
 * Cuts all ledgers at once. A payment between two ledgers must be in both or on its way, or else the cuts are made again.
 */
async function cutLedgers(ledgers: readonly Ledger[], tell: (line: string) => void): Promise<Cut[]> {
  for (let tried = 1; tried <= TRIES; tried += 1) {
    const cuts = await Promise.all(ledgers.map(cutLedger));
    if (ledgers.length <= 1) return cuts;
    const steps = await Promise.all(ledgers.map((ledger, at) => readSteps(ledger, cuts[at]?.heads.transfers ?? '0')));
    const torn = findTorn(steps.flat());
    if (torn.length === 0) return cuts;
    tell(`payments between the moments of two ledgers, which are read again: ${torn.join(', ')}`);
  }
  throw new Error(
    `after ${TRIES} times there still were payments between the moments of two ledgers: halt withdrawals for a minute`,
  );
}

async function cutLedger({ database, tables, start }: Ledger): Promise<Cut> {
  const selects = tables.map((table) => selectRows(table, readings[table.name]?.atCut?.(start)));
  const answers = await database.ask([HEADS, EVENTS, ...selects, HEADS]);
  const heads = readHeads(answers[0]);
  if (JSON.stringify(heads) !== JSON.stringify(readHeads(answers.at(-1)))) {
    throw new Error(`${database.binding} did not read its cut in one transaction`);
  }
  return {
    heads,
    events: new Map((answers[1] ?? []).map(([account, newest]) => [account ?? '', BigInt(newest ?? 0)])),
    rows: new Map(tables.map(({ name }, at) => [name, answers[at + 2] ?? []])),
  };
}

/** The steps of payments to other ledgers since the backup began, and which of them are in the cut. */
async function readSteps({ database, start }: Ledger, cut: string): Promise<PaymentStep[]> {
  const [rows = []] = await database.ask([
    `SELECT reference AS payment, iif(credit = 'house:transit', 'paid', 'taken') AS step, iif(id <= ${cut}, 'in', 'out') AS cut
       FROM transfers WHERE id > ${start.heads.transfers} AND kind = 'withdrawal' AND credit IN ('house:payouts', 'house:transit')
     UNION ALL
     SELECT withdrawal_id, 'received', iif(id_of_transfer <= ${cut}, 'in', 'out') FROM (
       SELECT d.withdrawal_id AS withdrawal_id, t.id AS id_of_transfer
       FROM transfers AS t JOIN deposits AS d ON d.account_id = t.credit AND d.id = t.reference
       WHERE t.id > ${start.heads.transfers} AND t.kind = 'deposit' AND t.debit = 'house:transit')`,
  ]);
  return rows.map(([payment, step, at]) => ({
    payment: payment ?? '',
    step: step as PaymentStep['step'],
    isInCut: at === 'in',
  }));
}

async function saveLedger(ledger: Ledger, cut: Cut, folder: string): Promise<SavedDatabase> {
  const { database, schema, tables, start, balances } = ledger;
  const rowsOf = (table: string) => cut.rows.get(table) ?? [];
  addBalances(balances, rowsOf('balances'));
  checkBalances([...balances.values()], rowsOf('accounts').length, rowsOf('assets').length, database.binding);
  const accounts = new Set(rowsOf('accounts').map(([id]) => id));
  const wasThere: Readonly<Record<string, (row: Row) => boolean>> = {
    events: ([account, sequence]) => BigInt(sequence ?? 0) <= (cut.events.get(account ?? '') ?? 0n),
    addresses: ([account]) => accounts.has(account ?? ''),
  };
  const files = [];
  for (const table of tables) {
    const file = new BackupFile(folder, database.binding, table.name);
    file.add(table.name === 'balances' ? [...balances.values()] : rowsOf(table.name));
    const after = readings[table.name]?.after?.(cut.heads, start);
    const pages = after === undefined ? [] : readPages(database, table, after);
    for await (const rows of pages) file.add(rows.filter(wasThere[table.name] ?? (() => true)));
    files.push(file.close());
  }
  return { binding: database.binding, schema, transfers: cut.heads.transfers, tables: files };
}

/** Each account has a balance of each asset, also each of the house's, of which there is one for each venue. */
function checkBalances(balances: readonly Row[], accounts: number, assets: number, binding: string): void {
  const house = new Set(balances.map(([account]) => account).filter((account) => account?.startsWith('house:')));
  if (balances.length !== (accounts + house.size) * assets) {
    throw new Error(`${binding} has ${balances.length} balances of ${accounts} accounts and ${assets} assets`);
  }
}

async function saveOther(database: Database, schema: readonly SchemaPart[], folder: string): Promise<SavedDatabase> {
  const tables = describeTables(schema);
  const answers = tables.length === 0 ? [] : await database.ask(tables.map((table) => selectRows(table)));
  const files = tables.map(({ name }, at) => {
    const file = new BackupFile(folder, database.binding, name);
    file.add(answers[at] ?? []);
    return file.close();
  });
  return { binding: database.binding, schema, transfers: null, tables: files };
}

function readHeads(rows: readonly Row[] | undefined): Heads {
  const [transfers, audit] = rows?.[0] ?? [];
  if (!transfers || !audit) throw new Error('a ledger did not say its newest numbers');
  return { transfers, audit };
}

function findTable(tables: readonly Table[], name: string): Table {
  const table = tables.find((one) => one.name === name);
  if (table === undefined) throw new Error(`there is no table ${quote(name)}`);
  return table;
}
