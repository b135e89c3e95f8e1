import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Manifest, readManifest } from '../../scripts/backup/backup-files.ts';
import { findTorn } from '../../scripts/backup/find-torn.ts';
import { restoreDatabase } from '../../scripts/backup/restore-backup.ts';
import { takeBackup } from '../../scripts/backup/take-backup.ts';
import type { Database } from '../../scripts/databases/database.ts';
import { migrateDatabases } from '../../scripts/databases/migrate-databases.ts';
import { describeMemory, openMemoryDatabases } from '../support/node/cloudflare/memory-databases.ts';

const NOW_MS = Date.parse('2026-11-24T12:00:00Z');
/** The number of the next transfer, as SQL. */
const NEXT = '(SELECT coalesce(max(id), 0) + 1 FROM transfers)';
const LABEL = `it's "one"; of\nmany ✓`;
const PRICE = 6_500_000_000_000n;

/** A UUIDv7 of ledger 0. */
const idOf = (number: number) => `019c0000-0000-7000-8000-${number.toString(16).padStart(12, '0')}`;

let folder = '';
let memory = openMemoryDatabases();

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'bureau-backup-'));
  memory = openMemoryDatabases();
});
afterEach(() => rmSync(folder, { recursive: true }));

async function openLedger(binding: string): Promise<Database> {
  const database = describeMemory(memory, binding);
  await migrateDatabases(
    [database],
    () => 'migrations',
    () => undefined,
  );
  return database;
}

/** Trades with the triggers of the ledger, as the exchange does. */
class Trader {
  readonly #ledger: DatabaseSync;
  readonly #account: string;
  readonly #key: string;
  #drawn = 0;

