-- Holders: who signs in to the console for an account, and the time after a recovery in which nothing may leave.

-- The id by which the console knows the holder. NULL: nobody has signed in for the account yet.
ALTER TABLE accounts ADD COLUMN holder TEXT;

-- Until when a recovery holds the account, because it may have been a thief's: no withdrawal, no new API key, no new
-- approved address. 0: it never was recovered.
ALTER TABLE accounts ADD COLUMN held_until INTEGER NOT NULL DEFAULT 0;

CREATE TRIGGER accounts_keep_their_holder BEFORE UPDATE ON accounts
WHEN OLD.holder IS NOT NULL AND NEW.holder IS NOT OLD.holder
BEGIN
  SELECT RAISE(ABORT, 'guard: account_has_holder');
END;

CREATE TRIGGER accounts_stay_held BEFORE UPDATE ON accounts
WHEN NEW.held_until IS NULL OR NEW.held_until < OLD.held_until
BEGIN
  SELECT RAISE(ABORT, 'guard: a hold is never shortened');
END;

-- Whichever API key asks for the withdrawal.
CREATE TRIGGER withdrawals_wait_after_recovery BEFORE INSERT ON withdrawals
BEGIN
  SELECT RAISE(ABORT, 'guard: account_recovered ' || held_until) FROM accounts
    WHERE id = NEW.account_id AND held_until > NEW.committed_at;
END;

-- One that waits for its review waits for the end of the hold as well. Payouts that were released before go on.
CREATE TRIGGER reviews_wait_after_recovery BEFORE UPDATE OF released_at ON withdrawals
WHEN OLD.status = 'PENDING'
BEGIN
  SELECT RAISE(ABORT, 'guard: account_recovered ' || held_until) FROM accounts
    WHERE id = NEW.account_id AND held_until > NEW.released_at;
END;

CREATE TRIGGER keys_wait_after_recovery BEFORE INSERT ON api_keys
WHEN NEW.kind = 'standing'
BEGIN
  SELECT RAISE(ABORT, 'guard: account_recovered ' || held_until) FROM accounts
    WHERE id = NEW.account_id AND held_until > NEW.created_at;
END;

-- The time of an entry is that of its id.
CREATE TRIGGER approvals_wait_after_recovery BEFORE INSERT ON allowlist
BEGIN
  SELECT RAISE(ABORT, 'guard: account_recovered ' || held_until) FROM accounts
    WHERE id = NEW.account_id
      AND NEW.id < substr(printf('%012x', held_until), 1, 8) || '-' || substr(printf('%012x', held_until), 9);
END;
