-- Accounts, keys, the ledger and the records of orders and deposits.
--
-- The database keeps the promises on money by itself: a movement is one row that is both sides, a balance changes
-- only by a movement that explains it, and nothing below a floor is ever committed. Amounts are whole atoms in
-- 64-bit INTEGER columns of STRICT tables, so that an overflow is an error. Times are milliseconds since 1970.
-- Every RAISE begins with 'ledger:' or 'guard:'; src/ledger/commit.ts reads them.

CREATE TABLE accounts (
  id TEXT PRIMARY KEY NOT NULL,
  -- The account's own index in order of opening, of which its deposit addresses are derived. Never used again.
  address_index INTEGER NOT NULL UNIQUE CHECK (address_index >= 0),
  label TEXT NOT NULL,
  status TEXT NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'frozen')),
  -- In atoms of USDT, for a rolling 24 hours.
  daily_withdrawal_limit INTEGER NOT NULL DEFAULT 5000000000 CHECK (daily_withdrawal_limit >= 0),
  created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- INSERT OR REPLACE deletes without firing a DELETE trigger, so the tables that must keep their rows refuse it here.
CREATE TRIGGER accounts_are_opened_once BEFORE INSERT ON accounts
WHEN EXISTS (SELECT 1 FROM accounts WHERE id = NEW.id OR address_index = NEW.address_index)
BEGIN
  SELECT RAISE(ABORT, 'guard: account exists');
END;

CREATE TRIGGER accounts_are_kept BEFORE DELETE ON accounts
BEGIN
  SELECT RAISE(ABORT, 'guard: accounts are never deleted');
END;

CREATE TRIGGER accounts_keep_their_index BEFORE UPDATE ON accounts
WHEN NEW.id IS NOT OLD.id OR NEW.address_index IS NOT OLD.address_index
BEGIN
  SELECT RAISE(ABORT, 'guard: an account keeps its id and its index');
END;

CREATE TABLE api_keys (
  id TEXT PRIMARY KEY NOT NULL,
  account_id TEXT NOT NULL REFERENCES accounts (id),
  label TEXT NOT NULL,
  -- A subset of 'rtw': read, trade, withdraw.
  scopes TEXT NOT NULL CHECK (length(scopes) > 0 AND trim(scopes, 'rtw') = ''),
  token_hash TEXT NOT NULL,
  -- A JSON array of addresses and CIDR ranges; NULL admits every address.
  ip_allowlist TEXT CHECK (json_valid(ip_allowlist)),
  -- A JSON object of the buckets that differ from the defaults.
  rate_limits TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(rate_limits)),
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  revoked_at INTEGER
) STRICT, WITHOUT ROWID;

CREATE TRIGGER api_keys_are_made_once BEFORE INSERT ON api_keys
WHEN EXISTS (SELECT 1 FROM api_keys WHERE id = NEW.id)
BEGIN
  SELECT RAISE(ABORT, 'guard: api key exists');
END;

CREATE INDEX api_keys_of_account ON api_keys (account_id, id);

CREATE TRIGGER api_keys_are_kept BEFORE DELETE ON api_keys
BEGIN
  SELECT RAISE(ABORT, 'guard: an api key is revoked, never deleted');
END;

CREATE TRIGGER api_keys_stay_revoked BEFORE UPDATE ON api_keys
WHEN OLD.revoked_at IS NOT NULL AND NEW.revoked_at IS NOT OLD.revoked_at
BEGIN
  SELECT RAISE(ABORT, 'guard: a revoked key stays revoked');
END;

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
  spread_bps INTEGER CHECK (spread_bps BETWEEN 0 AND 1000)
) STRICT;

INSERT INTO settings (id) VALUES (1);

CREATE TRIGGER settings_are_one BEFORE INSERT ON settings
WHEN EXISTS (SELECT 1 FROM settings)
BEGIN
  SELECT RAISE(ABORT, 'guard: settings exist');
END;

CREATE TRIGGER settings_are_definite BEFORE UPDATE ON settings
WHEN NEW.trading_halted IS NULL OR NEW.withdrawals_halted IS NULL OR NEW.paused_networks IS NULL
  OR NEW.fees IS NULL OR NEW.minimums IS NULL
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

-- Ledger accounts: one row per owner and asset. An owner is an account's id, or one of the house's own:
--   house:liquidity  the inventory that orders fill from; its floor caps the exposure
--   house:custody    the outside world; negative by what the house owes, its floor is the supply cap
--   house:payouts    withdrawals in flight
--   house:fees       what was earned
CREATE TABLE balances (
  account TEXT NOT NULL,
  asset TEXT NOT NULL,
  amount INTEGER NOT NULL DEFAULT 0,
  floor INTEGER NOT NULL DEFAULT 0,
  -- The newest transfer that moved this balance; 0 before the first.
  last_transfer INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (account, asset),
  CHECK (amount >= floor)
) STRICT, WITHOUT ROWID;

