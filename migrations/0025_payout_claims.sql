-- Who pays a withdrawal by hand, where no custodian is configured that pays.

-- One person at a time: two people never pay the same withdrawal. A claim is made only while it may be paid.
CREATE TABLE payout_claims (
  account_id TEXT NOT NULL,
  withdrawal_id TEXT NOT NULL,
  -- The e-mail of a person, or the name of a token.
  claimed_by TEXT NOT NULL,
  claimed_at INTEGER NOT NULL,
  PRIMARY KEY (account_id, withdrawal_id),
  FOREIGN KEY (account_id, withdrawal_id) REFERENCES withdrawals (account_id, id)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER payout_claims_are_made_once BEFORE INSERT ON payout_claims
BEGIN
  SELECT RAISE(ABORT, 'guard: payout claim exists')
    WHERE EXISTS (
      SELECT 1 FROM payout_claims WHERE account_id = NEW.account_id AND withdrawal_id = NEW.withdrawal_id);
  SELECT RAISE(ABORT, 'guard: withdrawal_settled')
    WHERE NOT EXISTS (
      SELECT 1 FROM withdrawals
      WHERE account_id = NEW.account_id AND id = NEW.withdrawal_id AND status = 'PROCESSING');
  SELECT RAISE(ABORT, 'guard: account_frozen')
    WHERE NOT EXISTS (SELECT 1 FROM accounts WHERE id = NEW.account_id AND status = 'active');
  SELECT RAISE(ABORT, 'guard: withdrawals_suspended')
    WHERE NOT EXISTS (SELECT 1 FROM settings WHERE id = 1 AND withdrawals_halted = 0)
      OR EXISTS (
        SELECT 1 FROM withdrawals, settings, json_each(settings.paused_networks) AS paused
        WHERE withdrawals.account_id = NEW.account_id AND withdrawals.id = NEW.withdrawal_id
          AND paused.value = withdrawals.network);
END;

CREATE TRIGGER payout_claims_are_not_changed BEFORE UPDATE ON payout_claims
BEGIN
  SELECT RAISE(ABORT, 'guard: a claim of a payout is never changed');
END;

-- A claim is given back before the withdrawal has ended; after that it says who paid.
CREATE TRIGGER payout_claims_are_kept BEFORE DELETE ON payout_claims
BEGIN
  SELECT RAISE(ABORT, 'guard: withdrawal_settled')
    WHERE NOT EXISTS (
      SELECT 1 FROM withdrawals
      WHERE account_id = OLD.account_id AND id = OLD.withdrawal_id AND status = 'PROCESSING');
END;
