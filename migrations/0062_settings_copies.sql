-- The settings of ledger 0 are the exchange's; every other ledger has a copy.

-- In ledger 0 each change by the operator takes the next number. In a copy it is the number of what was copied last.
ALTER TABLE settings ADD COLUMN revision INTEGER NOT NULL DEFAULT 0 CHECK (revision >= 0);

-- Two copies may be under way at once, and the older one may arrive last.
CREATE TRIGGER settings_are_not_overtaken BEFORE UPDATE ON settings
WHEN NEW.revision < OLD.revision
BEGIN
  SELECT RAISE(ABORT, 'guard: settings_overtaken');
END;