-- The journal: append-only and numbered without a gap. One row is both sides.
CREATE TABLE transfers (
  id INTEGER PRIMARY KEY NOT NULL,
  debit TEXT NOT NULL,
  credit TEXT NOT NULL,
  asset TEXT NOT NULL,
  amount INTEGER NOT NULL CHECK (amount > 0),
  kind TEXT NOT NULL CHECK (kind IN ('order', 'deposit', 'withdrawal')),
  -- The id of the record that explains it.
  reference TEXT NOT NULL,
  ts INTEGER NOT NULL,
  CHECK (debit <> credit)
) STRICT;

-- The next number, and no other: so no row is replaced, none is missing, and a balance can tell the transfers that
-- it has seen from those that it has not.
CREATE TRIGGER transfers_are_numbered BEFORE INSERT ON transfers
WHEN NEW.id IS NOT (SELECT coalesce(max(id), 0) + 1 FROM transfers)
BEGIN
  SELECT RAISE(ABORT, 'ledger: a transfer takes the next number');
END;

CREATE TRIGGER transfers_move_balances AFTER INSERT ON transfers
BEGIN
  SELECT RAISE(ABORT, 'ledger: no such balance ' || NEW.debit || ' ' || NEW.asset)
    WHERE NOT EXISTS (SELECT 1 FROM balances WHERE account = NEW.debit AND asset = NEW.asset);
  SELECT RAISE(ABORT, 'ledger: no such balance ' || NEW.credit || ' ' || NEW.asset)
    WHERE NOT EXISTS (SELECT 1 FROM balances WHERE account = NEW.credit AND asset = NEW.asset);
  UPDATE balances SET amount = amount - NEW.amount, last_transfer = NEW.id
    WHERE account = NEW.debit AND asset = NEW.asset;
  UPDATE balances SET amount = amount + NEW.amount, last_transfer = NEW.id
    WHERE account = NEW.credit AND asset = NEW.asset;
END;

CREATE TRIGGER transfers_are_not_changed BEFORE UPDATE ON transfers
BEGIN
  SELECT RAISE(ABORT, 'ledger: a transfer is never changed');
END;

CREATE TRIGGER transfers_are_not_deleted BEFORE DELETE ON transfers
BEGIN
  SELECT RAISE(ABORT, 'ledger: a transfer is never deleted');
END;

CREATE TRIGGER balances_begin_at_zero BEFORE INSERT ON balances
WHEN NEW.amount IS NOT 0 OR NEW.last_transfer IS NOT 0
  OR EXISTS (SELECT 1 FROM balances WHERE account = NEW.account AND asset = NEW.asset)
BEGIN
  SELECT RAISE(ABORT, 'ledger: a balance begins once, at zero');
END;

-- Comparisons say IS NOT: UPDATE OR REPLACE turns a NULL into the column's default only after the triggers ran, and
-- `<>` says nothing of a NULL. A balance moves by exactly one transfer that it has not seen. A transfer moves its two balances when it is
-- written, and they then carry its number: no later UPDATE finds a transfer that could explain it.
CREATE TRIGGER balances_are_explained BEFORE UPDATE ON balances
WHEN NEW.amount IS NOT OLD.amount OR NEW.last_transfer IS NOT OLD.last_transfer
BEGIN
  SELECT RAISE(ABORT, 'ledger: no transfer explains the balance')
    WHERE NEW.last_transfer IS NULL OR NEW.last_transfer <= OLD.last_transfer OR NOT EXISTS (
      SELECT 1 FROM transfers
      WHERE id = NEW.last_transfer AND asset = NEW.asset AND (
        (debit = NEW.account AND NEW.amount = OLD.amount - amount) OR
        (credit = NEW.account AND NEW.amount = OLD.amount + amount)));
  SELECT RAISE(ABORT, 'ledger: floor ' || NEW.account || ' ' || NEW.asset)
    WHERE NEW.amount < NEW.floor;
END;

CREATE TRIGGER balances_keep_their_owner BEFORE UPDATE ON balances
WHEN NEW.account IS NOT OLD.account OR NEW.asset IS NOT OLD.asset
BEGIN
  SELECT RAISE(ABORT, 'ledger: a balance keeps its owner and asset');
END;

CREATE TRIGGER balances_keep_their_floor BEFORE UPDATE OF floor ON balances
WHEN NEW.floor IS NOT 0 AND NEW.account NOT IN ('house:liquidity', 'house:custody')
BEGIN
  SELECT RAISE(ABORT, 'ledger: only inventory and custody may be negative');
