import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { transact } from '../transact.ts';

/** A row as SQLite returns it. The caller of a query converts it to its own type. */
export type Row = Record<string, null | number | bigint | string | Uint8Array>;

/** A service's own database. Every commit is on disk before the call returns. */
export class SqliteFile {
  protected readonly database: DatabaseSync;
  readonly #statements = new Map<string, ReturnType<DatabaseSync['prepare']>>();

  /** Opens the file and makes its tables. Waits at most 5 s for another process that writes. */
  constructor(file: string, schema: string) {
    this.database = new DatabaseSync(file, { timeout: 5_000 });
    this.database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON;');
    this.database.exec(`BEGIN IMMEDIATE; ${schema} COMMIT;`);
  }

  close(): void {
    this.database.close();
  }

  run(sql: string, ...values: SQLInputValue[]): number {
    return Number(this.#prepare(sql).run(...values).changes);
  }

  all(sql: string, ...values: SQLInputValue[]): Row[] {
    return this.#prepare(sql).all(...values);
  }

  one(sql: string, ...values: SQLInputValue[]): Row | undefined {
    return this.#prepare(sql).get(...values);
  }

  /** Runs `write` in one transaction. It is synchronous, so nothing else of this process runs in between. */
  transact<T>(write: () => T): T {
    return transact(this.database, write);
  }

  #prepare(sql: string) {
    const prepared = this.#statements.get(sql) ?? this.database.prepare(sql);
    this.#statements.set(sql, prepared);
    return prepared;
  }
}
