-- What the staff gives out or takes away at an account that has a holder needs two people: an API key, an approved address,
-- and the end of the second factor. With any of them one person alone could empty the account.

-- The change that the audit's newest row tells of, if two people agreed on it or the holder made it. A change writes its
-- row first.
CREATE VIEW agreed_change AS
  SELECT action, target FROM audit
  WHERE id = (SELECT max(id) FROM audit) AND (proposal IS NOT NULL OR role = 'holder');

CREATE TRIGGER keys_of_holders_are_made_by_two BEFORE INSERT ON api_keys
WHEN NEW.kind = 'standing'
  AND EXISTS (SELECT 1 FROM accounts WHERE id = NEW.account_id AND holder IS NOT NULL)
  AND EXISTS (SELECT 1 FROM two_admins)
  AND NOT EXISTS (SELECT 1 FROM agreed_change WHERE action = 'create_api_key' AND target = NEW.account_id)
BEGIN
  SELECT RAISE(ABORT, 'guard: two_people_needed');
END;

CREATE TRIGGER addresses_of_holders_are_approved_by_two BEFORE INSERT ON allowlist
WHEN EXISTS (SELECT 1 FROM accounts WHERE id = NEW.account_id AND holder IS NOT NULL)
  AND EXISTS (SELECT 1 FROM two_admins)
  AND NOT EXISTS (SELECT 1 FROM agreed_change WHERE action = 'approve_address' AND target = NEW.account_id)
BEGIN
  SELECT RAISE(ABORT, 'guard: two_people_needed');
END;

-- The secret of one that is on is changed only by switching it off.
CREATE TRIGGER second_factors_of_holders_end_by_two BEFORE UPDATE ON totp
WHEN OLD.confirmed_at IS NOT NULL
  AND (NEW.confirmed_at IS NULL OR NEW.sealed_secret IS NOT OLD.sealed_secret)
  AND EXISTS (SELECT 1 FROM accounts WHERE id = NEW.account_id AND holder IS NOT NULL)
  AND EXISTS (SELECT 1 FROM two_admins)
  AND NOT EXISTS (SELECT 1 FROM agreed_change WHERE action = 'remove_totp' AND target = NEW.account_id)
BEGIN
  SELECT RAISE(ABORT, 'guard: two_people_needed');
END;
