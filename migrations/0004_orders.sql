-- Orders. Each completed order has two transfers. No order is filled at an older round of prices than the coin's newest
-- fill: the exchange has already traded at a newer price.
--
-- Ids of records are UUIDv7 and sort by time. The API shows that time. A page of a list is one scan of the primary key.

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
  -- The round of prices at which it was filled, and the API key that placed it.
  price_round INTEGER NOT NULL,
  key_id TEXT NOT NULL,
  -- The number of the transfer by which the account pays. By the next one it receives. NULL when nothing moved.
  first_transfer INTEGER,
  -- The market's middle, as `executed_price`.
  middle_price INTEGER,
  -- When its key's lane admitted it, and as of when the price is, both by the gate's clock.
  admitted_at INTEGER NOT NULL,
  price_as_of INTEGER NOT NULL,
  -- The client's own name for it, if it has one. An account uses each once, for good.
  client_order_id TEXT CHECK (length(client_order_id) BETWEEN 1 AND 64),
  PRIMARY KEY (account_id, id),
  CHECK ((status = 'COMPLETED') = (first_transfer IS NOT NULL))
) STRICT, WITHOUT ROWID;

-- Has no rows for orders without a name of the client's.
CREATE UNIQUE INDEX orders_by_client_id ON orders (account_id, client_order_id) WHERE client_order_id IS NOT NULL;

-- The database checks key, account, halt and price itself, because the code before it may decide by a copy that is out of
-- date. The time of an order is that of its id (UUIDv7): a key that expires later was valid when the order arrived. Its
-- round is checked where it is written (`balances_keep_their_round`), and its number where its transfers are.
CREATE TRIGGER orders_are_guarded BEFORE INSERT ON orders
BEGIN
  SELECT RAISE(ABORT, 'guard: order exists')
    WHERE EXISTS (SELECT 1 FROM orders WHERE account_id = NEW.account_id AND id = NEW.id);
  SELECT (CASE
      WHEN key.id IS NULL OR key.revoked_at IS NOT NULL THEN RAISE(ABORT, 'guard: key_revoked')
      WHEN printf('%08x-%04x', key.expires_at >> 16, key.expires_at & 65535) <= substr(NEW.id, 1, 13)
        AND key.expires_at IS NOT NULL THEN RAISE(ABORT, 'guard: key_expired ' || key.expires_at) END)
    FROM (SELECT 1) LEFT JOIN api_keys AS key ON key.id = NEW.key_id AND key.account_id = NEW.account_id;
  SELECT RAISE(ABORT, 'guard: account_frozen')
    WHERE NOT EXISTS (SELECT 1 FROM accounts WHERE id = NEW.account_id AND status = 'active');
  SELECT RAISE(ABORT, 'guard: trading_halted')
    WHERE NOT EXISTS (
      SELECT 1 FROM settings WHERE id = 1 AND trading_halted = 0 AND NOT instr(halted_coins, '"' || NEW.coin || '"'));
  -- The coin is listed, and the two amounts agree with the price to within one atom of each. The reconciliation checks this
  -- exactly, which takes 128 bits. An atom of the coin is worth price / (unit * 100) atoms of USDT.
  SELECT RAISE(ABORT, 'guard: no such coin, or not at this price')
    WHERE NEW.coin IS 'USDT' OR NOT EXISTS (
      SELECT 1 FROM assets
      WHERE asset = NEW.coin
        AND abs(NEW.usdt_amount - 1.0 * NEW.coin_amount * NEW.executed_price / (100.0 * unit))
          <= 1.0 + NEW.executed_price / (100.0 * unit) + NEW.usdt_amount * 1e-9);
  SELECT RAISE(ABORT, 'guard: a price from before the order') WHERE NEW.price_as_of < NEW.admitted_at;
  -- No client buys below the market's middle or sells above it.
  SELECT RAISE(ABORT, 'guard: an order fills on the house''s side of the middle price')
    WHERE NEW.middle_price <= 0 OR iif(
      NEW.side = 'BUY', NEW.executed_price < NEW.middle_price, NEW.executed_price > NEW.middle_price);
