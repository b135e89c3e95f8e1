-- What the operator sets, and the record of who did.

-- What the operator sets while the exchange runs: one row. NULL leaves it to the configuration.
CREATE TABLE settings (
  id INTEGER PRIMARY KEY NOT NULL CHECK (id = 1),
  trading_halted INTEGER NOT NULL DEFAULT 0 CHECK (trading_halted IN (0, 1)),
  withdrawals_halted INTEGER NOT NULL DEFAULT 0 CHECK (withdrawals_halted IN (0, 1)),
  allowlist_mode TEXT CHECK (allowlist_mode IN ('off', 'strict')),
  -- A JSON array of networks.
  paused_networks TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(paused_networks)),
  -- In atoms of USDT; withdrawals above it wait for a review. NULL: none does.
  review_threshold INTEGER CHECK (review_threshold >= 0),
  -- JSON objects of what differs from the asset records, by asset and network, in the asset.
  fees TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(fees)),
  minimums TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(minimums)),
  spread_bps INTEGER CHECK (spread_bps BETWEEN 0 AND 1000),
  -- The prices that the operator would have shown of a coin while no source answers, and when each was set: a JSON object
  -- of {"BTC": {"price": "65000", "setAt": 1795241228900}}. What is not in it has the price that ships with Bureau.
  fallback_prices TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(fallback_prices)),
  -- As `fees` and `minimums`.
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

-- Who changed what, and when: one row for every change that an operator's token made, in the change's own batch.
CREATE TABLE audit (
  id INTEGER PRIMARY KEY NOT NULL,
  ts INTEGER NOT NULL,
  role TEXT NOT NULL,
  action TEXT NOT NULL,
  -- The id of what was changed.
  target TEXT NOT NULL,
  -- A JSON object of the change. Never a secret.
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
