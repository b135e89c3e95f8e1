-- Settlements: trades that were agreed elsewhere, between two accounts or between an account and the house, and that the
-- operator settles here.

-- A settlement moves money by transfers of its own kind, and the CHECK of 0001 on the kind takes no other than its three.
-- SQLite changes no CHECK, so the journal is copied once, row by row and under the same numbers, into a table whose kind
-- a trigger checks: the next kind replaces a trigger. The triggers of 0001 and 0004 go with the old table and come back
-- as they were; so does the one on balances that reads the journal, which would stop the renaming.
CREATE TABLE transfers_with_settlements (
  id INTEGER PRIMARY KEY NOT NULL,
  debit TEXT NOT NULL,
  credit TEXT NOT NULL,
  asset TEXT NOT NULL,
  amount INTEGER NOT NULL CHECK (amount > 0),
  kind TEXT NOT NULL,
  -- The id of the record that explains it.
  reference TEXT NOT NULL,
  ts INTEGER NOT NULL,
  CHECK (debit <> credit)
) STRICT;

INSERT INTO transfers_with_settlements (id, debit, credit, asset, amount, kind, reference, ts)
  SELECT id, debit, credit, asset, amount, kind, reference, ts FROM transfers;

DROP TRIGGER balances_are_explained;
DROP TABLE transfers;
ALTER TABLE transfers_with_settlements RENAME TO transfers;

CREATE TRIGGER transfers_have_a_kind BEFORE INSERT ON transfers
WHEN NEW.kind NOT IN ('order', 'deposit', 'withdrawal', 'settlement')
BEGIN
  SELECT RAISE(ABORT, 'ledger: no such kind of transfer');
END;

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

CREATE TRIGGER transfers_of_deposits_are_explained BEFORE INSERT ON transfers
WHEN NEW.kind = 'deposit'
BEGIN
  SELECT RAISE(ABORT, 'guard: no deposit explains the transfer')
    WHERE NEW.debit IS NOT 'house:custody' OR NOT EXISTS (
      SELECT 1 FROM deposits
      WHERE account_id = NEW.credit AND id = NEW.reference AND asset = NEW.asset AND amount = NEW.amount
        AND status = 'COMPLETED');
END;

CREATE TRIGGER transfers_of_withdrawals_are_explained BEFORE INSERT ON transfers
WHEN NEW.kind = 'withdrawal'
BEGIN
  SELECT RAISE(ABORT, 'guard: no withdrawal explains the transfer')
    WHERE NEW.debit NOT LIKE 'house:%' AND NOT EXISTS (
      SELECT 1 FROM withdrawals
      WHERE account_id = NEW.debit AND id = NEW.reference AND asset = NEW.asset AND amount + fee = NEW.amount
        AND (NEW.credit = 'house:payouts' OR type = 'INTERNAL_WITHDRAWAL'));
  -- Out of the house's hands it goes outside, to the fees, back to an account whose withdrawal failed, or to the
  -- account inside that has the receipt of it.
  SELECT RAISE(ABORT, 'guard: no withdrawal explains the transfer')
    WHERE NEW.debit LIKE 'house:%' AND (
      NEW.debit <> 'house:payouts'
      OR (NEW.credit NOT LIKE 'house:%' AND NOT EXISTS (
        SELECT 1 FROM withdrawals
        WHERE account_id = NEW.credit AND id = NEW.reference AND asset = NEW.asset AND amount + fee = NEW.amount
          AND status = 'FAILED') AND NOT EXISTS (
        SELECT 1 FROM deposits
        WHERE account_id = NEW.credit AND reference = 'withdrawal ' || NEW.reference AND asset = NEW.asset
          AND amount = NEW.amount)));
END;

