-- Settlements: trades that were agreed elsewhere, between two accounts or between an account and the house, and that the
-- operator enters here. Each has two transfers.
--
-- Between accounts of two ledgers the buyer's ledger holds the USDT in 'house:payouts'. The seller's ledger then writes the
-- seller's row, whose movements bring the USDT in and take the coin out: from now on the trade is made. Then the hold is
-- PAID, which writes the buyer's row, whose movements take the USDT out and bring the coin in. A hold is returned only when
-- the seller's ledger has refused the movement of the USDT for good.

-- One row for each account of the trade, so that the activity feed finds it among that account's records. A trade between
-- two accounts has two rows with one id: the code writes the buyer's, and a trigger the seller's. The house has no row.
CREATE TABLE settlements (
  account_id TEXT NOT NULL REFERENCES accounts (id),
  id TEXT NOT NULL,
  type TEXT NOT NULL CHECK (type IN ('P2P_BUY', 'P2P_SELL', 'QUICK_BUY', 'QUICK_SELL')),
  -- The other account, or 'house:liquidity'.
  counterparty TEXT NOT NULL,
  coin TEXT NOT NULL,
  coin_amount INTEGER NOT NULL CHECK (coin_amount > 0),
  usdt_amount INTEGER NOT NULL CHECK (usdt_amount > 0),
  -- The operator's own id of the trade.
  reference TEXT NOT NULL,
  -- The number of the transfer that pays the USDT; the next one delivers the coin.
  first_transfer INTEGER NOT NULL,
  -- The movements of a settlement between two ledgers. Each id is made for the ledger that the movement goes to.
  usdt_movement TEXT,
  coin_movement TEXT,
  PRIMARY KEY (account_id, id),
  CHECK (counterparty <> account_id),
  CHECK ((type IN ('QUICK_BUY', 'QUICK_SELL')) = (counterparty = 'house:liquidity'))
) STRICT, WITHOUT ROWID;

-- The seller's row of a trade between two accounts has the same reference as the buyer's and is left out.
CREATE UNIQUE INDEX settlements_once_per_reference ON settlements (reference) WHERE type <> 'P2P_SELL';

-- A trade between two ledgers is checked for the buyer when the USDT is held, and for the seller when it is delivered.
-- After that nothing stops the buyer's row.
CREATE TRIGGER settlements_are_guarded BEFORE INSERT ON settlements
BEGIN
  SELECT RAISE(ABORT, 'guard: settlement exists')
    WHERE EXISTS (SELECT 1 FROM settlements WHERE account_id = NEW.account_id AND id = NEW.id)
      OR (NEW.type IS NOT 'P2P_SELL' AND (
        EXISTS (SELECT 1 FROM settlements WHERE reference = NEW.reference AND type <> 'P2P_SELL')
        OR EXISTS (
          SELECT 1 FROM settlement_holds
          WHERE reference = NEW.reference AND status <> 'RETURNED' AND id IS NOT NEW.id)));
  SELECT RAISE(ABORT, 'guard: account_frozen')
    WHERE (NEW.type IS NOT 'P2P_BUY' OR NEW.usdt_movement IS NULL)
      AND NOT EXISTS (SELECT 1 FROM accounts WHERE id = NEW.account_id AND status = 'active');
  SELECT RAISE(ABORT, 'guard: trading_halted')
    WHERE (NEW.type IS NOT 'P2P_BUY' OR NEW.usdt_movement IS NULL)
      AND NOT EXISTS (SELECT 1 FROM settings WHERE id = 1 AND trading_halted = 0);
  SELECT RAISE(ABORT, 'guard: no such coin')
    WHERE NEW.coin IS 'USDT' OR NOT EXISTS (SELECT 1 FROM assets WHERE asset = NEW.coin);
  SELECT RAISE(ABORT, 'guard: a settlement names the next transfers')
    WHERE NEW.first_transfer IS NOT (SELECT coalesce(max(id), 0) + 1 FROM transfers);
  SELECT RAISE(ABORT, 'guard: a sale has its purchase')
    WHERE NEW.type IS 'P2P_SELL' AND NEW.usdt_movement IS NULL AND NOT EXISTS (
      SELECT 1 FROM settlements
      WHERE account_id = NEW.counterparty AND id = NEW.id AND type = 'P2P_BUY' AND counterparty = NEW.account_id
        AND coin = NEW.coin AND coin_amount = NEW.coin_amount AND usdt_amount = NEW.usdt_amount
        AND reference = NEW.reference AND first_transfer = NEW.first_transfer);
  SELECT RAISE(ABORT, 'guard: a trade between two ledgers has two movements')
    WHERE (NEW.usdt_movement IS NOT NULL OR NEW.coin_movement IS NOT NULL)
      AND (NEW.type NOT IN ('P2P_BUY', 'P2P_SELL') OR NEW.usdt_movement IS NULL OR NEW.coin_movement IS NULL
        OR substr(NEW.usdt_movement, 16, 3) IS substr(NEW.coin_movement, 16, 3));
  SELECT RAISE(ABORT, 'guard: a purchase from another ledger was held')
    WHERE NEW.type IS 'P2P_BUY' AND NEW.usdt_movement IS NOT NULL AND NOT EXISTS (
      SELECT 1 FROM settlement_holds
      WHERE account_id = NEW.account_id AND id = NEW.id AND status = 'PAID' AND counterparty = NEW.counterparty
        AND coin = NEW.coin AND coin_amount = NEW.coin_amount AND usdt_amount = NEW.usdt_amount
        AND reference = NEW.reference AND usdt_movement = NEW.usdt_movement AND coin_movement = NEW.coin_movement);
