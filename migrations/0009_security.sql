-- The account holder's second factor, and the addresses that may be withdrawn to.

CREATE TABLE totp (
  account_id TEXT PRIMARY KEY NOT NULL REFERENCES accounts (id),
  -- The shared secret, encrypted under a key of the Worker whose version it names. NULL: the second factor is off.
  sealed_secret TEXT,
  -- NULL until a first code has shown that the holder has the secret; until then it protects nothing.
  confirmed_at INTEGER,
  -- The newest time step of which a code was taken (RFC 6238): none is taken twice, and none that is older, whatever
  -- becomes of the secret.
  used_step INTEGER NOT NULL DEFAULT 0,
  -- Codes that were tried since the last right one, each counted before it was looked at, and until when too many of
  -- them lock withdrawals.
  attempts INTEGER NOT NULL DEFAULT 0 CHECK (attempts >= 0),
  locked_until INTEGER NOT NULL DEFAULT 0,
  CHECK (confirmed_at IS NULL OR sealed_secret IS NOT NULL)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER totp_begins_once BEFORE INSERT ON totp
WHEN EXISTS (SELECT 1 FROM totp WHERE account_id = NEW.account_id)
BEGIN
  SELECT RAISE(ABORT, 'guard: totp exists');
END;

-- Fires for every UPDATE that names the step, so that taking the same one again is refused and not a change of nothing.
CREATE TRIGGER totp_steps_increase BEFORE UPDATE OF used_step ON totp
WHEN NEW.used_step IS NULL OR NEW.used_step <= OLD.used_step
BEGIN
  SELECT RAISE(ABORT, 'guard: totp_step_used');
END;

CREATE TRIGGER totp_keeps_its_account BEFORE UPDATE ON totp
WHEN NEW.account_id IS NOT OLD.account_id
BEGIN
  SELECT RAISE(ABORT, 'guard: a second factor keeps its account');
END;

CREATE TRIGGER totp_is_kept BEFORE DELETE ON totp
BEGIN
  SELECT RAISE(ABORT, 'guard: a second factor is switched off, never deleted');
END;

CREATE TABLE allowlist (
  account_id TEXT NOT NULL REFERENCES accounts (id),
  id TEXT NOT NULL,
  network TEXT NOT NULL,
  -- In its canonical form.
  address TEXT NOT NULL,
  label TEXT NOT NULL,
  -- From when on it may be withdrawn to.
  usable_at INTEGER NOT NULL,
  PRIMARY KEY (account_id, id)
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX allowlist_once_per_address ON allowlist (account_id, network, address);

CREATE TRIGGER allowlist_entries_begin_once BEFORE INSERT ON allowlist
WHEN EXISTS (
  SELECT 1 FROM allowlist
  WHERE account_id = NEW.account_id AND (id = NEW.id OR (network = NEW.network AND address = NEW.address)))
BEGIN
  SELECT RAISE(ABORT, 'guard: allowlist entry exists');
END;

CREATE TRIGGER allowlist_entries_are_not_changed BEFORE UPDATE ON allowlist
BEGIN
  SELECT RAISE(ABORT, 'guard: an allowlist entry is never changed');
END;