-- One row for each account that took part, so that the activity feed finds it where its account's records are. A trade
-- between two accounts is two rows under one id, the buyer's written first; the house has none.
CREATE TABLE settlements (
  account_id TEXT NOT NULL REFERENCES accounts (id),
  id TEXT NOT NULL,
  type TEXT NOT NULL CHECK (type IN ('P2P_BUY', 'P2P_SELL', 'QUICK_BUY', 'QUICK_SELL')),
  -- The other account, or 'house:liquidity'.
  counterparty TEXT NOT NULL,
  coin TEXT NOT NULL,
  coin_amount INTEGER NOT NULL CHECK (coin_amount > 0),
  usdt_amount INTEGER NOT NULL CHECK (usdt_amount > 0),
  -- The operator's own name for the trade.
  reference TEXT NOT NULL,
  -- The number of the transfer that pays the USDT; the next one delivers the coin.
  first_transfer INTEGER NOT NULL,
  PRIMARY KEY (account_id, id),
  CHECK (counterparty <> account_id),
  CHECK ((type IN ('QUICK_BUY', 'QUICK_SELL')) = (counterparty = 'house:liquidity'))
) STRICT, WITHOUT ROWID;

-- Of the two rows of a trade between accounts the buyer's stands for both.
CREATE UNIQUE INDEX settlements_once_per_reference ON settlements (reference) WHERE type <> 'P2P_SELL';

-- A halt and a freeze hold in the batch itself: every account that takes part has a row, and every row is looked at.
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
  SELECT RAISE(ABORT, 'guard: a settlement names the next transfers')
    WHERE NEW.first_transfer IS NOT (SELECT coalesce(max(id), 0) + 1 FROM transfers);
  SELECT RAISE(ABORT, 'guard: a sale has its purchase')
    WHERE NEW.type IS 'P2P_SELL' AND NOT EXISTS (
      SELECT 1 FROM settlements
      WHERE account_id = NEW.counterparty AND id = NEW.id AND type = 'P2P_BUY' AND counterparty = NEW.account_id
        AND coin = NEW.coin AND coin_amount = NEW.coin_amount AND usdt_amount = NEW.usdt_amount
        AND reference = NEW.reference AND first_transfer = NEW.first_transfer);
END;

CREATE TRIGGER settlements_are_not_changed BEFORE UPDATE ON settlements
BEGIN
  SELECT RAISE(ABORT, 'guard: a settlement is never changed');
END;

CREATE TRIGGER settlements_are_not_deleted BEFORE DELETE ON settlements
BEGIN
  SELECT RAISE(ABORT, 'guard: a settlement is never deleted');
END;

-- Money moves for a settlement only as its rows say, under the two numbers that they name: so each leg moves once. Whoever
-- gives has a row that says so, and so has whoever receives; the house alone needs none.
CREATE TRIGGER transfers_of_settlements_are_explained BEFORE INSERT ON transfers
WHEN NEW.kind = 'settlement'
BEGIN
  SELECT RAISE(ABORT, 'guard: no settlement explains the transfer')
    WHERE NEW.debit IS NOT 'house:liquidity' AND NOT EXISTS (
      SELECT 1 FROM settlements
      WHERE account_id = NEW.debit AND id = NEW.reference AND counterparty = NEW.credit AND (
        (type IN ('P2P_BUY', 'QUICK_BUY') AND NEW.id = first_transfer
          AND NEW.asset = 'USDT' AND NEW.amount = usdt_amount) OR
        (type IN ('P2P_SELL', 'QUICK_SELL') AND NEW.id = first_transfer + 1
          AND NEW.asset = coin AND NEW.amount = coin_amount)));
  SELECT RAISE(ABORT, 'guard: no settlement explains the transfer')
    WHERE NEW.credit IS NOT 'house:liquidity' AND NOT EXISTS (
      SELECT 1 FROM settlements
      WHERE account_id = NEW.credit AND id = NEW.reference AND counterparty = NEW.debit AND (
        (type IN ('P2P_SELL', 'QUICK_SELL') AND NEW.id = first_transfer
          AND NEW.asset = 'USDT' AND NEW.amount = usdt_amount) OR
        (type IN ('P2P_BUY', 'QUICK_BUY') AND NEW.id = first_transfer + 1
          AND NEW.asset = coin AND NEW.amount = coin_amount)));
END;
