-- The ledger: balances, and the journal of transfers that move them.
--
-- One row of `transfers` is both sides of a movement. A balance changes only by a transfer, and never falls below its
-- floor. The record is the command: an order, a deposit, a withdrawal or a settlement names the numbers of its transfers,
-- and its triggers write them. A guard refuses every transfer that is not exactly what its record says.

CREATE TABLE assets (
  asset TEXT PRIMARY KEY NOT NULL,
  unit INTEGER NOT NULL CHECK (unit > 0)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER assets_are_listed_once BEFORE INSERT ON assets
BEGIN
  SELECT RAISE(ABORT, 'guard: asset exists') WHERE EXISTS (SELECT 1 FROM assets WHERE asset = NEW.asset);
END;

CREATE TRIGGER assets_are_not_changed BEFORE UPDATE ON assets
BEGIN
  SELECT RAISE(ABORT, 'guard: an asset is never changed');
END;

CREATE TRIGGER assets_are_held_by_every_account AFTER INSERT ON assets
BEGIN
  INSERT INTO balances (account, asset)
    VALUES ('house:payouts', NEW.asset), ('house:fees', NEW.asset), ('house:hedging', NEW.asset);
  INSERT INTO balances (account, asset, floor)
    SELECT 'house:transit', NEW.asset, -9007199254740991
    UNION SELECT account, NEW.asset, floor FROM balances WHERE account GLOB 'house:venue:*';
  INSERT INTO balances (account, asset) SELECT id, NEW.asset FROM accounts;
END;

-- Ledger accounts: one row for each owner and asset. An owner is the id of an account, or a name of the house:
--   house:liquidity  the inventory that orders are filled against. Its floor limits how much more than it had is sold, and
--                    how much more of a coin than the house's own capital is bought
--   house:custody    what came in from outside less what was paid out, as a negative number. Its floor is the supply cap
--   house:payouts    amounts and fees of withdrawals that are neither paid nor returned yet
--   house:fees       the fees of completed withdrawals
--   house:transit    what has left for other ledgers or come from them. Its floor is the lowest exact number, -(2^53 - 1)
--   house:hedging    what open hedges may still spend
--   house:venue:NAME what came from a venue less what went there, as a negative number. Its floor is that of transit
CREATE TABLE balances (
  account TEXT NOT NULL,
  asset TEXT NOT NULL REFERENCES assets (asset),
  amount INTEGER NOT NULL DEFAULT 0,
  floor INTEGER NOT NULL DEFAULT 0,
  -- The number of the newest transfer of this balance. 0 before the first.
  last_transfer INTEGER NOT NULL DEFAULT 0,
  -- On rows of 'house:liquidity': the round of prices of the coin's newest fill. 0 on all other rows.
  price_round INTEGER NOT NULL DEFAULT 0,
  -- On rows of 'house:liquidity': what its owner brought in of it, less what was taken out. The rest is its position.
  capital INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (account, asset),
  CHECK (amount >= floor)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER balances_begin_at_zero BEFORE INSERT ON balances
BEGIN
  SELECT RAISE(ABORT, 'ledger: a balance begins once, at zero')
    WHERE NEW.amount IS NOT 0 OR NEW.last_transfer IS NOT 0 OR NEW.price_round IS NOT 0 OR NEW.capital IS NOT 0
      OR EXISTS (SELECT 1 FROM balances WHERE account = NEW.account AND asset = NEW.asset);
  SELECT RAISE(ABORT, 'ledger: a balance belongs to an account or to the house')
    WHERE NEW.account NOT IN (
        'house:liquidity', 'house:custody', 'house:payouts', 'house:fees', 'house:transit', 'house:hedging')
      AND NOT EXISTS (SELECT 1 FROM accounts WHERE id = NEW.account)
      AND (NEW.account NOT GLOB 'house:venue:[a-z0-9]*' OR substr(NEW.account, 13) GLOB '*[^a-z0-9-]*'
        OR length(NEW.account) > 44);
  SELECT RAISE(ABORT, 'ledger: a balance begins with the floor of its owner')
    WHERE NEW.floor IS NOT iif(NEW.account = 'house:transit' OR NEW.account GLOB 'house:venue:*', -9007199254740991,
      -coalesce((SELECT amount FROM own_shares WHERE account = NEW.account AND asset = NEW.asset), 0));
END;

-- A balance changes by the amount of one transfer that is newer than `last_transfer`. A transfer changes its two balances
-- when it is written, and they then have its number. So any other UPDATE finds no transfer that explains it.
CREATE TRIGGER balances_are_explained BEFORE UPDATE ON balances
WHEN (NEW.account, NEW.asset, NEW.amount, NEW.last_transfer) IS NOT (OLD.account, OLD.asset, OLD.amount, OLD.last_transfer)
BEGIN
  SELECT RAISE(ABORT, 'ledger: a balance keeps its owner and asset')
    WHERE NEW.account IS NOT OLD.account OR NEW.asset IS NOT OLD.asset;
  SELECT RAISE(ABORT, 'ledger: no transfer explains the balance')
    WHERE NEW.last_transfer IS NULL OR NEW.last_transfer <= OLD.last_transfer OR NOT EXISTS (
      SELECT 1 FROM transfers
      WHERE id = NEW.last_transfer AND asset = NEW.asset AND (
        (debit = NEW.account AND NEW.amount = OLD.amount - amount) OR
        (credit = NEW.account AND NEW.amount = OLD.amount + amount)));
  SELECT RAISE(ABORT, 'ledger: floor ' || NEW.account || ' ' || NEW.asset || ' at ' || OLD.amount)
    WHERE NEW.amount < NEW.floor;
  -- What clients sell to the house stays within the exposure as well, what an open hedge has set aside included. What a
  -- venue has done is a fact, and never refused.
  SELECT RAISE(ABORT, 'ledger: ceiling ' || NEW.account || ' ' || NEW.asset)
    WHERE NEW.account = 'house:liquidity' AND NEW.asset <> 'USDT' AND NEW.amount > OLD.amount AND NEW.amount > NEW.capital
      AND NEW.amount - NEW.capital + (SELECT amount FROM balances WHERE account = 'house:hedging' AND asset = NEW.asset)
        > -NEW.floor
      AND EXISTS (SELECT 1 FROM transfers WHERE id = NEW.last_transfer AND kind IN ('order', 'settlement'));
  -- What the house has at venues counts for the supply cap, so that sending it there makes no room.
  SELECT RAISE(ABORT, 'ledger: floor ' || NEW.account || ' ' || NEW.asset)
    WHERE NEW.account = 'house:custody' AND NEW.amount < OLD.amount
      AND NEW.amount + coalesce((
        SELECT sum(amount) FROM balances
        WHERE account GLOB 'house:venue:*' AND asset = NEW.asset), 0) < NEW.floor
      AND EXISTS (SELECT 1 FROM transfers WHERE id = NEW.last_transfer AND kind = 'deposit');
END;

-- What this ledger may use of each limit, in atoms: its share in the settings, and nothing before it has one.
CREATE VIEW own_shares AS
  SELECT owner.key AS account, asset.key AS asset,
    CAST(coalesce(asset.value ->> settings.ledger, 0) AS INTEGER) AS amount
  FROM settings, json_each(settings.shares) AS owner, json_each(owner.value) AS asset
  WHERE owner.key IN ('house:liquidity', 'house:custody');

-- The floors of custody and inventory are the ledger's shares. A floor above the balance, such as a cap below what is owed
-- already, is refused with the message of a broken floor. A share that became lower may be reached in steps, as it is no
-- longer used. One that became higher is reached when all ledgers have these shares, which the audit row says by their
-- revision. With one ledger at once.
CREATE TRIGGER balances_keep_to_their_share BEFORE UPDATE OF floor ON balances
WHEN NEW.floor IS NOT OLD.floor
BEGIN
  SELECT RAISE(ABORT, 'guard: the floor of transit is never changed, nor a venue''s')
    WHERE OLD.account = 'house:transit' OR OLD.account GLOB 'house:venue:*';
  SELECT RAISE(ABORT, 'ledger: only inventory and custody may be negative')
    WHERE NEW.account NOT IN ('house:liquidity', 'house:custody');
  SELECT RAISE(ABORT, 'ledger: floor ' || NEW.account || ' ' || NEW.asset)
    WHERE NEW.amount < NEW.floor OR NEW.floor > 0;
  SELECT RAISE(ABORT, 'guard: a floor is the share of its ledger')
    WHERE NOT EXISTS (
      SELECT 1 FROM own_shares
      WHERE account = NEW.account AND asset = NEW.asset
        AND (NEW.floor = -amount OR (NEW.floor > OLD.floor AND NEW.floor < -amount)));
  SELECT RAISE(ABORT, 'guard: no audit row names the raised share')
    WHERE NEW.floor < OLD.floor AND NOT EXISTS (
      SELECT 1 FROM newest_audit, settings
      WHERE (action = 'raise_shares' AND newest_audit.detail ->> 'revision' = revision)
        OR (action = 'change_settings'
          AND json_array_length(shares, '$."' || NEW.account || '"."' || NEW.asset || '"') = 1));
END;

-- A database that takes its number has no share of anything yet.
CREATE TRIGGER settings_number_an_empty_ledger AFTER UPDATE ON settings
WHEN NEW.ledger IS NOT OLD.ledger
BEGIN
  UPDATE balances SET floor = 0 WHERE account IN ('house:liquidity', 'house:custody');
END;

CREATE TRIGGER balances_are_kept BEFORE DELETE ON balances
BEGIN
  SELECT RAISE(ABORT, 'ledger: a balance is never deleted');
END;

-- The journal: append-only and numbered without a gap. One row is both sides of a movement.
CREATE TABLE transfers (
  id INTEGER PRIMARY KEY NOT NULL,
  debit TEXT NOT NULL,
  credit TEXT NOT NULL,
  asset TEXT NOT NULL,
  amount INTEGER NOT NULL CHECK (amount > 0),
  -- A trigger checks it and not a CHECK constraint, since adding a kind to a CHECK would copy the whole table.
  kind TEXT NOT NULL,
  reference TEXT NOT NULL,
  ts INTEGER NOT NULL DEFAULT (CAST(unixepoch('subsec') * 1000 AS INTEGER)),
  CHECK (debit <> credit)
) STRICT;

-- Only the next number is accepted. So no row is replaced and none is missing, and a balance with the number of its newest
-- transfer cannot be moved by an older one again. The guard of each kind is in the file of its record.
CREATE TRIGGER transfers_are_numbered BEFORE INSERT ON transfers
BEGIN
  SELECT RAISE(ABORT, 'ledger: a transfer takes the next number')
    WHERE NEW.id IS NOT (SELECT coalesce(max(id), 0) + 1 FROM transfers);
  SELECT RAISE(ABORT, 'ledger: no such kind of transfer')
    WHERE NEW.kind <> 'order' AND NEW.kind <> 'deposit' AND NEW.kind <> 'withdrawal' AND NEW.kind <> 'settlement'
      AND NEW.kind <> 'funding' AND NEW.kind <> 'hedge';
END;

-- The transfer of an order's coin also writes the order's round into the row of 'house:liquidity', in the same UPDATE, and
-- that of a funding the capital.
CREATE TRIGGER transfers_move_balances AFTER INSERT ON transfers
BEGIN
  UPDATE balances SET amount = amount - NEW.amount, last_transfer = NEW.id,
      price_round = iif(NEW.kind = 'order' AND NEW.debit = 'house:liquidity' AND NEW.asset <> 'USDT', coalesce(
        (SELECT o.price_round FROM orders AS o
         WHERE o.account_id = NEW.credit AND o.id = NEW.reference AND o.coin = NEW.asset),
        price_round), price_round),
      capital = capital - iif(NEW.kind = 'funding' AND NEW.debit = 'house:liquidity', NEW.amount, 0)
    WHERE account = NEW.debit AND asset = NEW.asset;
  SELECT RAISE(ABORT, 'ledger: no such balance ' || NEW.debit || ' ' || NEW.asset) WHERE changes() = 0;
  UPDATE balances SET amount = amount + NEW.amount, last_transfer = NEW.id,
      price_round = iif(NEW.kind = 'order' AND NEW.credit = 'house:liquidity' AND NEW.asset <> 'USDT', coalesce(
        (SELECT o.price_round FROM orders AS o
         WHERE o.account_id = NEW.debit AND o.id = NEW.reference AND o.coin = NEW.asset),
        price_round), price_round),
      capital = capital + iif(NEW.kind = 'funding' AND NEW.credit = 'house:liquidity', NEW.amount, 0)
    WHERE account = NEW.credit AND asset = NEW.asset;
  SELECT RAISE(ABORT, 'ledger: no such balance ' || NEW.credit || ' ' || NEW.asset) WHERE changes() = 0;
END;

CREATE TRIGGER transfers_are_not_changed BEFORE UPDATE ON transfers
BEGIN
  SELECT RAISE(ABORT, 'ledger: a transfer is never changed');
END;

CREATE TRIGGER transfers_are_not_deleted BEFORE DELETE ON transfers
BEGIN
  SELECT RAISE(ABORT, 'ledger: a transfer is never deleted');
END;

-- A new account gets a balance in every asset, and a new asset a balance of every account. A migration that adds an asset
-- writes a row of the audit, 'add_asset', sets the shares of ledger 0 with the next revision, and inserts the asset, and then
-- the balances of custody and liquidity with their floors, as below.
CREATE TRIGGER accounts_hold_every_asset AFTER INSERT ON accounts
BEGIN
  INSERT INTO balances (account, asset) SELECT NEW.id, asset FROM assets;
END;

INSERT INTO assets (asset, unit) VALUES
  ('USDT', 1000000), ('USDC', 1000000), ('BTC', 100000000), ('ETH', 100000000), ('AVAX', 100000000),
  ('MATIC', 100000000), ('BNB', 100000000), ('LTC', 100000000), ('DOGE', 100000000);

INSERT INTO balances (account, asset, floor) SELECT account, asset, -amount FROM own_shares;
