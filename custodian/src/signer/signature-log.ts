import { createHash } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';
import { transact } from '../transact.ts';
import type { LimitedAmount, Deed, DeedName } from './judge.ts';
import type { RefusalReason } from './requests.ts';

const HOUR_MS = 3_600_000;

/**
 * Where fences die, another version is signed only so long after the one before has expired, by this clock. It is a bound, no
 * proof: whether that one is on the chain is not seen here.
 */
const DEAD_FOR_MS = 10 * 60_000;

/** How far the clock may be behind the newest row. With a slower clock an hour's limit could be spent twice. */
const MAX_CLOCK_LAG_MS = 60_000;

/**
 * `log` has one row for each signature and each burnt id, and for each time that a person set the clock right. Rows are never changed or removed. `chain` is the SHA-256 of
 * the row and of the previous row's `chain`, so that a change of a row is detected when the log is opened. `fees` has by
 * how much each version raised the fee of its payment. `deeds` has a row for each payment; where fences die one for each of
 * its versions, which count anew towards the limits.
 */
const SCHEMA = `
  CREATE TABLE IF NOT EXISTS log (
    number INTEGER PRIMARY KEY,
    at_ms INTEGER NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('signed', 'burnt', 'clock')),
    id TEXT NOT NULL,
    entry TEXT NOT NULL,
    chain TEXT NOT NULL
  ) STRICT;
  CREATE TABLE IF NOT EXISTS fences (
    network TEXT NOT NULL,
    fence TEXT NOT NULL,
    id TEXT NOT NULL,
    PRIMARY KEY (network, fence)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS worths (
    network TEXT NOT NULL,
    coin TEXT NOT NULL,
    atoms TEXT NOT NULL,
    PRIMARY KEY (network, coin)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS deeds (
    id TEXT NOT NULL,
    network TEXT NOT NULL,
    anchor TEXT NOT NULL,
    dies_at_ms INTEGER,
    order_digest TEXT,
    limit_name TEXT,
    limit_key TEXT,
    atoms TEXT,
    at_ms INTEGER NOT NULL,
    PRIMARY KEY (id, anchor)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS deeds_by_time ON deeds (limit_name, limit_key, at_ms);
  CREATE TABLE IF NOT EXISTS burnt (id TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS fees (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL,
    network TEXT NOT NULL,
    more TEXT NOT NULL,
    at_ms INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX IF NOT EXISTS fees_by_time ON fees (network, at_ms);
  CREATE INDEX IF NOT EXISTS fees_by_id ON fees (id);
  ${['log', 'fences', 'worths', 'deeds', 'burnt', 'fees']
    .flatMap((table) =>
      ['UPDATE', 'DELETE'].map(
        (change) => `CREATE TRIGGER IF NOT EXISTS ${table}_no_${change.toLowerCase()} BEFORE ${change} ON ${table}
          BEGIN SELECT RAISE(ABORT, 'append only'); END;`,
      ),
    )
    .join('\n')}
`;

/** The hourly limit for an amount, in 10^-18 units; `undefined` when the policy names none, which allows nothing. */
export type LimitOf = (counted: LimitedAmount) => bigint | undefined;

/**
 * The signer's memory: every signature and every burnt id. It must be kept even when the custodian's database is lost.
 */
export class SignatureLog {
  readonly #database: DatabaseSync;

