import { logEvent } from '../platform/log.ts';
import { type ChainName, type Link, chains } from './history.ts';

/** The links of both chains as first computed, stored in a Durable Object: out of reach of writers to the ledger. */
export class KeptLinks {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    sql.exec(`CREATE TABLE IF NOT EXISTS links (
      chain TEXT NOT NULL, number INTEGER NOT NULL, up_to INTEGER NOT NULL, digest TEXT NOT NULL,
      PRIMARY KEY (chain, number)) WITHOUT ROWID`);
  }

  /** Stores a link, which is never changed, and logs it, so that a copy exists outside of this object. */
  keep(chain: ChainName, { number, upTo, digest }: Link): void {
    this.#sql.exec('INSERT OR IGNORE INTO links VALUES (?, ?, ?, ?)', chain, number, upTo, digest);
    logEvent('history_link', { chain, number, upTo, digest });
  }

  find(chain: ChainName, number: number): Link | undefined {
    return this.#read('chain = ? AND number = ?', chain, number);
  }

  newest(chain: ChainName): Link | undefined {
    return this.#read('chain = ? ORDER BY number DESC LIMIT 1', chain);
  }

  /** Deletes all links. Returns the newest digest of each chain. */
  forget(): Readonly<Record<string, string>> {
    const forgotten = chains.map((chain) => [chain, this.newest(chain)?.digest ?? 'none']);
    this.#sql.exec('DELETE FROM links');
    return Object.fromEntries(forgotten) as Record<string, string>;
  }

  #read(where: string, ...values: (string | number)[]): Link | undefined {
    const query = `SELECT number, up_to AS upTo, digest FROM links WHERE ${where}`;
    const [row] = this.#sql.exec<{ number: number; upTo: number; digest: string }>(query, ...values).toArray();
    return row;
  }
}
