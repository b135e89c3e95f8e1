import { SqliteFile, type Row } from '../../custodian/src/store/sqlite-file.ts';
import type { Deal } from '../../src/dealing/contract.ts';
import { readAmount, writeAmount } from './amounts.ts';

/**
 * `body` is what Bureau sent, byte for byte. `may_be_sent` is 0 for a deal that was first seen after its `send_by`, or
 * that the venue already had: this process has never sent it. `held` is why a person must see an open deal. A balance is
 * `seen` only while no deal of its coin is open, so `at` divides the deals that are in it from those that are not.
 */
const SCHEMA = `
  CREATE TABLE IF NOT EXISTS deals (
    id TEXT PRIMARY KEY NOT NULL,
    body TEXT NOT NULL,
    ledger INTEGER NOT NULL,
    venue TEXT NOT NULL,
    coin TEXT NOT NULL,
    side TEXT NOT NULL CHECK (side IN ('BUY', 'SELL')),
    amount TEXT NOT NULL,
    limit_price TEXT NOT NULL,
    send_by INTEGER NOT NULL,
    taken_at INTEGER NOT NULL,
    may_be_sent INTEGER NOT NULL CHECK (may_be_sent IN (0, 1)),
    state TEXT NOT NULL CHECK (state IN ('OPEN', 'DEALT', 'REFUSED', 'BUSY')),
    held TEXT,
    reason TEXT,
    dealt_amount TEXT,
    cost TEXT,
    fee_asset TEXT,
    fee TEXT,
    reference TEXT,
    ended_at INTEGER,
    CHECK ((state = 'OPEN') = (ended_at IS NULL)),
    CHECK ((state IN ('REFUSED', 'BUSY')) = (reason IS NOT NULL)),
    CHECK ((state = 'DEALT') = (dealt_amount IS NOT NULL AND cost IS NOT NULL AND reference IS NOT NULL)),
    CHECK ((fee IS NULL) = (fee_asset IS NULL))
  ) STRICT, WITHOUT ROWID;
  CREATE UNIQUE INDEX IF NOT EXISTS deals_one_open ON deals (venue, coin) WHERE state = 'OPEN';
  CREATE INDEX IF NOT EXISTS deals_by_end ON deals (venue, ended_at) WHERE state = 'DEALT';
  CREATE TRIGGER IF NOT EXISTS deals_end_once BEFORE UPDATE ON deals WHEN OLD.state <> 'OPEN'
  BEGIN SELECT RAISE(ABORT, 'a deal that has ended is not changed'); END;
  CREATE TRIGGER IF NOT EXISTS deals_are_kept BEFORE DELETE ON deals
  BEGIN SELECT RAISE(ABORT, 'a deal is never deleted'); END;

  CREATE TABLE IF NOT EXISTS seen (
    venue TEXT NOT NULL, asset TEXT NOT NULL, at INTEGER NOT NULL, amount TEXT NOT NULL,
    PRIMARY KEY (venue, asset, at)
  ) STRICT, WITHOUT ROWID;
`;

/** What became of a deal, in the form of the table. */
export type End =
  | {
      readonly state: 'DEALT';
      readonly amount: string;
      readonly cost: string;
      readonly fee: { readonly asset: string; readonly amount: string } | null;
      readonly reference: string;
    }
  | { readonly state: 'REFUSED' | 'BUSY'; readonly reason: string };

export interface StoredDeal {
  readonly deal: Deal;
  readonly body: string;
  readonly sendBy_ms: number;
  readonly taken_ms: number;
  readonly mayBeSent: boolean;
  readonly held: string | null;
  /** `null` while it is open. */
  readonly end: End | null;
}

/** The deals of a dealer, in SQLite on disk. */
export class Store {
  readonly #file: SqliteFile;

  constructor(file: string) {
    this.#file = new SqliteFile(file, SCHEMA);
  }

  close(): void {
    this.#file.close();
  }

  find(id: string): StoredDeal | undefined {
    const row = this.#file.one('SELECT * FROM deals WHERE id = ?', id);
    return row && readDeal(row);
  }

  findOpen(venue: string, coin: string): StoredDeal | undefined {
    const row = this.#file.one(`SELECT * FROM deals WHERE venue = ? AND coin = ? AND state = 'OPEN'`, venue, coin);
    return row && readDeal(row);
  }

  listOpen(): StoredDeal[] {
    return this.#file.all(`SELECT * FROM deals WHERE state = 'OPEN' ORDER BY taken_at, id`).map(readDeal);
  }