  /**
   * Opens the log for this process alone, or makes it. Throws when another signer has it open, or when a row was
   * changed.
   */
  constructor(file: string) {
    this.#database = new DatabaseSync(file);
    this.#database.exec(
      'PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON;',
    );
    this.#database.exec(`BEGIN IMMEDIATE; ${SCHEMA} COMMIT;`);
    this.#verifyChain();
  }

  close(): void {
    this.#database.close();
  }

  /**
   * Notes on a person's decision that the clock was wrong: rows from a later time count as if they were of now, and the
   * clock is compared only with newer rows.
   */
  setClockRight(now_ms: number): void {
    transact(this.#database, () => this.#append('clock', '', '{}', now_ms));
  }

  /** Why this payment may not be signed, given the earlier signatures; `undefined` when it may. */
  findObjection(deed: Deed, network: string, limitOf: LimitOf, now_ms: number): RefusalReason | undefined {
    if (now_ms < this.#lastTime_ms() - MAX_CLOCK_LAG_MS) return 'clock_behind';
    if (this.isBurnt(deed.id) !== deed.isCancel) return deed.isCancel ? 'not_burnt' : 'burnt';
    const deeds = this.#listDeeds(deed.id);
    const earlier = deeds.at(-1);
    const isSame = deed.isCancel || earlier?.['order_digest'] === deed.orderDigest;
    if (earlier && (!isSame || earlier['network'] !== network)) return 'another_payment';
    const isVersion = earlier !== undefined && deed.fences.some((fence) => fence === earlier['anchor']);
    if (earlier && !isVersion) {
      if (!deed.dying || earlier['dies_at_ms'] === null) return 'second_payment';
      if (now_ms <= Number(earlier['dies_at_ms']) + DEAD_FOR_MS) return 'earlier_version_alive';
      if (deeds.length >= deed.dying.versions) return 'third_version';
    }
    if (deed.fences.some((fence) => (this.#ownerOf(network, fence) ?? deed.id) !== deed.id)) return 'fence_taken';
    if (this.#isWorthAnother(deed, network)) return 'another_payment';
    if (deed.counted) {
      if (earlier && earlier['atoms'] !== String(deed.counted.atoms)) return 'another_payment';
      const spent = this.#sumSince(deed.counted, now_ms);
      if (!isVersion && spent + deed.counted.atoms > (limitOf(deed.counted) ?? -1n)) return 'limit';
    }
    const more = this.#feeBeyond(deed);
    if (more <= 0n) return undefined;
    return this.#sumFees(network, now_ms) + more > (limitOf(deed.fee) ?? -1n) ? 'fee_limit' : undefined;
  }

  /** Whether a version of this payment was signed with one of these fences. */
  hasSigned({ id, fences }: DeedName, network: string): boolean {
    return fences.some((fence) => this.#ownerOf(network, fence) === id);
  }

  /** Whether anything was ever signed with this fence. */
  isUsed(network: string, fence: string): boolean {
    return this.#ownerOf(network, fence) !== undefined;
  }

  /** Records a signature on disk. Call it before the signature is returned. */
  recordSigned(deed: Deed, network: string, txHash: string, now_ms: number): void {
    transact(this.#database, () => {
      const isNew = this.#listDeeds(deed.id).every(({ anchor }) => deed.dying && anchor !== deed.fences[0]);
      if (!deed.isCancel && isNew) {
        this.#database
          .prepare('INSERT INTO deeds VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)')
          .run(
            deed.id,
            network,
            deed.fences[0],
            deed.dying?.at_ms ?? null,
            deed.orderDigest,
            deed.counted?.limit ?? null,
            deed.counted?.name ?? null,
            deed.counted ? String(deed.counted.atoms) : null,
            now_ms,
          );
      }
      const more = this.#feeBeyond(deed);
      if (more > 0n) {
        this.#database
          .prepare('INSERT INTO fees (id, network, more, at_ms) VALUES (?, ?, ?, ?)')
          .run(nameFees(deed), network, String(more), now_ms);
      }
      const insert = this.#database.prepare('INSERT INTO fences VALUES (?, ?, ?) ON CONFLICT DO NOTHING');
      for (const fence of deed.fences) insert.run(network, fence, deed.id);
      const value = this.#database.prepare('INSERT INTO worths VALUES (?, ?, ?) ON CONFLICT DO NOTHING');
      for (const [position, atoms] of deed.worths.entries()) value.run(network, deed.fences[position] ?? '', atoms);
      this.#append('signed', deed.id, JSON.stringify({ network, txHash, fences: deed.fences }), now_ms);
    });
  }

  /** Burns an id: nothing is signed for it from now on. Returns whether something was signed before. */
  burn(id: string, now_ms: number): boolean {
    if (!this.isBurnt(id)) {
      transact(this.#database, () => {
        this.#database.prepare('INSERT INTO burnt VALUES (?)').run(id);
        this.#append('burnt', id, '{}', now_ms);
      });
    }
    return this.#listDeeds(id).length > 0;
  }

  isBurnt(id: string): boolean {
    return this.#database.prepare('SELECT 1 FROM burnt WHERE id = ?').get(id) !== undefined;
  }

  /** The rows of a payment, the newest last. */
  #listDeeds(id: string) {
    return this.#database.prepare('SELECT * FROM deeds WHERE id = ? ORDER BY at_ms, dies_at_ms').all(id);
  }

  /**
   * Whether a coin was worth something else in an earlier request. A segwit signature covers only the amount of its own
   * input. Two requests for one transaction, each with another wrong amount, would give the signatures of a transaction
   * whose fee nobody has checked.
   */
  #isWorthAnother({ fences, worths }: Deed, network: string): boolean {
    const find = this.#database.prepare('SELECT atoms FROM worths WHERE network = ? AND coin = ?');
    return worths.some((atoms, position) => {
      const row = find.get(network, fences[position] ?? '');
      return row !== undefined && row['atoms'] !== atoms;
    });
  }

  #ownerOf(network: string, fence: string): string | undefined {
    const row = this.#database.prepare('SELECT id FROM fences WHERE network = ? AND fence = ?').get(network, fence);
    return row && String(row['id']);
  }

  #sumSince({ limit, name }: LimitedAmount, now_ms: number): bigint {
    const rows = this.#database
      .prepare(`SELECT atoms FROM deeds WHERE limit_name = ? AND limit_key = ? AND at_ms > ? AND at_ms <= ?`)
      .all(limit, name, now_ms - HOUR_MS, this.#latestCounted_ms(now_ms));
    return rows.reduce((sum, { atoms }) => sum + BigInt(String(atoms)), 0n);
  }

  /** By how much this version's fee is above the highest of its payment so far. */
  #feeBeyond(deed: Deed): bigint {
    const rows = this.#database.prepare('SELECT more FROM fees WHERE id = ?').all(nameFees(deed));
    return rows.reduce((left, { more }) => left - BigInt(String(more)), deed.fee.atoms);
  }

  #sumFees(network: string, now_ms: number): bigint {
    const rows = this.#database
      .prepare('SELECT more FROM fees WHERE network = ? AND at_ms > ? AND at_ms <= ?')
      .all(network, now_ms - HOUR_MS, this.#latestCounted_ms(now_ms));
    return rows.reduce((sum, { more }) => sum + BigInt(String(more)), 0n);
  }

  /** The newest row's time, of those since a person last set the clock right. */
  #lastTime_ms(): number {
    const since = `SELECT COALESCE(MAX(number), 0) FROM log WHERE kind = 'clock'`;
    const last = this.#database.prepare(`SELECT COALESCE(MAX(at_ms), 0) AS last FROM log WHERE number >= (${since})`);
    return Number(last.get()?.['last']);
  }

  /**
   * Rows up to this time count towards the limits of now. Those of a clock that was ahead count for one hour after a
   * person set it right, since nobody knows when they were written, and then no more.
   */
  #latestCounted_ms(now_ms: number): number {
    const row = this.#database.prepare(`SELECT MAX(at_ms) AS at FROM log WHERE kind = 'clock'`).get();
    const isPast = row?.['at'] != null && Number(row['at']) <= now_ms - HOUR_MS;
    return isPast ? now_ms + MAX_CLOCK_LAG_MS : Number.MAX_SAFE_INTEGER;
  }

  #append(kind: 'signed' | 'burnt' | 'clock', id: string, entry: string, now_ms: number): void {
    const last = this.#database.prepare('SELECT number, chain FROM log ORDER BY number DESC LIMIT 1').get();
    const number = Number(last?.['number'] ?? 0) + 1;
    const chain = linkTo(String(last?.['chain'] ?? ''), number, now_ms, kind, id, entry);
    this.#database.prepare('INSERT INTO log VALUES (?, ?, ?, ?, ?, ?)').run(number, now_ms, kind, id, entry, chain);
  }

  #verifyChain(): void {
    let [previous, expected] = ['', 1];
    for (const row of this.#database.prepare('SELECT * FROM log ORDER BY number').iterate()) {
      const { number, at_ms, kind, id, entry, chain } = row;
      const link = linkTo(previous, Number(number), Number(at_ms), String(kind), String(id), String(entry));
      if (Number(number) !== expected || chain !== link) {
        throw new Error(`the signer's log was changed at row ${expected}`);
      }
      [previous, expected] = [link, expected + 1];
    }
  }
}

/** Where fences die, each version may have paid its fee. */
function nameFees({ id, fences, dying }: Deed): string {
  return dying ? fences[0] : id;
}

function linkTo(previous: string, number: number, at_ms: number, kind: string, id: string, entry: string): string {
  return createHash('sha256').update([previous, number, at_ms, kind, id, entry].join('\n')).digest('hex');
}