END;

-- The client's payment comes first: if both balances are too small, the client learns of its own.
CREATE TRIGGER orders_move_money AFTER INSERT ON orders
WHEN NEW.status = 'COMPLETED'
BEGIN
  INSERT INTO transfers (id, debit, credit, asset, amount, kind, reference) VALUES (
    NEW.first_transfer, NEW.account_id, 'house:liquidity', iif(NEW.side = 'BUY', 'USDT', NEW.coin),
    iif(NEW.side = 'BUY', NEW.usdt_amount, NEW.coin_amount), 'order', NEW.id);
  INSERT INTO transfers (id, debit, credit, asset, amount, kind, reference) VALUES (
    NEW.first_transfer + 1, 'house:liquidity', NEW.account_id, iif(NEW.side = 'BUY', NEW.coin, 'USDT'),
    iif(NEW.side = 'BUY', NEW.coin_amount, NEW.usdt_amount), 'order', NEW.id);
  -- Not by `happenings`, because an order does not look for the operator's listening.
  INSERT INTO events (account_id, sequence, type, subject)
    SELECT account_id, sequence, 'order.filled', NEW.id FROM next_events WHERE account_id = NEW.account_id;
END;

CREATE TRIGGER orders_are_not_changed BEFORE UPDATE ON orders
BEGIN
  SELECT RAISE(ABORT, 'guard: an order is never changed');
END;

CREATE TRIGGER orders_are_not_deleted BEFORE DELETE ON orders
BEGIN
  SELECT RAISE(ABORT, 'guard: an order is never deleted');
END;

CREATE TRIGGER transfers_of_orders_are_explained BEFORE INSERT ON transfers
WHEN NEW.kind = 'order'
BEGIN
  SELECT RAISE(ABORT, 'ledger: no order explains the transfer')
    WHERE NOT EXISTS (
      SELECT 1 FROM orders
      WHERE account_id = iif(NEW.debit = 'house:liquidity', NEW.credit, NEW.debit) AND id = NEW.reference AND (
        (NEW.id = first_transfer AND NEW.credit = 'house:liquidity'
          AND NEW.asset = iif(side = 'BUY', 'USDT', coin) AND NEW.amount = iif(side = 'BUY', usdt_amount, coin_amount)) OR
        (NEW.id = first_transfer + 1 AND NEW.debit = 'house:liquidity'
          AND NEW.asset = iif(side = 'BUY', coin, 'USDT') AND NEW.amount = iif(side = 'BUY', coin_amount, usdt_amount))));
END;

-- A round never falls, and changes only with the transfer of an order that was filled at the new round.
CREATE TRIGGER balances_keep_their_round BEFORE UPDATE ON balances
WHEN NEW.price_round IS NOT OLD.price_round
BEGIN
  SELECT RAISE(ABORT, 'guard: price_overtaken') WHERE NEW.price_round < OLD.price_round;
  SELECT RAISE(ABORT, 'ledger: no order explains the round')
    WHERE NEW.price_round IS NULL OR NEW.account IS NOT 'house:liquidity' OR NEW.last_transfer IS OLD.last_transfer
      OR NOT EXISTS (
        SELECT 1 FROM transfers AS t JOIN orders AS o ON o.id = t.reference AND o.account_id IN (t.debit, t.credit)
        WHERE t.id = NEW.last_transfer AND t.kind = 'order' AND o.coin = NEW.asset AND o.price_round = NEW.price_round);
END;

-- The orders of one batch. The gate inserts them into the view `wanted_orders` with one statement. The trigger decides each
-- of them by what those before it left: it makes the order, under the next numbers, or it notes why not and goes on. So no
-- order is refused with another. The batch reads and deletes these notes, so outside of a batch there are none.
--
-- It refuses what the guards and floors above refuse with an error, and the first reason that applies is the one that the
-- client is told. They stay the law: an order that only they refuse is a bug, and refuses its whole batch.