  /**
   * Writes the deal's row, on disk before it returns. Throws when the id is known, or another deal of the venue and the
   * coin is open.
   */
  insert(deal: Deal, body: string, taken_ms: number, mayBeSent: boolean, end: End | null = null): StoredDeal {
    this.#file.run(
      `INSERT INTO deals (id, body, ledger, venue, coin, side, amount, limit_price, send_by, taken_at, may_be_sent,
         state, reason, dealt_amount, cost, fee_asset, fee, reference, ended_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      deal.id,
      body,
      deal.ledger,
      deal.venue,
      deal.coin,
      deal.side,
      deal.amount,
      deal.limitPrice,
      Date.parse(deal.sendBy),
      taken_ms,
      mayBeSent ? 1 : 0,
      ...columnsOf(end),
      end && taken_ms,
    );
    const stored = this.find(deal.id);
    if (!stored) throw new Error('the row is gone');
    return stored;
  }

  /** Ends an open deal. Returns whether it did; one that has ended stays as it is. */
  end(id: string, end: End, now_ms: number): boolean {
    const changed = this.#file.run(
      `UPDATE deals SET held = NULL, state = ?, reason = ?, dealt_amount = ?, cost = ?, fee_asset = ?, fee = ?, reference = ?,
         ended_at = ? WHERE id = ? AND state = 'OPEN'`,
      ...columnsOf(end),
      now_ms,
      id,
    );
    return changed === 1;
  }

  /** Notes why a person must see an open deal, or that none need. Returns whether that is new. */
  hold(id: string, held: string | null): boolean {
    return (
      this.#file.run(`UPDATE deals SET held = ? WHERE id = ? AND state = 'OPEN' AND held IS NOT ?`, held, id, held) ===
      1
    );
  }

  /** Notes a balance that was asked for at that time, if it is another than the last and no deal of the asset is open. */
  noteSeen(venue: string, asset: string, at_ms: number, amount: bigint): void {
    this.#file.transact(() => {
      if (this.findOpen(venue, asset) || this.#hasEndedSince(venue, asset, at_ms)) return;
      const text = writeAmount(amount);
      const last = this.#findSeen(venue, asset, at_ms);
      const isKnown = last?.['amount'] === text && !this.#hasEndedSince(venue, asset, Number(last['at']));
      if (!isKnown) this.#file.run('INSERT OR REPLACE INTO seen VALUES (?, ?, ?, ?)', venue, asset, at_ms, text);
    });
  }

  #hasEndedSince(venue: string, coin: string, at_ms: number): boolean {
    const sql = `SELECT 1 FROM deals WHERE venue = ? AND coin = ? AND state = 'DEALT' AND ended_at >= ?`;
    return this.#file.one(sql, venue, coin, at_ms) !== undefined;
  }

  #findSeen(venue: string, asset: string, until_ms: number): Row | undefined {
    const sql = 'SELECT at, amount FROM seen WHERE venue = ? AND asset = ? AND at <= ? ORDER BY at DESC LIMIT 1';
    return this.#file.one(sql, venue, asset, until_ms);
  }

  /**
   * What the venue must hold of a coin if nothing has moved it but the deals that are known: the last balance seen until
   * then, and what was dealt after it. `undefined` when none was seen.
   */
  expectBalance(venue: string, coin: string, until_ms: number): bigint | undefined {
    const seen = this.#findSeen(venue, coin, until_ms);
    if (!seen) return undefined;
    const sql = `SELECT * FROM deals WHERE venue = ? AND coin = ? AND state = 'DEALT' AND ended_at >= ?`;
    const later = this.#file.all(sql, venue, coin, Number(seen['at'])).map(readDeal);
    return later.reduce((sum, stored) => sum + (movesOf(stored).get(coin) ?? 0n), readAmount(String(seen['amount'])));
  }

  /** Whether a deal of the venue has ended at that time or later. */
  hasMovedSince(venue: string, at_ms: number): boolean {
    const sql = `SELECT 1 FROM deals WHERE venue = ? AND state = 'DEALT' AND ended_at >= ?`;
    return this.#file.one(sql, venue, at_ms) !== undefined;
  }

  /** What the deals of each ledger have moved at a venue, by asset, fees included. */
  sumMoves(venue: string): { ledger: number; asset: string; amount: bigint }[] {
    const sums = new Map<string, { ledger: number; asset: string; amount: bigint }>();
    for (const row of this.#file.all(`SELECT * FROM deals WHERE venue = ? AND state = 'DEALT'`, venue)) {
      const stored = readDeal(row);
      for (const [asset, moved] of movesOf(stored)) {
        const { ledger } = stored.deal;
        const sum = sums.get(`${ledger} ${asset}`) ?? { ledger, asset, amount: 0n };
        sums.set(`${ledger} ${asset}`, { ...sum, amount: sum.amount + moved });
      }
    }
    return [...sums.values()].toSorted((one, other) => one.ledger - other.ledger || (one.asset < other.asset ? -1 : 1));
  }
}

/** The columns from `state` to `reference`. */
function columnsOf(end: End | null): (string | null)[] {
  if (end?.state !== 'DEALT') return [end?.state ?? 'OPEN', end?.reason ?? null, null, null, null, null, null];
  const { state, amount, cost, fee, reference } = end;
  return [state, null, amount, cost, fee?.asset ?? null, fee?.amount ?? null, reference];
}

/** By how much a deal's end moved each balance at the venue. */
export function movesOf({ deal, end }: StoredDeal): Map<string, bigint> {
  const moves = new Map<string, bigint>();
  if (end?.state !== 'DEALT') return moves;
  const sign = deal.side === 'BUY' ? 1n : -1n;
  moves.set(deal.coin, sign * readAmount(end.amount));
  moves.set('USDT', -sign * readAmount(end.cost));
  if (end.fee) moves.set(end.fee.asset, (moves.get(end.fee.asset) ?? 0n) - readAmount(end.fee.amount));
  return moves;
}

function readDeal(row: Row): StoredDeal {
  const text = (column: string) => (row[column] === null ? null : String(row[column]));
  const state = String(row['state']);
  const end = (): End | null => {
    if (state === 'REFUSED' || state === 'BUSY') return { state, reason: text('reason') ?? '' };
    if (state !== 'DEALT') return null;
    const [asset, fee] = [text('fee_asset'), text('fee')];
    return {
      state,
      amount: text('dealt_amount') ?? '',
      cost: text('cost') ?? '',
      fee: asset === null || fee === null ? null : { asset, amount: fee },
      reference: text('reference') ?? '',
    };
  };
  const body = String(row['body']);
  return {
    deal: JSON.parse(body) as Deal,
    body,
    sendBy_ms: Number(row['send_by']),
    taken_ms: Number(row['taken_at']),
    mayBeSent: row['may_be_sent'] === 1,
    held: text('held'),
    end: end(),
  };
}
