-- What the house does with its own money: fundings, which people enter, and hedges, which the hedger plans.

-- A funding: money of the house that went from one place to another. 'house:liquidity' stands for the owner here: what comes
-- from it is capital that was brought in, and what goes to it was taken out. The other places are 'house:custody' and
-- 'house:venue:NAME'. A venue begins with its first funding.
CREATE TABLE fundings (
  -- The place that it went to.
  account_id TEXT NOT NULL,
  id TEXT NOT NULL,
  -- The place that it came from.
  source TEXT NOT NULL,
  asset TEXT NOT NULL,
  amount INTEGER NOT NULL CHECK (amount > 0),
  -- The operator's own name of it, such as a hash.
  reference TEXT NOT NULL,
  transfer INTEGER NOT NULL,
  PRIMARY KEY (account_id, id),
  CHECK (source <> account_id)
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX fundings_once_per_reference ON fundings (reference);

CREATE TRIGGER fundings_are_guarded BEFORE INSERT ON fundings
BEGIN
  SELECT RAISE(ABORT, 'guard: funding exists')
    WHERE EXISTS (SELECT 1 FROM fundings WHERE reference = NEW.reference OR (account_id = NEW.account_id AND id = NEW.id));
  SELECT RAISE(ABORT, 'guard: no audit row names the funding')
    WHERE NOT EXISTS (SELECT 1 FROM newest_audit WHERE action = 'fund' AND target = NEW.id);
  INSERT INTO changes_by_two VALUES ('fund', NEW.id);
  SELECT RAISE(ABORT, 'guard: money of the house is in custody, at a venue or its owner''s')
    FROM (SELECT NEW.account_id AS place UNION ALL SELECT NEW.source)
    WHERE place IS NOT 'house:liquidity' AND place IS NOT 'house:custody' AND place NOT GLOB 'house:venue:*';
  -- A place has what its balance is below zero. The owner takes out what the inventory has, and no client's money.
  SELECT RAISE(ABORT, 'ledger: floor ' || place || ' ' || NEW.asset || ' at ' || held)
    FROM (
      SELECT NEW.source AS place,
        coalesce((SELECT -amount FROM balances WHERE account = NEW.source AND asset = NEW.asset), 0) AS held
      WHERE NEW.source IS NOT 'house:liquidity'
      UNION ALL
      SELECT account, amount FROM balances
      WHERE NEW.account_id = 'house:liquidity' AND account = NEW.account_id AND asset = NEW.asset)
    WHERE NEW.amount > held;
END;

CREATE TRIGGER fundings_move_money AFTER INSERT ON fundings
BEGIN
  INSERT INTO balances (account, asset, floor)
    SELECT NEW.account_id, asset, -9007199254740991 FROM assets
    WHERE NEW.account_id GLOB 'house:venue:*' AND NOT EXISTS (SELECT 1 FROM balances WHERE account = NEW.account_id);
  INSERT INTO transfers (id, debit, credit, asset, amount, kind, reference) VALUES (
    NEW.transfer, NEW.account_id, NEW.source, NEW.asset, NEW.amount, 'funding', NEW.id);
END;

CREATE TRIGGER fundings_are_not_changed BEFORE UPDATE ON fundings
BEGIN
  SELECT RAISE(ABORT, 'guard: a funding is never changed');
END;

CREATE TRIGGER fundings_are_not_deleted BEFORE DELETE ON fundings
BEGIN
  SELECT RAISE(ABORT, 'guard: a funding is never deleted');
END;

CREATE TRIGGER transfers_of_fundings_are_explained BEFORE INSERT ON transfers
WHEN NEW.kind = 'funding'
BEGIN
  SELECT RAISE(ABORT, 'ledger: no funding explains the transfer')
    WHERE NOT EXISTS (
      SELECT 1 FROM fundings
      WHERE account_id = NEW.debit AND id = NEW.reference AND source = NEW.credit AND transfer = NEW.id
        AND asset = NEW.asset AND amount = NEW.amount);
END;

-- The house's capital changes by a funding alone, by what it moved.
CREATE TRIGGER balances_keep_their_capital BEFORE UPDATE ON balances
WHEN NEW.capital IS NOT OLD.capital
BEGIN
  SELECT RAISE(ABORT, 'ledger: no funding explains the capital')
    WHERE NEW.account IS NOT 'house:liquidity' OR NEW.capital - OLD.capital IS NOT NEW.amount - OLD.amount
      OR NOT EXISTS (SELECT 1 FROM transfers WHERE id = NEW.last_transfer AND kind = 'funding');
END;

-- A hedge: one order at a venue. It is sent at most once, by the dealer. What it may spend is set aside before the venue
-- hears of it, so that no floor refuses what the venue did. A hedge is OPEN until the dealer says what came of it, because
-- after a crash nobody can tell what was sent from what was only planned.
CREATE TABLE hedges (
  -- The venue: 'house:venue:NAME'.
  account_id TEXT NOT NULL,
  -- It is the client's id of the order at the venue.
  id TEXT NOT NULL,
  coin TEXT NOT NULL,
  side TEXT NOT NULL CHECK (side IN ('BUY', 'SELL')),
  coin_amount INTEGER NOT NULL CHECK (coin_amount > 0),
  -- The worst price, and the market's middle when it was planned: USDT per coin, 8 decimals.
  limit_price INTEGER NOT NULL CHECK (limit_price > 0),
  middle_price INTEGER NOT NULL CHECK (middle_price > 0),
  -- USDT for a purchase at the limit, with the venue's fee. The coin of a sale.
  set_aside INTEGER NOT NULL CHECK (set_aside > 0),
  -- The dealer sends nothing after it.
  send_by INTEGER NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('OPEN', 'DEALT', 'NEVER')),
  -- What the venue did, without the fee.
  dealt_coin INTEGER NOT NULL DEFAULT 0 CHECK (dealt_coin BETWEEN 0 AND coin_amount),
  dealt_usdt INTEGER NOT NULL DEFAULT 0 CHECK (dealt_usdt >= 0),
  fee_asset TEXT,
  fee INTEGER NOT NULL DEFAULT 0 CHECK (fee >= 0),
  venue_reference TEXT,
  -- Why it is NEVER, and when it ended.
  reason TEXT,
  ended_at INTEGER,
  -- The number of the transfer that sets aside, and of the first of those at its end: spent, returned, received, fee.
  taken_transfer INTEGER NOT NULL,
  ended_transfer INTEGER,
  PRIMARY KEY (account_id, id),
  CHECK ((dealt_coin > 0) = (status = 'DEALT') AND (dealt_usdt > 0) = (status = 'DEALT')),
  CHECK ((fee = 0) = (fee_asset IS NULL) AND (fee = 0 OR status = 'DEALT')),
  CHECK ((venue_reference IS NOT NULL) = (status = 'DEALT')),
  CHECK ((reason IS NOT NULL) = (status = 'NEVER')),
  CHECK ((ended_at IS NULL) = (status = 'OPEN') AND (ended_transfer IS NULL) = (status = 'OPEN'))
) STRICT, WITHOUT ROWID;

