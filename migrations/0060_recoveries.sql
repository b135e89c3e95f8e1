-- A recovery that two of the exchange's people have agreed to: for a holder who has lost the passkeys, the second factor
-- and the recovery codes. They still need a link that is mailed to them, and the account is held for 24 hours afterwards.

CREATE TABLE allowed_recoveries (
  account_id TEXT PRIMARY KEY NOT NULL REFERENCES accounts (id),
  -- Good once, for 72 hours.
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Two people, also where there are not two admins yet: nobody hands an account to somebody alone.
CREATE TRIGGER recoveries_are_allowed_by_two BEFORE INSERT ON allowed_recoveries
BEGIN
  SELECT RAISE(ABORT, 'guard: two_people_needed')
    WHERE NOT EXISTS (SELECT 1 FROM approved_change WHERE action = 'allow_recovery' AND target = NEW.account_id);
  SELECT RAISE(ABORT, 'guard: an allowed recovery lasts 72 hours')
    WHERE NEW.expires_at IS NOT (SELECT ts + 259200000 FROM audit ORDER BY id DESC LIMIT 1);
END;

CREATE TRIGGER recoveries_are_allowed_as_they_are BEFORE UPDATE ON allowed_recoveries
BEGIN
  SELECT RAISE(ABORT, 'guard: an allowed recovery is never changed');
END;

-- The recovery's row of the audit is written first in its batch: so of two at once one takes effect.
CREATE TRIGGER recoveries_need_to_be_allowed BEFORE INSERT ON audit
WHEN NEW.action = 'recover_account' AND NEW.detail ->> 'proof' = 'allowed'
BEGIN
  SELECT RAISE(ABORT, 'guard: recovery_not_allowed')
    WHERE NOT EXISTS (SELECT 1 FROM allowed_recoveries WHERE account_id = NEW.target AND expires_at > NEW.ts);
END;

CREATE TRIGGER recoveries_end_with_the_first AFTER INSERT ON audit
WHEN NEW.action = 'recover_account'
BEGIN
  DELETE FROM allowed_recoveries WHERE account_id = NEW.target;
END;

-- Every step is told by mail, so that the real holder can freeze the account. That ends what was allowed.
CREATE TRIGGER recoveries_end_with_a_freeze AFTER UPDATE OF status ON accounts
WHEN NEW.status = 'frozen' AND OLD.status IS NOT 'frozen'
BEGIN
  DELETE FROM allowed_recoveries WHERE account_id = NEW.id;
END;
