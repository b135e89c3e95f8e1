-- Payouts: the database lets a withdrawal out, every time before the custodian is asked to pay it, and a halt, a paused
-- network or a frozen account then refuses. A withdrawal names the API key that asked for it.
--
-- Halt withdrawals before this migration: a Worker from before it names no key, and its withdrawals would be refused.

-- The API key that asked for it; NULL for those from before this column.
ALTER TABLE withdrawals ADD COLUMN key_id TEXT;
-- When it was last let out: with the batch that took the money, at its approval, and before each later submission to the
-- custodian. NULL while it waits for its review, and for those from before this column.
ALTER TABLE withdrawals ADD COLUMN released_at INTEGER;
-- How often the sweep has asked the custodian about it, and when it asks next.
ALTER TABLE withdrawals ADD COLUMN asks INTEGER NOT NULL DEFAULT 0 CHECK (asks >= 0);
ALTER TABLE withdrawals ADD COLUMN next_ask_at INTEGER;

DROP TRIGGER withdrawals_move_on;
UPDATE withdrawals SET next_ask_at = committed_at WHERE status = 'PROCESSING';

-- What is open, oldest first: the operator's lists.
DROP INDEX withdrawals_open;
CREATE INDEX withdrawals_open ON withdrawals (status, id) WHERE status IN ('PENDING', 'PROCESSING');
-- What the sweep asks about, the longest due first.
CREATE INDEX withdrawals_to_ask ON withdrawals (next_ask_at) WHERE status = 'PROCESSING';

-- Beside what withdrawals_are_guarded checks. One that is there already is told as that.
CREATE TRIGGER withdrawals_name_their_key BEFORE INSERT ON withdrawals
WHEN NOT EXISTS (SELECT 1 FROM withdrawals WHERE account_id = NEW.account_id AND id = NEW.id)
BEGIN
  SELECT RAISE(ABORT, 'guard: key_revoked')
    WHERE NOT EXISTS (
      SELECT 1 FROM api_keys WHERE id = NEW.key_id AND account_id = NEW.account_id AND revoked_at IS NULL);
  SELECT RAISE(ABORT, 'guard: key_expired ' || expires_at) FROM api_keys
    WHERE id = NEW.key_id AND expires_at <= NEW.committed_at;
  SELECT RAISE(ABORT, 'guard: a withdrawal is let out as it is taken')
    WHERE NEW.released_at IS NOT iif(NEW.status = 'PENDING', NULL, NEW.committed_at)
      OR (NEW.next_ask_at IS NULL) IS NOT (NEW.status IS NOT 'PROCESSING');
  -- The threshold holds for the sum of 24 hours, so that splitting does not pass it. Ids are read as for the daily limit.
  SELECT RAISE(ABORT, 'guard: review_required')
    FROM settings
    WHERE NEW.status IS NOT 'PENDING' AND review_threshold IS NOT NULL AND review_threshold < NEW.usd_value + (
      SELECT coalesce(sum(usd_value), 0) FROM withdrawals
      WHERE account_id = NEW.account_id
        AND id > substr(printf('%012x', NEW.committed_at - 172800000), 1, 8) || '-'
          || substr(printf('%012x', NEW.committed_at - 172800000), 9)
        AND committed_at > NEW.committed_at - 86400000 AND status <> 'FAILED');
END;

-- A withdrawal moves on and never back. An UPDATE names the withdrawal alone, so that a second one of the same step
-- meets this guard instead of matching nothing.
CREATE TRIGGER withdrawals_move_on BEFORE UPDATE ON withdrawals
BEGIN
  SELECT RAISE(ABORT, 'guard: withdrawal_settled')
    WHERE OLD.status IN ('COMPLETED', 'FAILED') OR (OLD.status = 'PROCESSING' AND NEW.status = 'PENDING');
  SELECT RAISE(ABORT, 'guard: a withdrawal keeps what it is')
    WHERE NEW.account_id IS NOT OLD.account_id OR NEW.id IS NOT OLD.id OR NEW.type IS NOT OLD.type
      OR NEW.asset IS NOT OLD.asset OR NEW.network IS NOT OLD.network OR NEW.address IS NOT OLD.address
      OR NEW.amount IS NOT OLD.amount OR NEW.fee IS NOT OLD.fee OR NEW.usd_value IS NOT OLD.usd_value
      OR NEW.committed_at IS NOT OLD.committed_at OR NEW.totp_step IS NOT OLD.totp_step
      OR NEW.key_id IS NOT OLD.key_id OR NEW.status IS NULL;
  -- How it ended is said with its end, and whether the address must be approved with its approval.
  SELECT RAISE(ABORT, 'guard: a withdrawal keeps what it is')
    WHERE (NEW.status IS OLD.status AND (NEW.tx_hash IS NOT OLD.tx_hash OR NEW.reason IS NOT OLD.reason))
      OR (NEW.allowlist_required IS NOT OLD.allowlist_required AND (OLD.status <> 'PENDING' OR NEW.released_at IS NULL));
  SELECT RAISE(ABORT, 'guard: a withdrawal goes on once it is let out')
    WHERE (OLD.status = 'PENDING' AND NEW.status IN ('PROCESSING', 'COMPLETED') AND NEW.released_at IS NULL)
      OR (NEW.status = 'PROCESSING' AND NEW.next_ask_at IS NULL);
END;

CREATE TRIGGER withdrawals_change_their_status BEFORE UPDATE OF status ON withdrawals
WHEN NEW.status IS OLD.status
BEGIN
  SELECT RAISE(ABORT, 'guard: withdrawal_settled');
END;

-- Whoever names the column, with whatever time, is let through or refused. At an approval, which may come days after the
-- request, the key and the address are looked at again as well. A key that has merely expired since is no reason to
-- refuse: it was good when it asked.
CREATE TRIGGER withdrawals_are_let_out BEFORE UPDATE OF released_at ON withdrawals
BEGIN
  SELECT RAISE(ABORT, 'guard: withdrawal_settled') WHERE OLD.status IN ('COMPLETED', 'FAILED');
  SELECT RAISE(ABORT, 'guard: a withdrawal is let out at a time')
    WHERE NEW.released_at IS NULL OR NEW.status NOT IN ('PROCESSING', 'COMPLETED');
  SELECT RAISE(ABORT, 'guard: account_frozen')
    WHERE NOT EXISTS (SELECT 1 FROM accounts WHERE id = NEW.account_id AND status = 'active');
  SELECT RAISE(ABORT, 'guard: withdrawals_suspended')
    WHERE NOT EXISTS (SELECT 1 FROM settings WHERE id = 1 AND withdrawals_halted = 0)
      OR EXISTS (SELECT 1 FROM settings, json_each(settings.paused_networks) AS paused WHERE paused.value = NEW.network);
  SELECT RAISE(ABORT, 'guard: key_revoked')
    WHERE OLD.status = 'PENDING' AND NEW.key_id IS NOT NULL AND NOT EXISTS (
      SELECT 1 FROM api_keys WHERE id = NEW.key_id AND account_id = NEW.account_id AND revoked_at IS NULL);
  SELECT RAISE(ABORT, 'guard: address_not_allowlisted')
    WHERE OLD.status = 'PENDING'
      AND (NEW.allowlist_required = 1 OR EXISTS (SELECT 1 FROM settings WHERE allowlist_mode = 'strict'))
      AND NOT EXISTS (
        SELECT 1 FROM allowlist
        WHERE account_id = NEW.account_id AND network = NEW.network AND address = NEW.address
          AND usable_at <= NEW.released_at);
END;