-- A transfer finds its hedge by the id alone.
CREATE UNIQUE INDEX hedges_by_id ON hedges (id);
CREATE UNIQUE INDEX hedges_open_once ON hedges (coin) WHERE status = 'OPEN';
CREATE INDEX hedges_by_coin ON hedges (coin, id);

-- A hedge, and what its transfers move: what it gives and gets, and how much of both.
CREATE VIEW hedge_moves AS
  SELECT *, iif(side = 'BUY', 'USDT', coin) AS gives, iif(side = 'BUY', coin, 'USDT') AS gets,
    iif(side = 'BUY', dealt_usdt, dealt_coin) AS spent, iif(side = 'BUY', dealt_coin, dealt_usdt) AS received
  FROM hedges;

-- The transfers at the end of a hedge, in their order.
CREATE VIEW hedge_ends AS
  SELECT id, account_id, ended_transfer AS number, 'house:hedging' AS debit, account_id AS credit, gives AS asset,
    spent AS amount FROM hedge_moves WHERE spent > 0
  UNION ALL
  SELECT id, account_id, ended_transfer + (spent > 0), 'house:hedging', 'house:liquidity', gives, set_aside - spent
    FROM hedge_moves WHERE status <> 'OPEN' AND spent < set_aside
  UNION ALL
  SELECT id, account_id, ended_transfer + 1 + (spent < set_aside), account_id, 'house:liquidity', gets, received
    FROM hedge_moves WHERE received > 0
  UNION ALL
  SELECT id, account_id, ended_transfer + 2 + (spent < set_aside), 'house:liquidity', account_id, fee_asset, fee
    FROM hedge_moves WHERE fee > 0;

