-- An account can be moved to another ledger, once: the answer to a database that is full. It keeps its id and those of its
-- keys and records. Its row in the ledger that its id names, the old one, says where it is; everything it has is in the
-- other one, its home, and its history stays. docs/design/ledger.md says how it moves.

-- The keeper of the old ledger finishes these moves.
CREATE INDEX accounts_on_their_way ON accounts (id) WHERE arrived = 0;

CREATE TRIGGER accounts_arrive_frozen BEFORE INSERT ON accounts
WHEN NEW.moved_from IS NOT NULL OR NEW.moved_to IS NOT NULL OR NEW.arrived IS NOT 1
BEGIN
  SELECT RAISE(ABORT, 'guard: an account that moves arrives frozen, from another ledger')
    WHERE NEW.status IS NOT 'frozen' OR NEW.moved_to IS NOT NULL OR NEW.arrived IS NOT 1
      OR NEW.moved_from IS (SELECT ledger FROM settings);
  SELECT RAISE(ABORT, 'guard: no audit row names the arrival')
    WHERE NOT EXISTS (
      SELECT 1 FROM audit
      WHERE id = (SELECT max(id) FROM audit) AND action = 'receive_account' AND target = NEW.id
        AND detail ->> 'from' = NEW.moved_from);
END;

CREATE TRIGGER accounts_keep_where_they_came_from BEFORE UPDATE ON accounts
WHEN NEW.moved_from IS NOT OLD.moved_from
BEGIN
  SELECT RAISE(ABORT, 'guard: an account keeps the ledger that it came from');
END;

-- It leaves while it is frozen and nothing of it is open: then its balances are all that anybody owes it. The time is that of
-- the audit row, which is the caller's.
CREATE TRIGGER accounts_leave_at_rest BEFORE UPDATE ON accounts
WHEN OLD.moved_to IS NULL AND (NEW.moved_to IS NOT NULL OR NEW.arrived IS NOT 1)
BEGIN
  SELECT RAISE(ABORT, 'guard: an account moves once, to another ledger')
    WHERE NEW.moved_to IS NULL OR NEW.arrived IS NOT 0 OR OLD.moved_from IS NOT NULL
      OR NEW.moved_to IS (SELECT ledger FROM settings);
  SELECT RAISE(ABORT, 'guard: no audit row names the move')
    WHERE NOT EXISTS (
      SELECT 1 FROM audit
      WHERE id = (SELECT max(id) FROM audit) AND action = 'move_account' AND target = NEW.id
        AND detail ->> 'ledger' = NEW.moved_to);
  -- The lanes of its keys were told that it is frozen, of this number, and nothing was changed since.
  SELECT RAISE(ABORT, 'guard: account_not_at_rest')
    WHERE OLD.status IS NOT 'frozen' OR NEW.status IS NOT 'frozen'
      OR OLD.record_number IS NOT (SELECT detail ->> 'recordNumber' FROM audit ORDER BY id DESC LIMIT 1);
  SELECT RAISE(ABORT, 'guard: account_not_at_rest') FROM obstacles_of_moves
    WHERE account_id = NEW.id
      AND max(withdrawal, open_withdrawal, open_deposit, open_trade, open_proposal, allowed_recovery, unsent_events)
        > (SELECT ts FROM audit ORDER BY id DESC LIMIT 1);
END;

-- What keeps an account from moving: for each obstacle, until when it does. What is open has no end. A withdrawal counts for
-- the daily limit, which is counted in one ledger, for 24 hours from its commit, and that is at most a day later than its
-- id.
CREATE VIEW obstacles_of_moves AS
  SELECT id AS account_id,
    coalesce((
      SELECT (('0x' || substr(max(id), 1, 8) || substr(max(id), 10, 4)) ->> '$') + 172800000 FROM withdrawals
      WHERE account_id = accounts.id), 0) AS withdrawal,
    iif(EXISTS (
      SELECT 1 FROM withdrawals
      WHERE status IN ('PENDING', 'PROCESSING') AND accounts.id IN (account_id, recipient, peer_recipient)),
      9007199254740991, 0) AS open_withdrawal,
    iif(EXISTS (
      SELECT 1 FROM deposits
      WHERE status IN ('PENDING', 'QUARANTINED') AND reason IS NOT 'below_minimum' AND decision IS NULL
        AND account_id = accounts.id), 9007199254740991, 0) AS open_deposit,
    iif(EXISTS (
      SELECT 1 FROM settlement_holds WHERE status = 'HELD' AND account_id = accounts.id),
      9007199254740991, 0) AS open_trade,
    coalesce((
      SELECT max(expires_at) FROM proposals
      WHERE status = 'OPEN' AND (instr(path, accounts.id) > 0 OR instr(body, accounts.id) > 0)), 0) AS open_proposal,
    coalesce((SELECT expires_at FROM allowed_recoveries WHERE account_id = accounts.id), 0) AS allowed_recovery,
    iif(EXISTS (
      SELECT 1 FROM webhook_endpoints
      WHERE account_id = accounts.id AND status = 'enabled'
        AND delivered < (SELECT max(sequence) FROM events WHERE events.account_id = accounts.id)),
      9007199254740991, 0) AS unsent_events
  FROM accounts;

-- The move is the command: each balance leaves by one half of a movement, whose id is made of the account's and the asset.
CREATE TRIGGER accounts_leave_with_everything AFTER UPDATE ON accounts
WHEN OLD.moved_to IS NULL AND NEW.moved_to IS NOT NULL
BEGIN
  INSERT INTO movements (account_id, id, half, asset, amount, ledger, peer, purpose, transfer, record_id)
    SELECT NEW.id, NEW.id || '/' || asset, 'OUT', asset, amount, (SELECT ledger FROM settings), NEW.moved_to, 'ACCOUNT',
      (SELECT coalesce(max(id), 0) FROM transfers) + row_number() OVER (ORDER BY asset), NEW.id
    FROM balances WHERE account = NEW.id AND amount > 0 ORDER BY asset;