  constructor(ledger: DatabaseSync, number: number) {
    this.#ledger = ledger;
    this.#account = idOf(number * 1_000_000);
    this.#drawn = number * 1_000_000;
    this.#insert('accounts', { id: this.#account, address_index: number, label: LABEL, created_at: NOW_MS });
    this.#key = this.#draw();
    const key = { id: this.#key, account_id: this.#account, label: 'k', scopes: 't', token_hash: 'h' };
    this.#insert('api_keys', { ...key, created_at: NOW_MS });
    this.#insert('addresses', { account_id: this.#account, network: 'BTC', address: this.#draw() });
    this.deposit('USDT', 1_000_000_000n);
  }

  deposit(asset: string, amount: bigint, transfer: string | null = NEXT): void {
    const status = transfer === null ? 'PENDING' : 'COMPLETED';
    const of = { account_id: this.#account, id: this.#draw(), type: 'ONCHAIN_DEPOSIT', asset, amount, usd_value: 0 };
    const seen = { network: 'BSC', tx_hash: this.#draw(), output_index: 0, address: 'a', exact_amount: '1' };
    this.#insert('deposits', { ...of, status, ...seen, confirmations: 9 }, { transfer: transfer ?? 'NULL' });
  }

  buy(): void {
    const of = { account_id: this.#account, id: this.#draw(), coin: 'BTC', side: 'BUY', executed_price: PRICE };
    const amounts = {
      coin_amount: 1_000,
      usdt_amount: 650_000,
      status: 'COMPLETED',
      price_round: 1,
      admitted_at: 1,
      price_as_of: 1,
    };
    this.#insert('orders', { ...of, ...amounts, key_id: this.#key }, { first_transfer: NEXT });
  }

  /** A deposit that is seen first, and completed by the next call. */
  see(): void {
    const pending = `WHERE account_id = '${this.#account}' AND status = 'PENDING'`;
    const change = this.#ledger.prepare(`UPDATE deposits SET status = 'COMPLETED', transfer = ${NEXT} ${pending}`);
    if (change.run().changes === 0) this.deposit('BTC', 5n, null);
  }

  listen(): void {
    this.#insert('listeners', { account_id: this.#account });
  }

  #draw(): string {
    this.#drawn += 1;
    return idOf(this.#drawn);
  }

  /** Inserts a row of values, and of some more that are SQL. */
  #insert(table: string, row: Record<string, string | number | bigint>, more: Record<string, string> = {}): void {
    const names = [...Object.keys(row), ...Object.keys(more)];
    const places = [...Object.keys(row).map(() => '?'), ...Object.values(more)];
    this.#ledger.prepare(`INSERT INTO ${table} (${names.join()}) VALUES (${places.join()})`).run(...Object.values(row));
  }
}

/** Every row of every table, exactly. */
function dump(database: DatabaseSync): Record<string, unknown[]> {
  const tables = database
    .prepare(`SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT GLOB 'sqlite_*'`)
    .all();
  return Object.fromEntries(
    tables.map(({ name }) => {
      const statement = database.prepare(`SELECT * FROM "${String(name)}"`);
      statement.setReadBigInts(true);
      return [
        String(name),
        statement
          .all()
          .map((row) => JSON.stringify(row, (_, value: unknown) => (typeof value === 'bigint' ? `${value}n` : value)))
          .toSorted(),
      ];
    }),
  );
}

async function backUp(databases: readonly Database[]): Promise<Manifest> {
  await takeBackup(databases, join(folder, 'backup'), NOW_MS, () => undefined);
  return readManifest(join(folder, 'backup'));
}

async function restore(manifest: Manifest, binding: string, into: string): Promise<void> {
  const saved = manifest.databases.find((one) => one.binding === binding);
  if (saved === undefined) throw new Error(`no ${binding}`);
  await restoreDatabase(describeMemory(memory, into), join(folder, 'backup'), saved);
}

describe('a backup', () => {
  it('restores an empty exchange, and amounts of 64 bits to the atom', async () => {
    const ledger = await openLedger('DB');
    memory.open('DB').exec(
      `INSERT INTO audit (id, ts, role, action, target, detail)
         SELECT coalesce(max(id), 0) + 1, 1, 'operator', 'change_settings', 'settings', '{}' FROM audit;
       UPDATE settings SET revision = revision + 1,
         shares = json_set(shares, '$."house:custody".DOGE', json_array('9007199254740993'));
       UPDATE balances SET floor = -9007199254740993 WHERE account = 'house:custody' AND asset = 'DOGE'`,
    );
    const trader = new Trader(memory.open('DB'), 1);
    trader.deposit('DOGE', 9_007_199_254_740_993n);
    await restore(await backUp([ledger]), 'DB', 'RESTORED');
    const restored = dump(memory.open('RESTORED'));
    expect(restored).toEqual(dump(memory.open('DB')));
    expect(restored['transfers']?.join()).toContain('9007199254740993n');
  });

  it('is the ledger at one moment, although trade goes on beside every page', async () => {
    const ledger = await openLedger('DB');
    const source = memory.open('DB');
    const traders = [new Trader(source, 1), new Trader(source, 2)];
    traders[0]?.listen();
    let [asked, opened] = [0, 2];
    let atCut: Record<string, unknown[]> = {};
    const busy: Database = {
      ...ledger,
      ask: async (statements) => {
        // The cut is the only question of many statements.
        if (statements.length > 1) atCut = dump(source);
        const rows = await ledger.ask(statements);
        asked += 1;
        opened += 1;
        traders.push(new Trader(source, opened));
        for (const trader of traders) {
          trader.buy();
          trader.see();
        }
        return rows;
      },
    };
    await restore(await backUp([busy]), 'DB', 'RESTORED');
    expect(asked).toBeGreaterThan(10);
    expect(dump(memory.open('RESTORED'))).toEqual(atCut);
    expect(dump(source)['orders']?.length).toBeGreaterThan(atCut['orders']?.length ?? 0);
  });

  it('has its triggers after a restore', async () => {
    const ledger = await openLedger('DB');
    await restore(await backUp([ledger]), 'DB', 'RESTORED');
    const restored = memory.open('RESTORED');
    expect(() => restored.exec(`UPDATE balances SET amount = 1 WHERE account = 'house:fees'`)).toThrow(
      'no transfer explains',
    );
    new Trader(restored, 1).buy();
  });

  it('is not there before it is whole', async () => {
    const ledger = await openLedger('DB');
    const broken: Database = {
      ...ledger,
      ask: async (statements) => {
        if (statements.some((sql) => sql.includes('FROM "orders"') && sql.includes('first_transfer')))
          throw new Error('D1 is gone');
        return ledger.ask(statements);
      },
    };
    await expect(backUp([broken])).rejects.toThrow('D1 is gone');
    expect(existsSync(join(folder, 'backup'))).toBe(false);
  });

  it('refuses a cut that was not read in one transaction', async () => {
    const ledger = await openLedger('DB');
    const trader = new Trader(memory.open('DB'), 1);
    const torn: Database = {
      ...ledger,
      ask: async (statements) => {
        const rows = [];
        for (const sql of statements) {
          rows.push(...(await ledger.ask([sql])));
          if (statements.length > 1 && rows.length === 5) trader.buy();
        }
        return rows;
      },
    };
    await expect(backUp([torn])).rejects.toThrow('in one transaction');
  });
});

describe('a restore', () => {
  it('refuses a database that is not empty', async () => {
    const ledger = await openLedger('DB');
    await expect(restore(await backUp([ledger]), 'DB', 'DB')).rejects.toThrow('DB is not empty');
  });

  it('refuses a damaged backup before it writes anything', async () => {
    const ledger = await openLedger('DB');
    const manifest = await backUp([ledger]);
    appendFileSync(join(folder, 'backup', 'DB', 'audit.ndjson.gz'), gzipSync('["1"]\n'));
    await expect(restore(manifest, 'DB', 'RESTORED')).rejects.toThrow('other rows in audit');
    expect(dump(memory.open('RESTORED'))).toEqual({});
  });

  it('names the table of a row that did not arrive as it was', async () => {
    const ledger = await openLedger('DB');
    const manifest = await backUp([ledger]);
    const saved = manifest.databases[0];
    const target = describeMemory(memory, 'RESTORED');
    const lossy: Database = {
      ...target,
      execute: (statements) =>
        target.execute(
          [
            ...statements,
            `UPDATE balances SET floor = floor + 1 WHERE account = 'house:custody' AND asset = 'BTC'`,
          ].filter((sql) => !sql.startsWith('CREATE TRIGGER')),
        ),
    };
    if (saved === undefined) throw new Error('nothing was saved');
    await expect(restoreDatabase(lossy, join(folder, 'backup'), saved)).rejects.toThrow('other rows in balances');
  });

  it('refuses the folder of a backup that never ended', () => {
    writeFileSync(join(folder, 'rows'), '');
    expect(() => readManifest(folder)).toThrow('manifest.json');
    expect(readFileSync(join(folder, 'rows'), 'utf8')).toBe('');
  });
});

describe('the cuts of several ledgers', () => {
  const step = (name: 'taken' | 'received' | 'paid', isInCut: boolean) => ({ payment: 'w', step: name, isInCut });

  it('fit where a payment is in both ledgers or on its way', () => {
    expect(findTorn([step('taken', true), step('received', true), step('paid', true)])).toEqual([]);
    expect(findTorn([step('taken', true), step('received', true), step('paid', false)])).toEqual([]);
    expect(findTorn([step('taken', true), step('received', false), step('paid', false)])).toEqual([]);
    expect(findTorn([step('taken', false), step('received', false)])).toEqual([]);
    expect(findTorn([step('received', true), step('paid', true)])).toEqual([]);
  });

  it('do not where money would be twice or lost', () => {
    expect(findTorn([step('taken', false), step('received', true), step('paid', false)])).toEqual(['w']);
    expect(findTorn([step('taken', true), step('received', false), step('paid', true)])).toEqual(['w']);
  });

  it('are made again until they do', async () => {
    const ledgers = await Promise.all(['DB', 'DB_1'].map(openLedger));
    const [sender, receiver] = ['DB', 'DB_1'].map((binding) => memory.open(binding));
    if (sender === undefined || receiver === undefined) throw new Error('there are two');
    for (const database of [sender, receiver]) {
      const triggers = database.prepare(`SELECT name FROM sqlite_schema WHERE type = 'trigger'`).all();
      for (const { name } of triggers) database.exec(`DROP TRIGGER ${String(name)}`);
    }
    const cuts: string[] = [];
    const watched = ledgers.map((ledger): Database => ({
      ...ledger,
      ask: (statements) => {
        const rows = ledger.ask(statements);
        if (statements.length === 1) return rows;
        cuts.push(ledger.binding);
        // A whole payment is made after the sender's first cut and before the receiver's.
        if (ledger.binding === 'DB' && cuts.length === 1) {
          for (const [id, credit] of [
            [1, 'house:payouts'],
            [2, 'house:transit'],
          ] as const) {
            sender.exec(`INSERT INTO transfers (id, debit, credit, asset, amount, kind, reference)
                VALUES (${id}, 'a', '${credit}', 'BTC', 5, 'withdrawal', 'payment')`);
          }
          receiver.exec(`INSERT INTO transfers (id, debit, credit, asset, amount, kind, reference)
              VALUES (1, 'house:transit', 'b', 'BTC', 5, 'deposit', 'receipt')`);
          receiver.exec(`INSERT INTO deposits (account_id, id, type, asset, amount, usd_value, status, withdrawal_id, transfer)
              VALUES ('b', 'receipt', 'INTERNAL_DEPOSIT', 'BTC', 5, 0, 'COMPLETED', 'payment', 1)`);
        }
        return rows;
      },
    }));
    const manifest = await backUp(watched);
    expect(cuts).toEqual(['DB', 'DB_1', 'DB', 'DB_1']);
    expect(manifest.databases.map(({ transfers }) => transfers)).toEqual(['2', '1']);
  });
});
