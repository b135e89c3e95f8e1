-- Invariants that the reconciliation (src/reconciliation/) found broken. Until an operator clears them, trading and
-- withdrawals stay halted. Its progress is in the storage of its object.

CREATE TABLE reconciliation_violations (
  id TEXT PRIMARY KEY NOT NULL,
  invariant TEXT NOT NULL,
  pass INTEGER NOT NULL,
  found_at INTEGER NOT NULL,
  examples TEXT NOT NULL CHECK (json_valid(examples)),
  cleared_at INTEGER,
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
  INSERT INTO changes_by_two VALUES ('clear_violation', NEW.id);
END;

CREATE TRIGGER violations_are_kept BEFORE DELETE ON reconciliation_violations
BEGIN
  SELECT RAISE(ABORT, 'guard: a violation is never deleted');
END;