END;

-- Writes the seller's row of a trade between two accounts of this ledger, and then the two transfers.
CREATE TRIGGER settlements_move_money AFTER INSERT ON settlements
WHEN NEW.type <> 'P2P_SELL' AND NEW.usdt_movement IS NULL
BEGIN
  INSERT INTO settlements
    (account_id, id, type, counterparty, coin, coin_amount, usdt_amount, reference, first_transfer)
    SELECT NEW.counterparty, NEW.id, 'P2P_SELL', NEW.account_id, NEW.coin, NEW.coin_amount, NEW.usdt_amount,
      NEW.reference, NEW.first_transfer
    WHERE NEW.type = 'P2P_BUY';
  INSERT INTO transfers (id, debit, credit, asset, amount, kind, reference) VALUES (
    NEW.first_transfer, iif(NEW.type = 'QUICK_SELL', NEW.counterparty, NEW.account_id),
    iif(NEW.type = 'QUICK_SELL', NEW.account_id, NEW.counterparty), 'USDT', NEW.usdt_amount, 'settlement', NEW.id);
  INSERT INTO transfers (id, debit, credit, asset, amount, kind, reference) VALUES (
    NEW.first_transfer + 1, iif(NEW.type = 'QUICK_SELL', NEW.account_id, NEW.counterparty),
    iif(NEW.type = 'QUICK_SELL', NEW.counterparty, NEW.account_id), NEW.coin, NEW.coin_amount, 'settlement', NEW.id);
END;

CREATE TRIGGER settlements_are_not_changed BEFORE UPDATE ON settlements
BEGIN
  SELECT RAISE(ABORT, 'guard: a settlement is never changed');
END;

CREATE TRIGGER settlements_are_not_deleted BEFORE DELETE ON settlements
BEGIN
  SELECT RAISE(ABORT, 'guard: a settlement is never deleted');
END;

-- The movements between two ledgers. The coin's movement names the buyer's ledger, and that of the USDT the seller's.
CREATE TRIGGER purchases_move_between_ledgers AFTER INSERT ON settlements
WHEN NEW.type = 'P2P_BUY' AND NEW.usdt_movement IS NOT NULL
BEGIN
  INSERT INTO movements (account_id, id, half, asset, amount, ledger, peer, purpose, transfer, record_id) VALUES (
    'house:payouts', NEW.usdt_movement, 'OUT', 'USDT', NEW.usdt_amount,
    (('0x' || substr(NEW.coin_movement, 16, 3)) ->> '$'), (('0x' || substr(NEW.usdt_movement, 16, 3)) ->> '$'),
    'SETTLEMENT', NEW.first_transfer, NEW.id);
  INSERT INTO movements (account_id, id, half, asset, amount, ledger, peer, purpose, transfer, record_id) VALUES (
    NEW.account_id, NEW.coin_movement, 'IN', NEW.coin, NEW.coin_amount,
    (('0x' || substr(NEW.coin_movement, 16, 3)) ->> '$'), (('0x' || substr(NEW.usdt_movement, 16, 3)) ->> '$'),
    'SETTLEMENT', NEW.first_transfer + 1, NEW.id);
END;