END;

-- Nothing of it changes in the old ledger any more, except that its home is known to have it.
CREATE TRIGGER accounts_that_moved_are_not_changed BEFORE UPDATE ON accounts
WHEN OLD.moved_to IS NOT NULL
BEGIN
  SELECT RAISE(ABORT, 'guard: account_moved')
    WHERE NEW.id IS NOT OLD.id OR NEW.address_index IS NOT OLD.address_index OR NEW.label IS NOT OLD.label
      OR NEW.status IS NOT OLD.status OR NEW.daily_withdrawal_limit IS NOT OLD.daily_withdrawal_limit
      OR NEW.created_at IS NOT OLD.created_at OR NEW.record_number IS NOT OLD.record_number
      OR NEW.external_id IS NOT OLD.external_id OR NEW.holder IS NOT OLD.holder OR NEW.held_until IS NOT OLD.held_until
      OR NEW.moved_to IS NOT OLD.moved_to OR NEW.arrived < OLD.arrived;
END;

-- An account that moved has no new record in the old ledger, and nothing that it set there changes. Orders, withdrawals,
-- settlements and holds are refused by their own guards, because its old row stays frozen.
CREATE TRIGGER deposits_go_where_accounts_are BEFORE INSERT ON deposits
WHEN EXISTS (SELECT 1 FROM accounts WHERE id = NEW.account_id AND moved_to IS NOT NULL)
BEGIN
  SELECT RAISE(ABORT, 'guard: account_moved');
END;

CREATE TRIGGER api_keys_go_where_accounts_are BEFORE INSERT ON api_keys
WHEN EXISTS (SELECT 1 FROM accounts WHERE id = NEW.account_id AND moved_to IS NOT NULL)
BEGIN
  SELECT RAISE(ABORT, 'guard: account_moved');
END;

CREATE TRIGGER api_keys_left_behind_are_not_changed BEFORE UPDATE ON api_keys
WHEN EXISTS (SELECT 1 FROM accounts WHERE id = OLD.account_id AND moved_to IS NOT NULL)
BEGIN
  SELECT RAISE(ABORT, 'guard: account_moved');
END;

CREATE TRIGGER approvals_go_where_accounts_are BEFORE INSERT ON allowlist
WHEN EXISTS (SELECT 1 FROM accounts WHERE id = NEW.account_id AND moved_to IS NOT NULL)
BEGIN
  SELECT RAISE(ABORT, 'guard: account_moved');
END;

CREATE TRIGGER approvals_left_behind_are_kept BEFORE DELETE ON allowlist
WHEN EXISTS (SELECT 1 FROM accounts WHERE id = OLD.account_id AND moved_to IS NOT NULL)
BEGIN
  SELECT RAISE(ABORT, 'guard: account_moved');
END;

CREATE TRIGGER second_factors_go_where_accounts_are BEFORE INSERT ON totp
WHEN EXISTS (SELECT 1 FROM accounts WHERE id = NEW.account_id AND moved_to IS NOT NULL)
BEGIN
  SELECT RAISE(ABORT, 'guard: account_moved');
END;

CREATE TRIGGER second_factors_left_behind_are_not_changed BEFORE UPDATE ON totp
WHEN EXISTS (SELECT 1 FROM accounts WHERE id = OLD.account_id AND moved_to IS NOT NULL)
BEGIN
  SELECT RAISE(ABORT, 'guard: account_moved');
END;

CREATE TRIGGER addresses_go_where_accounts_are BEFORE INSERT ON addresses
WHEN EXISTS (SELECT 1 FROM accounts WHERE id = NEW.account_id AND moved_to IS NOT NULL)
BEGIN
  SELECT RAISE(ABORT, 'guard: account_moved');
END;

CREATE TRIGGER listeners_go_where_accounts_are BEFORE INSERT ON listeners
WHEN EXISTS (SELECT 1 FROM accounts WHERE id = NEW.account_id AND moved_to IS NOT NULL)
BEGIN
  SELECT RAISE(ABORT, 'guard: account_moved');
END;

CREATE TRIGGER endpoints_go_where_accounts_are BEFORE INSERT ON webhook_endpoints
WHEN EXISTS (SELECT 1 FROM accounts WHERE id = NEW.account_id AND moved_to IS NOT NULL)
BEGIN
  SELECT RAISE(ABORT, 'guard: account_moved');
END;

CREATE TRIGGER endpoints_left_behind_are_not_changed BEFORE UPDATE ON webhook_endpoints
WHEN EXISTS (SELECT 1 FROM accounts WHERE id = OLD.account_id AND moved_to IS NOT NULL)
BEGIN
  SELECT RAISE(ABORT, 'guard: account_moved');
END;

CREATE TRIGGER endpoints_left_behind_are_kept BEFORE DELETE ON webhook_endpoints
WHEN EXISTS (SELECT 1 FROM accounts WHERE id = OLD.account_id AND moved_to IS NOT NULL)
BEGIN
  SELECT RAISE(ABORT, 'guard: account_moved');
END;

CREATE TRIGGER recoveries_go_where_accounts_are BEFORE INSERT ON allowed_recoveries
WHEN EXISTS (SELECT 1 FROM accounts WHERE id = NEW.account_id AND moved_to IS NOT NULL)
BEGIN
  SELECT RAISE(ABORT, 'guard: account_moved');
END;
