-- Settlements: trades that were agreed elsewhere, between two accounts or between an account and the house, and that the
-- operator enters here. Each has two transfers. Both accounts are of this ledger.

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
  reference TEXT NOT NULL,
  -- The number of the transfer that pays the USDT. The next one delivers the coin.
  first_transfer INTEGER NOT NULL,
  PRIMARY KEY (account_id, id),
  CHECK (counterparty <> account_id),
  CHECK ((type IN ('QUICK_BUY', 'QUICK_SELL')) = (counterparty = 'house:liquidity'))
) STRICT, WITHOUT ROWID;

-- The seller's row of a trade between two accounts has the same reference as the buyer's and is left out.
CREATE UNIQUE INDEX settlements_once_per_reference ON settlements (reference) WHERE type <> 'P2P_SELL';

-- The database checks the halt and both accounts itself: each account of the trade has a row, and each row is checked.
CREATE TRIGGER settlements_are_guarded BEFORE INSERT ON settlements
BEGIN
  SELECT RAISE(ABORT, 'guard: settlement exists')
    WHERE EXISTS (SELECT 1 FROM settlements WHERE account_id = NEW.account_id AND id = NEW.id)
      OR (NEW.type IS NOT 'P2P_SELL' AND EXISTS (
        SELECT 1 FROM settlements WHERE reference = NEW.reference AND type <> 'P2P_SELL'));
  SELECT RAISE(ABORT, 'guard: account_frozen')
    WHERE NOT EXISTS (SELECT 1 FROM accounts WHERE id = NEW.account_id AND status = 'active');
  SELECT RAISE(ABORT, 'guard: trading_halted')
    WHERE NOT EXISTS (SELECT 1 FROM settings WHERE id = 1 AND trading_halted = 0);
  SELECT RAISE(ABORT, 'guard: no such coin')
    WHERE NEW.coin IS 'USDT' OR NOT EXISTS (SELECT 1 FROM assets WHERE asset = NEW.coin);
  SELECT RAISE(ABORT, 'guard: a sale has its purchase')
    WHERE NEW.type IS 'P2P_SELL' AND NOT EXISTS (
      SELECT 1 FROM settlements
      WHERE account_id = NEW.counterparty AND id = NEW.id AND type = 'P2P_BUY' AND counterparty = NEW.account_id
        AND coin = NEW.coin AND coin_amount = NEW.coin_amount AND usdt_amount = NEW.usdt_amount
        AND reference = NEW.reference AND first_transfer = NEW.first_transfer);
  INSERT INTO changes_by_two VALUES (iif(NEW.type IS 'P2P_SELL', NULL, 'settle_trade'), NEW.id);
END;

CREATE TRIGGER settlements_move_money AFTER INSERT ON settlements
WHEN NEW.type <> 'P2P_SELL'
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
  INSERT INTO happenings VALUES (NEW.account_id, 'settlement.completed', NEW.id, NULL);
  INSERT INTO happenings VALUES (
    NEW.counterparty, iif(NEW.type = 'P2P_BUY', 'settlement.completed', NULL), NEW.id, NULL);
END;

CREATE TRIGGER settlements_are_not_changed BEFORE UPDATE ON settlements
BEGIN
  SELECT RAISE(ABORT, 'guard: a settlement is never changed');
END;

CREATE TRIGGER settlements_are_not_deleted BEFORE DELETE ON settlements
BEGIN
  SELECT RAISE(ABORT, 'guard: a settlement is never deleted');
END;

-- A transfer of the kind 'settlement' must be what the rows say, under the number that they name, so each moves once. The
-- account that pays and the account that receives must each have such a row. The house needs none. The buyer pays the USDT.
CREATE TRIGGER transfers_of_settlements_are_explained BEFORE INSERT ON transfers
WHEN NEW.kind = 'settlement'
BEGIN
  SELECT RAISE(ABORT, 'ledger: no settlement explains the transfer')
    FROM (SELECT NEW.debit AS own, NEW.credit AS other, 1 AS pays UNION ALL SELECT NEW.credit, NEW.debit, 0)
    WHERE own IS NOT 'house:liquidity' AND NOT EXISTS (
      SELECT 1 FROM settlements
      WHERE account_id = own AND id = NEW.reference AND counterparty = other
        AND iif(pays = (type IN ('P2P_BUY', 'QUICK_BUY')),
          NEW.id = first_transfer AND NEW.asset = 'USDT' AND NEW.amount = usdt_amount,
          NEW.id = first_transfer + 1 AND NEW.asset = coin AND NEW.amount = coin_amount));
END;
