import type { SQLInputValue } from 'node:sqlite';
import { SqliteFile } from './sqlite-file.ts';

/**
 * Amounts are whole atoms as decimal text, because 2^63 is too small for 18 decimals. Heights are integers; NULL means
 * "in no block". `spent` has the transaction in a block that spent a watched fence, and the fee that the block says it
 * paid. The fee of a version is the most that it can pay; on Bitcoin-like chains it pays exactly that. `told_held` is why
 * a payout was held when Bureau last asked about it; NULL when it was not held, or Bureau has not asked. `moves` has the
 * transfers of tokens that the logs of our own transaction show. `restored` marks a payout that
 * was open in a backup. `allowed` and `cancelled` are a person's decisions, `proof`
 * is the signer's about a burnt id. `nonces` has the nonce up to which we know who used it; a chain is not `adopted` while a
 * new or restored database catches up with it. A version that `cancels` pays nobody and only uses the fence. `clock` is what
 * fences die by: a fence with `dies_at` is used by no block after one with a later clock. `read_from` is the block
 * before the first that is compared with it. `ended` is the final block by which it was known to be used or dead.
 * `parent_height` shows that no block between was left out, also on a chain that has none at some heights.
 * `token_balances` has what a token account of ours on Solana had after each block that changed it.
 */