END;

-- A cap below what is owed already is told as the floor that it would break.
CREATE TRIGGER balances_stay_above_their_floor BEFORE UPDATE OF floor ON balances
WHEN NEW.amount < NEW.floor AND NEW.account IN ('house:liquidity', 'house:custody')
BEGIN
  SELECT RAISE(ABORT, 'ledger: floor ' || NEW.account || ' ' || NEW.asset);
END;

CREATE TRIGGER balances_begin_with_their_floor BEFORE INSERT ON balances
WHEN NEW.floor IS NOT 0 AND NEW.account NOT IN ('house:liquidity', 'house:custody')
BEGIN
  SELECT RAISE(ABORT, 'ledger: only inventory and custody may be negative');
END;

CREATE TRIGGER balances_are_kept BEFORE DELETE ON balances
BEGIN
  SELECT RAISE(ABORT, 'ledger: a balance is never deleted');
END;

-- The house's own rows. Floors in atoms: custody's is the most that may be owed to clients, liquidity's the most
-- that the house may be short.
INSERT INTO balances (account, asset, floor) VALUES
  ('house:custody', 'USDT', -1000000000000000), ('house:liquidity', 'USDT', -10000000000000),
  ('house:custody', 'USDC', -1000000000000000), ('house:liquidity', 'USDC', -10000000000000),
  ('house:custody', 'BTC', -1000000000000), ('house:liquidity', 'BTC', -20000000000),
  ('house:custody', 'ETH', -50000000000000), ('house:liquidity', 'ETH', -500000000000),
  ('house:custody', 'AVAX', -5000000000000000), ('house:liquidity', 'AVAX', -70000000000000),
  ('house:custody', 'MATIC', -100000000000000000), ('house:liquidity', 'MATIC', -5000000000000000),
  ('house:custody', 'BNB', -100000000000000), ('house:liquidity', 'BNB', -2000000000000),
  ('house:custody', 'LTC', -1000000000000000), ('house:liquidity', 'LTC', -15000000000000),
  ('house:custody', 'DOGE', -100000000000000000), ('house:liquidity', 'DOGE', -10000000000000000);

INSERT INTO balances (account, asset)
  SELECT owner.account, asset FROM balances
  CROSS JOIN (SELECT 'house:payouts' AS account UNION ALL SELECT 'house:fees') AS owner
  WHERE balances.account = 'house:custody';

-- Records. Ids are time-ordered (UUIDv7), their time is the one shown, and a page is one scan of the primary key.
CREATE TABLE orders (
  account_id TEXT NOT NULL REFERENCES accounts (id),
  id TEXT NOT NULL,
  coin TEXT NOT NULL,
  side TEXT NOT NULL CHECK (side IN ('BUY', 'SELL')),
  -- USDT per coin, 8 decimals.
  executed_price INTEGER NOT NULL CHECK (executed_price > 0),
  coin_amount INTEGER NOT NULL CHECK (coin_amount > 0),
  usdt_amount INTEGER NOT NULL CHECK (usdt_amount > 0),
  status TEXT NOT NULL CHECK (status IN ('COMPLETED', 'FAILED')),
  PRIMARY KEY (account_id, id)
) STRICT, WITHOUT ROWID;

-- A halt and a freeze hold in the batch itself, whatever a cache upstream believes.
CREATE TRIGGER orders_are_guarded BEFORE INSERT ON orders
BEGIN
  SELECT RAISE(ABORT, 'guard: order exists')
    WHERE EXISTS (SELECT 1 FROM orders WHERE account_id = NEW.account_id AND id = NEW.id);
  SELECT RAISE(ABORT, 'guard: account_frozen')
    WHERE NOT EXISTS (SELECT 1 FROM accounts WHERE id = NEW.account_id AND status = 'active');
  SELECT RAISE(ABORT, 'guard: trading_halted')
    WHERE NOT EXISTS (SELECT 1 FROM settings WHERE id = 1 AND trading_halted = 0);
END;

CREATE TRIGGER orders_are_not_changed BEFORE UPDATE ON orders
BEGIN
  SELECT RAISE(ABORT, 'guard: an order is never changed');
END;

CREATE TRIGGER orders_are_not_deleted BEFORE DELETE ON orders
BEGIN
  SELECT RAISE(ABORT, 'guard: an order is never deleted');
END;

