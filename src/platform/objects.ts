/**
 * The object of this name. The platform makes it near `location` at its first call, and it stays there. A stub fails after
 * its object was reset, so every call takes a new one.
 */
export function reach(namespace: DurableObjectNamespace, name: string, location: DurableObjectLocationHint) {
  return namespace.getByName(name, { locationHint: location });
}

/**
 * Small named values of an object, each one row, as JSON. A write is durable before the object's next answer is sent.
 */
export class ObjectState {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    sql.exec('CREATE TABLE IF NOT EXISTS state (name TEXT PRIMARY KEY NOT NULL, value TEXT NOT NULL) WITHOUT ROWID');
  }

  read(name: string): unknown {
    const [row] = this.#sql.exec<{ value: string }>('SELECT value FROM state WHERE name = ?', name).toArray();
    return row && JSON.parse(row.value);
  }

  write(name: string, value: unknown): void {
    this.#sql.exec('INSERT OR REPLACE INTO state (name, value) VALUES (?, ?)', name, JSON.stringify(value));
  }
}