const SCHEMA = `
  CREATE TABLE IF NOT EXISTS blocks (
    network TEXT NOT NULL, height INTEGER NOT NULL, hash TEXT NOT NULL, clock INTEGER, parent_height INTEGER NOT NULL,
    PRIMARY KEY (network, height)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE IF NOT EXISTS chains (
    network TEXT PRIMARY KEY, final_height INTEGER NOT NULL DEFAULT -1, halted TEXT, adopted INTEGER NOT NULL DEFAULT 0
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE IF NOT EXISTS nonces (
    network TEXT NOT NULL, address TEXT NOT NULL, known TEXT NOT NULL,
    PRIMARY KEY (network, address)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE IF NOT EXISTS facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;

  CREATE TABLE IF NOT EXISTS watched (
    deposit_key TEXT NOT NULL, address_index INTEGER NOT NULL, lookup TEXT NOT NULL, address TEXT NOT NULL,
    PRIMARY KEY (deposit_key, address_index)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE IF NOT EXISTS fences (
    network TEXT NOT NULL, fence TEXT NOT NULL, owner TEXT NOT NULL,
    dies_at INTEGER, read_from INTEGER, ended INTEGER,
    PRIMARY KEY (network, fence, owner)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS fences_dying ON fences (network, dies_at) WHERE dies_at IS NOT NULL AND ended IS NULL;
  CREATE INDEX IF NOT EXISTS fences_by_owner ON fences (network, owner);

  CREATE TABLE IF NOT EXISTS spent (
    network TEXT NOT NULL, fence TEXT NOT NULL, tx_hash TEXT NOT NULL, reverted INTEGER NOT NULL, height INTEGER NOT NULL,
    fee TEXT,
    moves TEXT,
    starved INTEGER NOT NULL,
    PRIMARY KEY (network, fence)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS spent_by_height ON spent (network, height);

  CREATE TABLE IF NOT EXISTS spends (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    network TEXT NOT NULL,
    purpose TEXT NOT NULL CHECK (purpose IN ('payout', 'sweep', 'gas', 'cold', 'child', 'nonce')),
    asset TEXT NOT NULL,
    contract TEXT,
    address TEXT NOT NULL,
    atoms TEXT NOT NULL,
    source_index INTEGER,
    body TEXT,
    signature TEXT,
    state TEXT NOT NULL CHECK (state IN
      ('QUEUED', 'HELD', 'SIGNED', 'INCLUDED', 'FINAL_PAID', 'FINAL_REVERTED', 'DISPLACED', 'REFUSING', 'REFUSED')),
    reason TEXT,
    fence TEXT,
    plan TEXT,
    accepted_at_ms INTEGER NOT NULL,
    heard INTEGER NOT NULL DEFAULT 0,
    told_held TEXT,
    allowed INTEGER NOT NULL DEFAULT 0,
    restored INTEGER NOT NULL DEFAULT 0,
    cancelled TEXT,
    proof TEXT,
    CHECK ((purpose = 'payout') = (body IS NOT NULL AND signature IS NOT NULL))
  ) STRICT;
  CREATE UNIQUE INDEX IF NOT EXISTS spends_fence ON spends (network, fence) WHERE fence IS NOT NULL;
  CREATE INDEX IF NOT EXISTS spends_open ON spends (network, number)
    WHERE state NOT IN ('FINAL_PAID', 'REFUSED', 'DISPLACED');
  CREATE INDEX IF NOT EXISTS spends_unheard ON spends (number)
    WHERE purpose = 'payout' AND state IN ('FINAL_PAID', 'REFUSED') AND heard = 0;
  CREATE INDEX IF NOT EXISTS spends_by_address ON spends (network, address) WHERE purpose = 'payout';
  CREATE INDEX IF NOT EXISTS spends_cancelled ON spends (network) WHERE cancelled IS NOT NULL;
  CREATE INDEX IF NOT EXISTS spends_leaving ON spends (network, asset) WHERE purpose = 'payout' AND heard = 0;

  CREATE TABLE IF NOT EXISTS versions (
    spend_id TEXT NOT NULL REFERENCES spends (id),
    version INTEGER NOT NULL,
    network TEXT NOT NULL,
    tx_hash TEXT NOT NULL,
    raw TEXT NOT NULL,
    plan TEXT NOT NULL,
    fence TEXT NOT NULL,
    made_at_height INTEGER NOT NULL,
    fee TEXT NOT NULL,
    cancels INTEGER NOT NULL,
    PRIMARY KEY (spend_id, version),
    UNIQUE (network, tx_hash)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE IF NOT EXISTS deposits (
    network TEXT NOT NULL,
    tx_hash TEXT NOT NULL,
    output_index INTEGER NOT NULL,
    address TEXT NOT NULL,
    address_index INTEGER NOT NULL,
    asset TEXT NOT NULL,
    contract TEXT,
    atoms TEXT NOT NULL,
    inner_payment INTEGER NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('INCLUDED', 'ORPHANED', 'FINAL', 'DEAD')),
    height INTEGER,
    reported INTEGER NOT NULL DEFAULT 0,
    settled TEXT,
    swept INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (network, tx_hash, output_index)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS deposits_by_height ON deposits (network, height);
  CREATE INDEX IF NOT EXISTS deposits_open ON deposits (network) WHERE settled IS NULL;
  CREATE INDEX IF NOT EXISTS deposits_dead ON deposits (network) WHERE settled = 'QUARANTINED' AND state = 'DEAD';

  CREATE TABLE IF NOT EXISTS coins (
    network TEXT NOT NULL,
    outpoint TEXT NOT NULL,
    account TEXT NOT NULL,
    address_index INTEGER NOT NULL,
    atoms TEXT NOT NULL,
    height INTEGER,
    spendable_from INTEGER NOT NULL,
    own_depth INTEGER,
    reserved_by TEXT,
    PRIMARY KEY (network, outpoint)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS coins_by_height ON coins (network, height);

  CREATE TABLE IF NOT EXISTS token_balances (
    network TEXT NOT NULL,
    token_account TEXT NOT NULL,
    height INTEGER NOT NULL,
    account TEXT NOT NULL,
    address_index INTEGER NOT NULL,
    asset TEXT NOT NULL,
    atoms TEXT NOT NULL,
    PRIMARY KEY (network, token_account, height)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS token_balances_by_height ON token_balances (network, height);
`;

/** The custodian's database. */
export class Database extends SqliteFile {
  constructor(file: string) {
    super(file, SCHEMA);
    // Adds amounts, which are text. NULL counts as nothing.
    this.database.aggregate('sum_atoms', {
      start: () => 0n,
      step: (sum: bigint, atoms) => sum + BigInt(String(atoms ?? 0)),
      result: String,
    });
  }

  /** The amount in the column `sum` of the only row, which `sum_atoms` made. */
  sum(sql: string, ...values: SQLInputValue[]): bigint {
    return BigInt(String(this.one(sql, ...values)?.['sum']));
  }
}