CREATE TABLE refused_orders (
  id TEXT PRIMARY KEY NOT NULL,
  reason TEXT NOT NULL,
  -- The balance that is too small, or the time when the key expired in milliseconds. NULL for other reasons.
  figure INTEGER,
  -- The account's order that has the same `client_order_id`. NULL for other reasons.
  first_id TEXT
) STRICT, WITHOUT ROWID;

CREATE VIEW wanted_orders AS SELECT * FROM orders;

CREATE TRIGGER wanted_orders_are_decided INSTEAD OF INSERT ON wanted_orders
BEGIN
  INSERT INTO refused_orders (id, reason, figure, first_id)
    SELECT NEW.id, reason, (CASE reason WHEN 'insufficient_balance' THEN balance WHEN 'key_expired' THEN expires_at END),
      iif(reason = 'client_order_id_reused', first_id, NULL)
    FROM (
      SELECT own.amount AS balance, key.expires_at AS expires_at, first.id AS first_id, (CASE
        WHEN EXISTS (SELECT 1 FROM orders WHERE account_id = NEW.account_id AND id = NEW.id) THEN 'exists'
        WHEN key.id IS NULL OR key.revoked_at IS NOT NULL THEN 'key_revoked'
        WHEN key.expires_at IS NOT NULL
          AND printf('%08x-%04x', key.expires_at >> 16, key.expires_at & 65535) <= substr(NEW.id, 1, 13) THEN 'key_expired'
        WHEN account.status IS NOT 'active' THEN 'account_frozen'
        WHEN settings.trading_halted OR instr(settings.halted_coins, '"' || NEW.coin || '"') THEN 'trading_halted'
        WHEN first.id IS NOT NULL THEN 'client_order_id_reused'
        WHEN NEW.price_round < coin.price_round THEN 'price_overtaken'
        WHEN own.amount - iif(NEW.side = 'BUY', NEW.usdt_amount, NEW.coin_amount) < own.floor THEN 'insufficient_balance'
        WHEN NEW.side = 'BUY' AND coin.amount - NEW.coin_amount < coin.floor THEN 'house_full'
        WHEN NEW.side = 'SELL' AND usdt.amount - NEW.usdt_amount < usdt.floor THEN 'house_full'
        WHEN NEW.side = 'SELL' AND coin.amount + NEW.coin_amount > coin.capital
          AND coin.amount + NEW.coin_amount - coin.capital
            + (SELECT amount FROM balances WHERE account = 'house:hedging' AND asset = NEW.coin) > -coin.floor
          THEN 'house_full' END) AS reason
      FROM settings
        LEFT JOIN api_keys AS key ON key.id = NEW.key_id AND key.account_id = NEW.account_id
        LEFT JOIN accounts AS account ON account.id = NEW.account_id
        LEFT JOIN orders AS first ON first.account_id = NEW.account_id AND first.client_order_id = NEW.client_order_id
        LEFT JOIN balances AS own ON own.account = NEW.account_id AND own.asset = iif(NEW.side = 'BUY', 'USDT', NEW.coin)
        LEFT JOIN balances AS coin ON coin.account = 'house:liquidity' AND coin.asset = NEW.coin
        LEFT JOIN balances AS usdt ON usdt.account = 'house:liquidity' AND usdt.asset = iif(NEW.side = 'SELL', 'USDT', NULL)
      WHERE settings.id = 1)
    WHERE reason IS NOT NULL;
  SELECT RAISE(IGNORE) WHERE changes() > 0;
  INSERT INTO orders (account_id, id, coin, side, executed_price, coin_amount, usdt_amount, status, price_round, key_id,
      first_transfer, middle_price, admitted_at, price_as_of, client_order_id)
    VALUES (NEW.account_id, NEW.id, NEW.coin, NEW.side, NEW.executed_price, NEW.coin_amount, NEW.usdt_amount, 'COMPLETED',
      NEW.price_round, NEW.key_id, (SELECT coalesce(max(id), 0) + 1 FROM transfers), NEW.middle_price, NEW.admitted_at,
      NEW.price_as_of, NEW.client_order_id);
END;
