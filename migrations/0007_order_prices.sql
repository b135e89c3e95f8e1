-- One price for everybody: an order names the round of prices that it was filled at and the key that placed it, and
-- none is filled at an older round than the coin's newest fill.

-- 0 and 'unknown' for those from before these columns.
ALTER TABLE orders ADD COLUMN price_round INTEGER NOT NULL DEFAULT 0;
ALTER TABLE orders ADD COLUMN key_id TEXT NOT NULL DEFAULT 'unknown';

-- The round of the newest fill of the coin, on the row of 'house:liquidity' alone; 0 everywhere else.
ALTER TABLE balances ADD COLUMN price_round INTEGER NOT NULL DEFAULT 0;

DROP TRIGGER orders_are_guarded;

-- A key, a freeze, a halt and a newer price hold in the batch itself, whatever a cache upstream believes. The time of an
-- order is that of its id (UUIDv7): a key that expires later was good when the order came.
CREATE TRIGGER orders_are_guarded BEFORE INSERT ON orders
BEGIN
  SELECT RAISE(ABORT, 'guard: order exists')
    WHERE EXISTS (SELECT 1 FROM orders WHERE account_id = NEW.account_id AND id = NEW.id);
  SELECT RAISE(ABORT, 'guard: key_revoked')
    WHERE NOT EXISTS (
      SELECT 1 FROM api_keys WHERE id = NEW.key_id AND account_id = NEW.account_id AND revoked_at IS NULL);
  SELECT RAISE(ABORT, 'guard: key_expired ' || expires_at) FROM api_keys
    WHERE id = NEW.key_id AND expires_at IS NOT NULL
      AND printf('%08x-%04x', expires_at >> 16, expires_at & 65535) <= substr(NEW.id, 1, 13);
  SELECT RAISE(ABORT, 'guard: account_frozen')
    WHERE NOT EXISTS (SELECT 1 FROM accounts WHERE id = NEW.account_id AND status = 'active');
  SELECT RAISE(ABORT, 'guard: trading_halted')
    WHERE NOT EXISTS (SELECT 1 FROM settings WHERE id = 1 AND trading_halted = 0);
  SELECT RAISE(ABORT, 'guard: price_overtaken')
    WHERE NOT EXISTS (
      SELECT 1 FROM balances
      WHERE account = 'house:liquidity' AND asset = NEW.coin AND price_round <= NEW.price_round);
END;

DROP TRIGGER transfers_move_balances;

-- As before, and the transfer of an order's coin leaves the order's round on the house's row, in the same UPDATE.
CREATE TRIGGER transfers_move_balances AFTER INSERT ON transfers
BEGIN
  SELECT RAISE(ABORT, 'ledger: no such balance ' || NEW.debit || ' ' || NEW.asset)
    WHERE NOT EXISTS (SELECT 1 FROM balances WHERE account = NEW.debit AND asset = NEW.asset);
  SELECT RAISE(ABORT, 'ledger: no such balance ' || NEW.credit || ' ' || NEW.asset)
    WHERE NOT EXISTS (SELECT 1 FROM balances WHERE account = NEW.credit AND asset = NEW.asset);
  UPDATE balances SET amount = amount - NEW.amount, last_transfer = NEW.id,
      price_round = CASE WHEN NEW.kind = 'order' AND NEW.debit = 'house:liquidity' AND NEW.asset <> 'USDT'
        THEN coalesce(
          (SELECT o.price_round FROM orders AS o
           WHERE o.account_id = NEW.credit AND o.id = NEW.reference AND o.coin = NEW.asset),
          price_round)
        ELSE price_round END
    WHERE account = NEW.debit AND asset = NEW.asset;
  UPDATE balances SET amount = amount + NEW.amount, last_transfer = NEW.id,
      price_round = CASE WHEN NEW.kind = 'order' AND NEW.credit = 'house:liquidity' AND NEW.asset <> 'USDT'
        THEN coalesce(
          (SELECT o.price_round FROM orders AS o
           WHERE o.account_id = NEW.debit AND o.id = NEW.reference AND o.coin = NEW.asset),
          price_round)
        ELSE price_round END
    WHERE account = NEW.credit AND asset = NEW.asset;
END;

-- A round only grows, and only with the transfer of an order that was filled at it.
CREATE TRIGGER balances_keep_their_round BEFORE UPDATE ON balances
WHEN NEW.price_round IS NOT OLD.price_round
BEGIN
  SELECT RAISE(ABORT, 'ledger: no order explains the round')
    WHERE NEW.price_round IS NULL OR NEW.price_round < OLD.price_round
      OR NEW.account IS NOT 'house:liquidity' OR NEW.last_transfer IS OLD.last_transfer
      OR NOT EXISTS (
        SELECT 1 FROM transfers AS t JOIN orders AS o ON o.id = t.reference AND o.account_id IN (t.debit, t.credit)
        WHERE t.id = NEW.last_transfer AND t.kind = 'order' AND o.coin = NEW.asset AND o.price_round = NEW.price_round);
END;

CREATE TRIGGER balances_begin_without_a_round BEFORE INSERT ON balances
WHEN NEW.price_round IS NOT 0
BEGIN
  SELECT RAISE(ABORT, 'ledger: a balance begins without a round');
END;