CREATE TRIGGER sales_move_between_ledgers AFTER INSERT ON settlements
WHEN NEW.type = 'P2P_SELL' AND NEW.usdt_movement IS NOT NULL
BEGIN
  INSERT INTO movements (account_id, id, half, asset, amount, ledger, peer, purpose, transfer, record_id) VALUES (
    NEW.account_id, NEW.usdt_movement, 'IN', 'USDT', NEW.usdt_amount,
    (('0x' || substr(NEW.usdt_movement, 16, 3)) ->> '$'), (('0x' || substr(NEW.coin_movement, 16, 3)) ->> '$'),
    'SETTLEMENT', NEW.first_transfer, NEW.id);
  INSERT INTO movements (account_id, id, half, asset, amount, ledger, peer, purpose, transfer, record_id) VALUES (
    NEW.account_id, NEW.coin_movement, 'OUT', NEW.coin, NEW.coin_amount,
    (('0x' || substr(NEW.usdt_movement, 16, 3)) ->> '$'), (('0x' || substr(NEW.coin_movement, 16, 3)) ->> '$'),
    'SETTLEMENT', NEW.first_transfer + 1, NEW.id);
END;

-- The USDT that buyers have paid for such settlements. It has the settlement's id.
CREATE TABLE settlement_holds (
  account_id TEXT NOT NULL REFERENCES accounts (id),
  id TEXT NOT NULL,
  counterparty TEXT NOT NULL,
  coin TEXT NOT NULL,
  coin_amount INTEGER NOT NULL CHECK (coin_amount > 0),
  usdt_amount INTEGER NOT NULL CHECK (usdt_amount > 0),
  reference TEXT NOT NULL,
  usdt_movement TEXT NOT NULL,
  coin_movement TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('HELD', 'PAID', 'RETURNED')),
  taken_transfer INTEGER NOT NULL,
  returned_transfer INTEGER,
  PRIMARY KEY (account_id, id),
  CHECK (counterparty <> account_id),
  CHECK ((status = 'RETURNED') = (returned_transfer IS NOT NULL))
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX settlement_holds_by_id ON settlement_holds (id);
CREATE UNIQUE INDEX settlement_holds_once_per_reference ON settlement_holds (reference) WHERE status <> 'RETURNED';

-- A keeper goes on with those that stand, the oldest first.
CREATE INDEX settlement_holds_open ON settlement_holds (id) WHERE status = 'HELD';

CREATE TRIGGER settlement_holds_are_guarded BEFORE INSERT ON settlement_holds
BEGIN
  SELECT RAISE(ABORT, 'guard: settlement exists')
    WHERE EXISTS (SELECT 1 FROM settlement_holds WHERE id = NEW.id)
      OR EXISTS (SELECT 1 FROM settlement_holds WHERE reference = NEW.reference AND status <> 'RETURNED')
      OR EXISTS (SELECT 1 FROM settlements WHERE reference = NEW.reference AND type <> 'P2P_SELL');
  SELECT RAISE(ABORT, 'guard: account_frozen')
    WHERE NOT EXISTS (SELECT 1 FROM accounts WHERE id = NEW.account_id AND status = 'active');
  SELECT RAISE(ABORT, 'guard: trading_halted')
    WHERE NOT EXISTS (SELECT 1 FROM settings WHERE id = 1 AND trading_halted = 0);
  SELECT RAISE(ABORT, 'guard: no such coin')
    WHERE NEW.coin IS 'USDT' OR NOT EXISTS (SELECT 1 FROM assets WHERE asset = NEW.coin);
  SELECT RAISE(ABORT, 'guard: a hold is for a trade between two ledgers')
    WHERE substr(NEW.usdt_movement, 16, 3) IS substr(NEW.coin_movement, 16, 3);
  SELECT RAISE(ABORT, 'guard: a hold begins with its transfer')
    WHERE NEW.status IS NOT 'HELD' OR NEW.taken_transfer IS NOT (SELECT coalesce(max(id), 0) + 1 FROM transfers);
END;

CREATE TRIGGER settlement_holds_take_money AFTER INSERT ON settlement_holds
BEGIN
  INSERT INTO transfers (id, debit, credit, asset, amount, kind, reference) VALUES (
    NEW.taken_transfer, NEW.account_id, 'house:payouts', 'USDT', NEW.usdt_amount, 'hold', NEW.id);
END;

