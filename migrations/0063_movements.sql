-- Movements between ledgers. A movement takes one amount of one asset out of one ledger and into another. In each of the
-- two it has one row, its half, under the same id: the out half moves the amount from an owner to 'house:transit', the in
-- half from 'house:transit' to an owner. So the balance of 'house:transit' is what has come out and not gone in, or the
-- other way round, and over all ledgers it is zero unless a half is missing. The database of the other ledger is out of
-- reach here: the reconciliation compares the halves.

CREATE TABLE movements (
  -- Who gives or receives it in this ledger.
  account_id TEXT NOT NULL,
  id TEXT NOT NULL,
  half TEXT NOT NULL CHECK (half IN ('OUT', 'IN')),
  asset TEXT NOT NULL,
  amount INTEGER NOT NULL CHECK (amount > 0),
  -- The numbers of this ledger and of the one that has the other half.
  ledger INTEGER NOT NULL CHECK (ledger BETWEEN 0 AND 4095),
  peer INTEGER NOT NULL CHECK (peer BETWEEN 0 AND 4095),
  -- What it is for. A trigger checks it, since adding one to a CHECK would copy the whole table.
  --   INVENTORY   the house's own, between 'house:liquidity' of both ledgers
  purpose TEXT NOT NULL,
  -- The number of its transfer.
  transfer INTEGER NOT NULL,
  PRIMARY KEY (account_id, id),
  CHECK (ledger <> peer)
) STRICT, WITHOUT ROWID;

-- A ledger has one half of a movement, whoever gives or receives it.
CREATE UNIQUE INDEX movements_by_id ON movements (id);
-- The reconciliation compares new halves with those of each other ledger, in the order of their transfers.
CREATE UNIQUE INDEX movements_by_peer ON movements (peer, transfer);

CREATE TRIGGER movements_are_guarded BEFORE INSERT ON movements
BEGIN
  SELECT RAISE(ABORT, 'guard: movement exists')
    WHERE EXISTS (SELECT 1 FROM movements WHERE id = NEW.id);
  SELECT RAISE(ABORT, 'guard: a movement is for something')
    WHERE NEW.purpose IS NOT 'INVENTORY' OR NEW.account_id IS NOT 'house:liquidity';
  SELECT RAISE(ABORT, 'guard: the halves of a ledger have its number')
    WHERE NEW.ledger <> (SELECT ledger FROM movements LIMIT 1);
  SELECT RAISE(ABORT, 'guard: a movement names the next transfer')
    WHERE NEW.transfer IS NOT (SELECT coalesce(max(id), 0) + 1 FROM transfers);
END;

CREATE TRIGGER movements_move_money AFTER INSERT ON movements
BEGIN
  INSERT INTO transfers (id, debit, credit, asset, amount, kind, reference) VALUES (
    NEW.transfer, iif(NEW.half = 'OUT', NEW.account_id, 'house:transit'),
    iif(NEW.half = 'OUT', 'house:transit', NEW.account_id), NEW.asset, NEW.amount, 'movement', NEW.id);
END;

CREATE TRIGGER movements_are_not_changed BEFORE UPDATE ON movements
BEGIN
  SELECT RAISE(ABORT, 'guard: a movement is never changed');
END;

CREATE TRIGGER movements_are_not_deleted BEFORE DELETE ON movements
BEGIN
  SELECT RAISE(ABORT, 'guard: a movement is never deleted');
END;

-- A transfer of the kind 'movement' must be exactly what its half says, under the half's number.
CREATE TRIGGER transfers_of_movements_are_explained BEFORE INSERT ON transfers
WHEN NEW.kind = 'movement'
BEGIN
  SELECT RAISE(ABORT, 'ledger: no movement explains the transfer')
    WHERE NOT EXISTS (
      SELECT 1 FROM movements
      WHERE id = NEW.reference AND transfer = NEW.id AND asset = NEW.asset AND amount = NEW.amount
        AND NEW.debit = iif(half = 'OUT', account_id, 'house:transit')
        AND NEW.credit = iif(half = 'OUT', 'house:transit', account_id));
END;

DROP TRIGGER transfers_have_a_kind;

-- The guard of each kind is in the migration of its record.
CREATE TRIGGER transfers_have_a_kind BEFORE INSERT ON transfers
WHEN NEW.kind NOT IN ('order', 'deposit', 'withdrawal', 'settlement', 'movement')
BEGIN
  SELECT RAISE(ABORT, 'ledger: no such kind of transfer');
END;

-- 'house:transit' has a balance of every asset, of either sign: its floor is the lowest number with an opposite.

DROP TRIGGER balances_have_an_owner;

CREATE TRIGGER balances_have_an_owner BEFORE INSERT ON balances
WHEN NEW.account NOT IN ('house:liquidity', 'house:custody', 'house:payouts', 'house:fees', 'house:transit')
  AND NOT EXISTS (SELECT 1 FROM accounts WHERE id = NEW.account)
BEGIN
  SELECT RAISE(ABORT, 'ledger: a balance belongs to an account or to the house');
END;

DROP TRIGGER balances_begin_with_their_floor;

CREATE TRIGGER balances_begin_with_their_floor BEFORE INSERT ON balances
WHEN NEW.account NOT IN ('house:liquidity', 'house:custody')
  AND NEW.floor IS NOT iif(NEW.account = 'house:transit', -9223372036854775807, 0)
BEGIN
  SELECT RAISE(ABORT, 'ledger: a balance begins with the floor of its owner');
END;

CREATE TRIGGER balances_of_transit_keep_their_floor BEFORE UPDATE OF floor ON balances
WHEN OLD.account = 'house:transit' AND NEW.floor IS NOT OLD.floor
BEGIN
  SELECT RAISE(ABORT, 'guard: the floor of transit is never changed');
END;

DROP TRIGGER assets_are_held_by_every_account;

CREATE TRIGGER assets_are_held_by_every_account AFTER INSERT ON assets
BEGIN
  INSERT INTO balances (account, asset) VALUES ('house:payouts', NEW.asset), ('house:fees', NEW.asset);
  INSERT INTO balances (account, asset, floor) VALUES ('house:transit', NEW.asset, -9223372036854775807);
  INSERT INTO balances (account, asset) SELECT id, NEW.asset FROM accounts;
END;

INSERT INTO balances (account, asset, floor) SELECT 'house:transit', asset, -9223372036854775807 FROM assets;
