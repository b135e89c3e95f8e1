-- The operator's settings, and the audit of all changes by operators.

-- What the operator sets while the exchange runs: one row. NULL means that the configuration applies, unless the column says
-- something else.
CREATE TABLE settings (
  id INTEGER PRIMARY KEY NOT NULL CHECK (id = 1),
  trading_halted INTEGER NOT NULL DEFAULT 0 CHECK (trading_halted IN (0, 1)),
  withdrawals_halted INTEGER NOT NULL DEFAULT 0 CHECK (withdrawals_halted IN (0, 1)),
  allowlist_mode TEXT CHECK (allowlist_mode IN ('off', 'strict')),
  -- A JSON array of networks.
  paused_networks TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(paused_networks)),
  -- In atoms of USDT. Withdrawals that take an account's sum of 24 hours above it wait for a review. NULL: none waits.
  review_threshold INTEGER CHECK (review_threshold >= 0),
  -- JSON objects by asset and network: the amounts, in the asset, that replace those of the asset records.
  fees TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(fees)),
  minimums TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(minimums)),
  spread_bps INTEGER CHECK (spread_bps BETWEEN 0 AND 1000),
  -- The prices that are shown for coins while no source answers, and when the operator set them: a JSON object such as
  -- {"BTC": {"price": "65000", "setAt": 1795241228900}}. A coin that is not in it has the price that ships with Bureau.
  fallback_prices TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(fallback_prices)),
  -- The same for the smallest deposits that are credited.
  deposit_minimums TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(deposit_minimums))
) STRICT;

INSERT INTO settings (id) VALUES (1);

CREATE TRIGGER settings_are_one BEFORE INSERT ON settings
WHEN EXISTS (SELECT 1 FROM settings)
BEGIN
  SELECT RAISE(ABORT, 'guard: settings exist');
END;

CREATE TRIGGER settings_are_definite BEFORE UPDATE ON settings
WHEN NEW.trading_halted IS NULL OR NEW.withdrawals_halted IS NULL OR NEW.paused_networks IS NULL
  OR NEW.fees IS NULL OR NEW.minimums IS NULL OR NEW.deposit_minimums IS NULL
  OR NEW.fallback_prices IS NULL
BEGIN
  SELECT RAISE(ABORT, 'guard: a setting is never nothing');
END;

CREATE TRIGGER settings_are_kept BEFORE DELETE ON settings
BEGIN
  SELECT RAISE(ABORT, 'guard: the settings are never deleted');
END;

-- Who changed what, and when: one row for every change by an operator, and for every halt by the reconciliation. The row is
-- written in the batch of the change.
CREATE TABLE audit (
  id INTEGER PRIMARY KEY NOT NULL,
  ts INTEGER NOT NULL,
  role TEXT NOT NULL,
  action TEXT NOT NULL,
  -- The id of what was changed.
  target TEXT NOT NULL,
  -- A JSON object that describes the change. It never contains a secret.
  detail TEXT NOT NULL CHECK (json_valid(detail))
) STRICT;

CREATE TRIGGER audit_is_numbered BEFORE INSERT ON audit
WHEN NEW.id IS NOT (SELECT coalesce(max(id), 0) + 1 FROM audit)
BEGIN
  SELECT RAISE(ABORT, 'guard: an audit row takes the next number');
END;

CREATE TRIGGER audit_is_not_changed BEFORE UPDATE ON audit
BEGIN
  SELECT RAISE(ABORT, 'guard: an audit row is never changed');
END;

CREATE TRIGGER audit_is_not_deleted BEFORE DELETE ON audit
BEGIN
  SELECT RAISE(ABORT, 'guard: an audit row is never deleted');
END;