CREATE TRIGGER settlement_holds_end_once BEFORE UPDATE ON settlement_holds
BEGIN
  SELECT RAISE(ABORT, 'guard: hold_ended') WHERE OLD.status IS NOT 'HELD';
  SELECT RAISE(ABORT, 'guard: a hold keeps what it is')
    WHERE NEW.account_id IS NOT OLD.account_id OR NEW.id IS NOT OLD.id OR NEW.counterparty IS NOT OLD.counterparty
      OR NEW.coin IS NOT OLD.coin OR NEW.coin_amount IS NOT OLD.coin_amount OR NEW.usdt_amount IS NOT OLD.usdt_amount
      OR NEW.reference IS NOT OLD.reference OR NEW.usdt_movement IS NOT OLD.usdt_movement
      OR NEW.coin_movement IS NOT OLD.coin_movement OR NEW.taken_transfer IS NOT OLD.taken_transfer
      OR NEW.status IS NULL OR NEW.status IS 'HELD';
  SELECT RAISE(ABORT, 'guard: a hold names the next transfer')
    WHERE NEW.status IS 'RETURNED' AND NEW.returned_transfer IS NOT (SELECT coalesce(max(id), 0) + 1 FROM transfers);
END;

CREATE TRIGGER settlement_holds_return_money AFTER UPDATE ON settlement_holds
WHEN NEW.status = 'RETURNED'
BEGIN
  INSERT INTO transfers (id, debit, credit, asset, amount, kind, reference) VALUES (
    NEW.returned_transfer, 'house:payouts', NEW.account_id, 'USDT', NEW.usdt_amount, 'hold', NEW.id);
END;

CREATE TRIGGER settlement_holds_pay AFTER UPDATE ON settlement_holds
WHEN NEW.status = 'PAID'
BEGIN
  INSERT INTO settlements (account_id, id, type, counterparty, coin, coin_amount, usdt_amount, reference, first_transfer,
    usdt_movement, coin_movement)
    SELECT NEW.account_id, NEW.id, 'P2P_BUY', NEW.counterparty, NEW.coin, NEW.coin_amount, NEW.usdt_amount, NEW.reference,
      coalesce(max(id), 0) + 1, NEW.usdt_movement, NEW.coin_movement
    FROM transfers;
END;

CREATE TRIGGER settlement_holds_are_kept BEFORE DELETE ON settlement_holds
BEGIN
  SELECT RAISE(ABORT, 'guard: a hold is never deleted');
END;

-- A transfer of the kind 'settlement' must be what the rows say, under the number that they name, so each moves once. The
-- account that pays and the account that receives must each have such a row; the house needs none.
CREATE TRIGGER transfers_of_settlements_are_explained BEFORE INSERT ON transfers
WHEN NEW.kind = 'settlement'
BEGIN
  SELECT RAISE(ABORT, 'ledger: no settlement explains the transfer')
    WHERE NEW.debit IS NOT 'house:liquidity' AND NOT EXISTS (
      SELECT 1 FROM settlements
      WHERE account_id = NEW.debit AND id = NEW.reference AND counterparty = NEW.credit AND (
        (type IN ('P2P_BUY', 'QUICK_BUY') AND NEW.id = first_transfer
          AND NEW.asset = 'USDT' AND NEW.amount = usdt_amount) OR
        (type IN ('P2P_SELL', 'QUICK_SELL') AND NEW.id = first_transfer + 1
          AND NEW.asset = coin AND NEW.amount = coin_amount)));
  SELECT RAISE(ABORT, 'ledger: no settlement explains the transfer')
    WHERE NEW.credit IS NOT 'house:liquidity' AND NOT EXISTS (
      SELECT 1 FROM settlements
      WHERE account_id = NEW.credit AND id = NEW.reference AND counterparty = NEW.debit AND (
        (type IN ('P2P_SELL', 'QUICK_SELL') AND NEW.id = first_transfer
          AND NEW.asset = 'USDT' AND NEW.amount = usdt_amount) OR
        (type IN ('P2P_BUY', 'QUICK_BUY') AND NEW.id = first_transfer + 1
          AND NEW.asset = coin AND NEW.amount = coin_amount)));
END;

CREATE TRIGGER transfers_of_holds_are_explained BEFORE INSERT ON transfers
WHEN NEW.kind = 'hold'
BEGIN
  SELECT RAISE(ABORT, 'ledger: no hold explains the transfer')
    WHERE NEW.asset IS NOT 'USDT' OR NOT EXISTS (
      SELECT 1 FROM settlement_holds
      WHERE id = NEW.reference AND usdt_amount = NEW.amount AND (
        (NEW.id = taken_transfer AND NEW.debit = account_id AND NEW.credit = 'house:payouts') OR
        (NEW.id = returned_transfer AND NEW.debit = 'house:payouts' AND NEW.credit = account_id)));
END;
