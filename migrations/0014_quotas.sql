-- Each ledger has a part of the exchange's supply caps and exposures, its quotas, which are the floors of its balances of
-- 'house:custody' and 'house:liquidity'. Ledger 0 has all of them at first. It gives quota to the others, and takes it back,
-- by grants.

-- A grant moves quota between ledger 0 and another one. It has a row in both databases, the giver's first, and each row
-- changes one floor. So while only the giver has it, the sum of all quotas is lower.
CREATE TABLE quota_grants (
  -- The same in both ledgers.
  id TEXT PRIMARY KEY NOT NULL,
  giver INTEGER NOT NULL,
  receiver INTEGER NOT NULL,
  -- Whose floor: of 'house:custody' it is the supply cap, of 'house:liquidity' the exposure.
  account TEXT NOT NULL CHECK (account IN ('house:liquidity', 'house:custody')),
  asset TEXT NOT NULL,
  amount INTEGER NOT NULL CHECK (amount > 0),
  -- The floor of this ledger after it.
  floor INTEGER NOT NULL CHECK (floor <= 0),
  -- In ledger 0: what the other ledger has been given and has not given back, after it. NULL in the other ledger.
  given INTEGER CHECK (given >= 0),
  -- Whether the receiver has it.
  received INTEGER NOT NULL CHECK (received IN (0, 1)),
  CHECK (giver <> receiver AND min(giver, receiver) = 0)
) STRICT, WITHOUT ROWID;

CREATE INDEX quota_grants_open ON quota_grants (id) WHERE received = 0;

-- In ledger 0: what each other ledger has been given and has not given back. No ledger ever has more than this, so the
-- limit of the whole exchange is this and the quota of ledger 0, however grants are cut off.
CREATE TABLE quotas (
  ledger INTEGER NOT NULL CHECK (ledger > 0),
  account TEXT NOT NULL,
  asset TEXT NOT NULL,
  amount INTEGER NOT NULL DEFAULT 0 CHECK (amount >= 0),
  PRIMARY KEY (account, asset, ledger)
) STRICT, WITHOUT ROWID;

-- The grant that the audit's newest row names.
CREATE VIEW newest_grant AS
  SELECT g.* FROM audit AS a JOIN quota_grants AS g ON g.id = a.target
  WHERE a.id = (SELECT max(id) FROM audit) AND a.action = 'grant_quota';

CREATE TRIGGER settings_number_an_empty_ledger AFTER UPDATE ON settings
WHEN NEW.ledger IS NOT OLD.ledger
BEGIN
  UPDATE balances SET floor = 0 WHERE account IN ('house:liquidity', 'house:custody');
END;

CREATE TRIGGER quota_grants_are_made_once BEFORE INSERT ON quota_grants
BEGIN
  SELECT RAISE(ABORT, 'guard: grant exists') WHERE EXISTS (SELECT 1 FROM quota_grants WHERE id = NEW.id);
  SELECT RAISE(ABORT, 'guard: no audit row names the grant')
    WHERE NOT EXISTS (
      SELECT 1 FROM audit WHERE id = (SELECT max(id) FROM audit) AND action = 'grant_quota' AND target = NEW.id);
  SELECT RAISE(ABORT, 'guard: a grant is between this ledger and another')
    WHERE (SELECT ledger FROM settings) NOT IN (NEW.giver, NEW.receiver)
      OR NEW.received IS NOT (SELECT ledger = NEW.receiver FROM settings);
  SELECT RAISE(ABORT, 'guard: a grant changes the floor by its amount')
    WHERE NEW.floor IS NOT (
      SELECT floor + iif(NEW.received, -NEW.amount, NEW.amount) FROM balances
      WHERE account = NEW.account AND asset = NEW.asset);
  SELECT RAISE(ABORT, 'guard: a grant changes what was given by its amount')
    WHERE NEW.given IS NOT (
      SELECT CASE WHEN ledger = 0 THEN iif(NEW.received, -NEW.amount, NEW.amount) + coalesce((
        SELECT amount FROM quotas
        WHERE account = NEW.account AND asset = NEW.asset AND quotas.ledger = max(NEW.giver, NEW.receiver)), 0) END
      FROM settings);
  SELECT RAISE(ABORT, 'ledger: floor ' || NEW.account || ' ' || NEW.asset) WHERE NEW.floor > 0;
END;

CREATE TRIGGER quota_grants_move_quotas AFTER INSERT ON quota_grants
BEGIN
  UPDATE balances SET floor = NEW.floor WHERE account = NEW.account AND asset = NEW.asset;
  INSERT INTO quotas (ledger, account, asset) SELECT max(NEW.giver, NEW.receiver), NEW.account, NEW.asset
    WHERE NEW.given IS NOT NULL AND NOT EXISTS (
      SELECT 1 FROM quotas
      WHERE account = NEW.account AND asset = NEW.asset AND ledger = max(NEW.giver, NEW.receiver));
  UPDATE quotas SET amount = NEW.given
    WHERE NEW.given IS NOT NULL AND account = NEW.account AND asset = NEW.asset
      AND ledger = max(NEW.giver, NEW.receiver);
END;

-- Only that the receiver has it is added later.
CREATE TRIGGER quota_grants_are_not_changed BEFORE UPDATE ON quota_grants
WHEN NEW.id IS NOT OLD.id OR NEW.giver IS NOT OLD.giver OR NEW.receiver IS NOT OLD.receiver
  OR NEW.account IS NOT OLD.account OR NEW.asset IS NOT OLD.asset OR NEW.amount IS NOT OLD.amount
  OR NEW.floor IS NOT OLD.floor OR NEW.given IS NOT OLD.given OR NEW.received IS NOT 1
BEGIN
  SELECT RAISE(ABORT, 'guard: a grant is never changed');
END;

CREATE TRIGGER quota_grants_are_kept BEFORE DELETE ON quota_grants
BEGIN
  SELECT RAISE(ABORT, 'guard: a grant is never deleted');
END;

CREATE TRIGGER quotas_begin_at_zero BEFORE INSERT ON quotas
WHEN NEW.amount IS NOT 0
  OR EXISTS (SELECT 1 FROM quotas WHERE account = NEW.account AND asset = NEW.asset AND ledger = NEW.ledger)
BEGIN
  SELECT RAISE(ABORT, 'guard: a quota begins once, at zero');
END;

CREATE TRIGGER quotas_are_explained BEFORE UPDATE ON quotas
WHEN NOT EXISTS (
  SELECT 1 FROM newest_grant
  WHERE account = OLD.account AND account = NEW.account AND asset = OLD.asset AND asset = NEW.asset
    AND max(giver, receiver) = OLD.ledger AND max(giver, receiver) = NEW.ledger AND given = NEW.amount)
BEGIN
  SELECT RAISE(ABORT, 'guard: no grant explains the quota');
END;

CREATE TRIGGER quotas_are_kept BEFORE DELETE ON quotas
BEGIN
  SELECT RAISE(ABORT, 'guard: a quota is never deleted');
END;

-- A migration that adds an asset gives only ledger 0 its limits: floor = iif((SELECT ledger FROM settings) = 0, -1000, 0).
CREATE TRIGGER limits_begin_in_ledger_0 BEFORE INSERT ON balances
WHEN NEW.account IN ('house:liquidity', 'house:custody') AND NEW.floor IS NOT 0
  AND (SELECT ledger FROM settings) IS NOT 0
BEGIN
  SELECT RAISE(ABORT, 'guard: the limits of an asset begin in ledger 0');
END;
