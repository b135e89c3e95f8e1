-- Second factors, the addresses to which accounts may withdraw, the recoveries of lost accounts, and invitations of holders.

CREATE TABLE totp (
  account_id TEXT PRIMARY KEY NOT NULL REFERENCES accounts (id),
  -- The shared secret, encrypted. It names the version of the Worker's key that encrypted it. NULL: no second factor.
  sealed_secret TEXT,
  -- When a first correct code showed that the holder has the secret. NULL before that: the second factor is not in force.
  confirmed_at INTEGER,
  -- The newest time step whose code was accepted (RFC 6238). No code of this or an older step is accepted again, not even
  -- after the secret was replaced.
  used_step INTEGER NOT NULL DEFAULT 0,
  -- How many codes were tried since the last correct one. Each is counted before it is checked. After too many,
  -- withdrawals are locked until `locked_until`.
  attempts INTEGER NOT NULL DEFAULT 0 CHECK (attempts >= 0),
  locked_until INTEGER NOT NULL DEFAULT 0,
  CHECK (confirmed_at IS NULL OR sealed_secret IS NOT NULL)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER totp_begins_once BEFORE INSERT ON totp
BEGIN
  SELECT RAISE(ABORT, 'guard: totp exists') WHERE EXISTS (SELECT 1 FROM totp WHERE account_id = NEW.account_id);
END;

-- Fires for every UPDATE that names the column, even when the step is the same: using a step twice is refused.
CREATE TRIGGER totp_steps_increase BEFORE UPDATE OF used_step ON totp
BEGIN
  SELECT RAISE(ABORT, 'guard: totp_step_used') WHERE NEW.used_step IS NULL OR NEW.used_step <= OLD.used_step;
END;

-- A first code confirms the secret that it is of: neither another one that was drawn meanwhile, nor one that is in force.
CREATE TRIGGER second_factors_are_confirmed_as_drawn BEFORE UPDATE OF confirmed_at ON totp
WHEN NEW.confirmed_at IS NOT NULL AND (OLD.confirmed_at IS NOT NULL OR NEW.sealed_secret IS NOT OLD.sealed_secret)
BEGIN
  SELECT RAISE(ABORT, 'guard: totp_secret_replaced');
END;

CREATE TRIGGER totp_is_kept BEFORE DELETE ON totp
BEGIN
  SELECT RAISE(ABORT, 'guard: a second factor is switched off, never deleted');
END;

CREATE TABLE allowlist (
  account_id TEXT NOT NULL REFERENCES accounts (id),
  id TEXT NOT NULL,
  network TEXT NOT NULL,
  address TEXT NOT NULL,
  label TEXT NOT NULL,
  usable_at INTEGER NOT NULL,
  PRIMARY KEY (account_id, id)
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX allowlist_once_per_address ON allowlist (account_id, network, address);

-- There are few, so that a list shows all of them. The time of an entry is that of its id.
CREATE TRIGGER allowlist_entries_begin_once BEFORE INSERT ON allowlist
BEGIN
  SELECT RAISE(ABORT, 'guard: allowlist entry exists')
    WHERE EXISTS (
      SELECT 1 FROM allowlist
      WHERE account_id = NEW.account_id AND (id = NEW.id OR (network = NEW.network AND address = NEW.address)));
  SELECT RAISE(ABORT, 'guard: too_many_addresses')
    WHERE 100 <= (SELECT count(*) FROM allowlist WHERE account_id = NEW.account_id);
  SELECT RAISE(ABORT, 'guard: account_recovered ' || held_until) FROM accounts
    WHERE id = NEW.account_id AND NEW.id < printf('%08x-%04x', held_until >> 16, held_until & 65535);
  INSERT INTO changes_by_two SELECT 'approve_address', id FROM accounts WHERE id = NEW.account_id AND holder IS NOT NULL;
END;

CREATE TRIGGER allowlist_entries_are_not_changed BEFORE UPDATE ON allowlist
BEGIN
  SELECT RAISE(ABORT, 'guard: an allowlist entry is never changed');
END;

-- A recovery that two of the exchange's people have agreed to: for a holder who has lost the passkeys, the second factor
-- and the recovery codes. They still need a link that is mailed to them, and the account is held for 24 hours afterwards.
CREATE TABLE allowed_recoveries (
  account_id TEXT PRIMARY KEY NOT NULL REFERENCES accounts (id),
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Two people, also where there are not two admins yet: nobody hands an account to somebody alone.
CREATE TRIGGER recoveries_are_allowed_by_two BEFORE INSERT ON allowed_recoveries
BEGIN
  SELECT RAISE(ABORT, 'guard: two_people_needed')
    WHERE NOT EXISTS (SELECT 1 FROM agreed_change WHERE action = 'allow_recovery' AND target = NEW.account_id);
  SELECT RAISE(ABORT, 'guard: an allowed recovery lasts 72 hours')
    WHERE NEW.expires_at IS NOT (SELECT ts + 259200000 FROM newest_audit);
END;

CREATE TRIGGER recoveries_are_allowed_as_they_are BEFORE UPDATE ON allowed_recoveries
BEGIN
  SELECT RAISE(ABORT, 'guard: an allowed recovery is never changed');
END;

-- Every step is told by mail, so that the real holder can freeze the account. That ends what was allowed.
CREATE TRIGGER accounts_change_their_status AFTER UPDATE OF status ON accounts
WHEN NEW.status IS NOT OLD.status
BEGIN
  DELETE FROM allowed_recoveries WHERE NEW.status = 'frozen' AND account_id = NEW.id;
  DELETE FROM invitations WHERE NEW.status = 'frozen' AND account_id = NEW.id;
  INSERT INTO happenings VALUES (NEW.id, 'account.' || iif(NEW.status = 'frozen', 'frozen', 'thawed'), NEW.id, NULL);
END;

-- Who may become the holder of an account that has none: whoever reads the mails to an address. The console mails the link.
CREATE TABLE invitations (
  account_id TEXT PRIMARY KEY NOT NULL REFERENCES accounts (id),
  address TEXT NOT NULL,
  expires_at INTEGER NOT NULL,
  by_two INTEGER NOT NULL CHECK (by_two IN (0, 1))
) STRICT, WITHOUT ROWID;

-- The accounts that somebody may have something in: they ever had an API key, a balance, a deposit or a second factor.
CREATE VIEW used_accounts AS
  SELECT id FROM accounts
  WHERE EXISTS (SELECT 1 FROM api_keys WHERE account_id = accounts.id AND kind = 'standing')
    OR EXISTS (SELECT 1 FROM balances WHERE account = accounts.id AND last_transfer > 0)
    OR EXISTS (SELECT 1 FROM deposits WHERE account_id = accounts.id)
    OR EXISTS (SELECT 1 FROM totp WHERE account_id = accounts.id);

-- Two people, also where there are not two admins yet: nobody hands what is somebody's to a mailbox alone.
CREATE TRIGGER invitations_are_guarded BEFORE INSERT ON invitations
BEGIN
  SELECT RAISE(ABORT, 'guard: account_has_holder')
    WHERE EXISTS (SELECT 1 FROM accounts WHERE id = NEW.account_id AND holder IS NOT NULL);
  SELECT RAISE(ABORT, 'guard: account_frozen')
    WHERE EXISTS (SELECT 1 FROM accounts WHERE id = NEW.account_id AND status = 'frozen');
  SELECT RAISE(ABORT, 'guard: two_people_needed')
    WHERE EXISTS (SELECT 1 FROM used_accounts WHERE id = NEW.account_id)
      AND NOT EXISTS (SELECT 1 FROM agreed_change WHERE action = 'invite_holder' AND target = NEW.account_id);
  SELECT RAISE(ABORT, 'guard: an invitation is as its audit row says, for 72 hours')
    WHERE NOT EXISTS (
      SELECT 1 FROM newest_audit
      WHERE action = 'invite_holder' AND target = NEW.account_id
        AND NEW.expires_at = ts + 259200000 AND NEW.by_two = (proposal IS NOT NULL));
END;

CREATE TRIGGER invitations_are_not_changed BEFORE UPDATE ON invitations
BEGIN
  SELECT RAISE(ABORT, 'guard: an invitation is never changed');
END;

CREATE TRIGGER invitations_end_with_the_first AFTER UPDATE OF holder ON accounts
BEGIN
  DELETE FROM invitations WHERE account_id = NEW.id;
END;