-- Deposits: those that custody reports from a chain, and those that the operator credits by hand. What a chain
-- brought for nobody that is known here stands under 'house:unowned'.
CREATE TABLE deposits (
  account_id TEXT NOT NULL,
  id TEXT NOT NULL,
  type TEXT NOT NULL CHECK (type IN ('ONCHAIN_DEPOSIT', 'INTERNAL_DEPOSIT')),
  asset TEXT NOT NULL,
  -- What is credited: the exact amount, rounded down to whole atoms.
  amount INTEGER NOT NULL CHECK (amount >= 0),
  -- In atoms of USDT, fixed at the event.
  usd_value INTEGER NOT NULL CHECK (usd_value >= 0),
  status TEXT NOT NULL CHECK (status IN ('PENDING', 'COMPLETED', 'FAILED', 'QUARANTINED')),
  -- Why it was quarantined.
  reason TEXT,
  -- The operator's own name for a credit made by hand.
  reference TEXT,
  -- Where a deposit from a chain was seen, and exactly how much it was.
  network TEXT,
  tx_hash TEXT,
  output_index INTEGER,
  address TEXT,
  exact_amount TEXT,
  confirmations INTEGER,
  PRIMARY KEY (account_id, id),
  CHECK ((type = 'INTERNAL_DEPOSIT') = (reference IS NOT NULL)),
  CHECK ((type = 'ONCHAIN_DEPOSIT') = (network IS NOT NULL AND tx_hash IS NOT NULL AND output_index IS NOT NULL
    AND address IS NOT NULL AND exact_amount IS NOT NULL AND confirmations IS NOT NULL)),
  CHECK ((status = 'QUARANTINED') = (reason IS NOT NULL)),
  CHECK (status <> 'COMPLETED' OR (amount > 0 AND account_id <> 'house:unowned'))
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX deposits_once_per_reference ON deposits (account_id, reference) WHERE reference IS NOT NULL;
CREATE UNIQUE INDEX deposits_once_per_output ON deposits (network, tx_hash, output_index) WHERE network IS NOT NULL;

CREATE TRIGGER deposits_are_recorded_once BEFORE INSERT ON deposits
BEGIN
  SELECT RAISE(ABORT, 'guard: no such account')
    WHERE NEW.account_id IS NOT 'house:unowned' AND NOT EXISTS (SELECT 1 FROM accounts WHERE id = NEW.account_id);
  SELECT RAISE(ABORT, 'guard: deposit exists')
    WHERE EXISTS (SELECT 1 FROM deposits WHERE account_id = NEW.account_id AND id = NEW.id)
      OR EXISTS (SELECT 1 FROM deposits WHERE account_id = NEW.account_id AND reference = NEW.reference)
      OR EXISTS (
        SELECT 1 FROM deposits
        WHERE network = NEW.network AND tx_hash = NEW.tx_hash AND output_index = NEW.output_index);
END;

-- A deposit moves on and never back: what was credited or had failed is settled. An UPDATE names the deposit alone, so
-- that a second one of the same step meets this guard instead of matching nothing.
CREATE TRIGGER deposits_move_on BEFORE UPDATE ON deposits
BEGIN
  SELECT RAISE(ABORT, 'guard: deposit_settled') WHERE OLD.status IN ('COMPLETED', 'FAILED');
  SELECT RAISE(ABORT, 'guard: a deposit keeps what it is')
    WHERE NEW.account_id IS NOT OLD.account_id OR NEW.id IS NOT OLD.id OR NEW.type IS NOT OLD.type
      OR NEW.asset IS NOT OLD.asset OR NEW.amount IS NOT OLD.amount OR NEW.usd_value IS NOT OLD.usd_value
      OR NEW.reference IS NOT OLD.reference OR NEW.network IS NOT OLD.network OR NEW.tx_hash IS NOT OLD.tx_hash
      OR NEW.output_index IS NOT OLD.output_index OR NEW.address IS NOT OLD.address
      OR NEW.exact_amount IS NOT OLD.exact_amount OR NEW.status IS NULL
      OR (OLD.status = 'QUARANTINED' AND NEW.status = 'PENDING');
END;

CREATE TRIGGER deposits_are_not_deleted BEFORE DELETE ON deposits
BEGIN
  SELECT RAISE(ABORT, 'guard: a deposit is never deleted');
END;

-- Money comes in only for a deposit that is completed, of that account, asset and amount.
CREATE TRIGGER transfers_of_deposits_are_explained BEFORE INSERT ON transfers
WHEN NEW.kind = 'deposit'
BEGIN
  SELECT RAISE(ABORT, 'guard: no deposit explains the transfer')
    WHERE NEW.debit IS NOT 'house:custody' OR NOT EXISTS (
      SELECT 1 FROM deposits
      WHERE account_id = NEW.credit AND id = NEW.reference AND asset = NEW.asset AND amount = NEW.amount
        AND status = 'COMPLETED');
END;