CREATE TRIGGER hedges_are_guarded BEFORE INSERT ON hedges
BEGIN
  SELECT RAISE(ABORT, 'guard: hedge exists') WHERE EXISTS (SELECT 1 FROM hedges WHERE id = NEW.id);
  SELECT RAISE(ABORT, 'guard: a hedge begins open') WHERE NEW.status IS NOT 'OPEN';
  SELECT RAISE(ABORT, 'guard: hedge_open') WHERE EXISTS (SELECT 1 FROM hedges WHERE coin = NEW.coin AND status = 'OPEN');
  SELECT RAISE(ABORT, 'guard: hedging_halted')
    WHERE EXISTS (SELECT 1 FROM settings WHERE hedging_halted = 1)
      OR EXISTS (SELECT 1 FROM reconciliation_violations WHERE cleared_at IS NULL);
  SELECT RAISE(ABORT, 'guard: a hedge is of a coin, and sets aside what it gives')
    WHERE NEW.coin IS 'USDT' OR NOT EXISTS (SELECT 1 FROM assets WHERE asset = NEW.coin)
      OR (NEW.side = 'SELL' AND NEW.set_aside <> NEW.coin_amount);
  -- Another ledger may have money at the same venue.
  SELECT RAISE(ABORT, 'guard: venue_has_too_little')
    WHERE NEW.set_aside > coalesce((
      SELECT -amount FROM balances
      WHERE account = NEW.account_id AND account GLOB 'house:venue:*' AND asset = iif(NEW.side = 'BUY', 'USDT', NEW.coin)), 0)
      - (SELECT coalesce(sum(set_aside), 0) FROM hedges
        WHERE status = 'OPEN' AND side = 'BUY' AND NEW.side = 'BUY' AND account_id = NEW.account_id);
END;

CREATE TRIGGER hedges_set_money_aside AFTER INSERT ON hedges
BEGIN
  INSERT INTO transfers (id, debit, credit, asset, amount, kind, reference) VALUES (
    NEW.taken_transfer, 'house:liquidity', 'house:hedging', iif(NEW.side = 'BUY', 'USDT', NEW.coin), NEW.set_aside, 'hedge',
    NEW.id);
END;

CREATE TRIGGER hedges_end_once BEFORE UPDATE ON hedges
BEGIN
  SELECT RAISE(ABORT, 'guard: hedge_ended') WHERE OLD.status IS NOT 'OPEN' OR NEW.status IS 'OPEN';
  SELECT RAISE(ABORT, 'guard: a hedge keeps what it is')
    WHERE (NEW.account_id, NEW.id, NEW.coin, NEW.side, NEW.coin_amount, NEW.limit_price, NEW.middle_price, NEW.set_aside,
        NEW.send_by, NEW.taken_transfer)
      IS NOT (OLD.account_id, OLD.id, OLD.coin, OLD.side, OLD.coin_amount, OLD.limit_price, OLD.middle_price,
        OLD.set_aside, OLD.send_by, OLD.taken_transfer);
  SELECT RAISE(ABORT, 'guard: no more is dealt than was set aside')
    WHERE iif(NEW.side = 'BUY', NEW.dealt_usdt, NEW.dealt_coin) > NEW.set_aside;
END;

CREATE TRIGGER hedges_move_money AFTER UPDATE ON hedges
BEGIN
  INSERT INTO transfers (id, debit, credit, asset, amount, kind, reference)
    SELECT number, debit, credit, asset, amount, 'hedge', id FROM hedge_ends
    WHERE account_id = NEW.account_id AND id = NEW.id ORDER BY number;
END;

CREATE TRIGGER hedges_are_not_deleted BEFORE DELETE ON hedges
BEGIN
  SELECT RAISE(ABORT, 'guard: a hedge is never deleted');
END;

CREATE TRIGGER transfers_of_hedges_are_explained BEFORE INSERT ON transfers
WHEN NEW.kind = 'hedge'
BEGIN
  SELECT RAISE(ABORT, 'ledger: no hedge explains the transfer')
    WHERE NOT EXISTS (
        SELECT 1 FROM hedge_moves
        WHERE id = NEW.reference AND taken_transfer = NEW.id AND NEW.debit = 'house:liquidity'
          AND NEW.credit = 'house:hedging' AND gives = NEW.asset AND set_aside = NEW.amount)
      AND NOT EXISTS (
        SELECT 1 FROM hedge_ends
        WHERE id = NEW.reference AND number = NEW.id AND debit = NEW.debit AND credit = NEW.credit AND asset = NEW.asset
          AND amount = NEW.amount);
END;
