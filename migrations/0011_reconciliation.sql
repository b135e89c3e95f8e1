-- What the reconciliation (src/reconciliation/) found broken. Its progress is in the storage of its object.

-- Invariants that were found broken. Until an operator clears them, trading and withdrawals stay halted.
CREATE TABLE reconciliation_violations (
  id TEXT PRIMARY KEY NOT NULL,
  invariant TEXT NOT NULL,
  pass INTEGER NOT NULL,
  found_at INTEGER NOT NULL,
  -- A JSON array of the first examples that were found.
  examples TEXT NOT NULL CHECK (json_valid(examples)),
  cleared_at INTEGER,
  -- The operator's reason for clearing it.
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
    WHERE (NEW.id, NEW.invariant, NEW.pass, NEW.found_at, NEW.examples)
      IS NOT (OLD.id, OLD.invariant, OLD.pass, OLD.found_at, OLD.examples);
END;

CREATE TRIGGER violations_are_kept BEFORE DELETE ON reconciliation_violations
BEGIN
  SELECT RAISE(ABORT, 'guard: a violation is never deleted');
END;

CREATE TRIGGER violations_are_cleared_by_two BEFORE UPDATE OF cleared_at ON reconciliation_violations
BEGIN
  INSERT INTO changes_by_two VALUES ('clear_violation', NEW.id);
END;

CREATE TRIGGER halts_stay_until_violations_are_cleared BEFORE UPDATE ON settings
WHEN (NEW.trading_halted IS NOT 1 OR NEW.withdrawals_halted IS NOT 1)
  AND EXISTS (SELECT 1 FROM reconciliation_violations WHERE cleared_at IS NULL)
BEGIN
  SELECT RAISE(ABORT, 'guard: violation_stands');
END;
