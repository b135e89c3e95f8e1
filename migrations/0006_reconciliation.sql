-- Reconciliation: the ledger's promises checked again, slice by slice, by reading what is there
-- (src/ledger/reconciliation/).

-- How far the pass that is under way has come: one row. A step reads it, and writes it as the next step or not at all.
CREATE TABLE reconciliation (
  id INTEGER PRIMARY KEY NOT NULL CHECK (id = 1),
  -- The number of steps ever taken; a violation that is cleared is one.
  step INTEGER NOT NULL DEFAULT 0,
  pass INTEGER NOT NULL DEFAULT 1,
  -- NULL until the pass has taken its first step.
  started_at INTEGER,
  stepped_at INTEGER,
  -- The number of the newest transfer that this pass has read.
  journal INTEGER NOT NULL DEFAULT 0,
  -- JSON objects: where each check stands, what each invariant's checks found, and per asset by how much the balances
  -- differ from their transfers.
  cursors TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(cursors)),
  tallies TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(tallies)),
  differences TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(differences)),
  -- A JSON object: the figures of the last complete pass.
  report TEXT CHECK (json_valid(report))
) STRICT;

INSERT INTO reconciliation (id) VALUES (1);

CREATE TRIGGER reconciliation_is_one BEFORE INSERT ON reconciliation
WHEN EXISTS (SELECT 1 FROM reconciliation)
BEGIN
  SELECT RAISE(ABORT, 'guard: reconciliation exists');
END;

-- Of two steps from the same place only one stands.
CREATE TRIGGER reconciliation_moves_on BEFORE UPDATE ON reconciliation
WHEN NEW.step IS NOT OLD.step + 1
BEGIN
  SELECT RAISE(ABORT, 'guard: reconciliation_moved_on');
END;

CREATE TRIGGER reconciliation_is_kept BEFORE DELETE ON reconciliation
BEGIN
  SELECT RAISE(ABORT, 'guard: the reconciliation is never deleted');
END;

-- What the transfers that a pass has read come to, per balance. A row of an earlier pass counts as none. The sum is in
-- two parts, high * 2^32 + low, so that no journal, however broken, overflows it.
CREATE TABLE reconciled_balances (
  account TEXT NOT NULL,
  asset TEXT NOT NULL,
  pass INTEGER NOT NULL,
  high INTEGER NOT NULL,
  low INTEGER NOT NULL,
  last_transfer INTEGER NOT NULL,
  PRIMARY KEY (account, asset)
) STRICT, WITHOUT ROWID;

-- The journal by the records that it names. An index would make every order write two rows more; this one is written
-- behind the orders' backs, by the first pass that reads a transfer.
CREATE TABLE transfers_of_records (
  reference TEXT NOT NULL,
  transfer INTEGER NOT NULL,
  PRIMARY KEY (reference, transfer)
) STRICT, WITHOUT ROWID;

-- Invariants that were found broken. Until an operator clears them, trading and withdrawals stay halted.
CREATE TABLE reconciliation_violations (
  id TEXT PRIMARY KEY NOT NULL,
  invariant TEXT NOT NULL,
  pass INTEGER NOT NULL,
  found_at INTEGER NOT NULL,
  -- A JSON array of what was found first.
  examples TEXT NOT NULL CHECK (json_valid(examples)),
  cleared_at INTEGER,
  -- Why it was cleared.
  reason TEXT,
  CHECK ((cleared_at IS NULL) = (reason IS NULL))
) STRICT, WITHOUT ROWID;

CREATE TRIGGER violations_are_recorded_once BEFORE INSERT ON reconciliation_violations
WHEN NEW.cleared_at IS NOT NULL OR EXISTS (SELECT 1 FROM reconciliation_violations WHERE id = NEW.id)
BEGIN
  SELECT RAISE(ABORT, 'guard: violation exists');
END;

CREATE TRIGGER violations_are_cleared_once BEFORE UPDATE ON reconciliation_violations
BEGIN
  SELECT RAISE(ABORT, 'guard: violation_cleared') WHERE OLD.cleared_at IS NOT NULL;
  SELECT RAISE(ABORT, 'guard: a violation keeps what it is')
    WHERE NEW.id IS NOT OLD.id OR NEW.invariant IS NOT OLD.invariant OR NEW.pass IS NOT OLD.pass
      OR NEW.found_at IS NOT OLD.found_at OR NEW.examples IS NOT OLD.examples;
END;

CREATE TRIGGER violations_are_kept BEFORE DELETE ON reconciliation_violations
BEGIN
  SELECT RAISE(ABORT, 'guard: a violation is never deleted');
END;

CREATE TRIGGER halts_stay_until_violations_are_cleared BEFORE UPDATE ON settings
WHEN (NEW.trading_halted IS NOT 1 OR NEW.withdrawals_halted IS NOT 1)
  AND EXISTS (SELECT 1 FROM reconciliation_violations WHERE cleared_at IS NULL)
BEGIN
  SELECT RAISE(ABORT, 'guard: violation_stands');
END;

-- The daily limit that a withdrawal was checked against, in atoms of USDT: the account's own may change later. NULL for
-- those from before this column.
ALTER TABLE withdrawals ADD COLUMN daily_limit INTEGER CHECK (daily_limit >= 0);

CREATE TRIGGER withdrawals_name_their_limit BEFORE INSERT ON withdrawals
WHEN NEW.daily_limit IS NOT (SELECT daily_withdrawal_limit FROM accounts WHERE id = NEW.account_id)
BEGIN
  SELECT RAISE(ABORT, 'guard: a withdrawal names the daily limit of its account');
END;

CREATE TRIGGER withdrawals_keep_their_limit BEFORE UPDATE ON withdrawals
WHEN NEW.daily_limit IS NOT OLD.daily_limit
BEGIN
  SELECT RAISE(ABORT, 'guard: a withdrawal keeps its daily limit');
END;
