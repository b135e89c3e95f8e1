-- Accounts and their API keys.
--
-- The database itself enforces the rules about money. Amounts are whole atoms in 64-bit INTEGER columns of STRICT tables,
-- so that an overflow is an error. Times are milliseconds since 1970. Every message of a RAISE begins with 'ledger:' or
-- 'guard:'; src/ledger/commit.ts parses them. Triggers compare with IS NOT and not with <>, because a comparison by <> with
-- NULL is NULL, which fires no trigger: UPDATE OR REPLACE replaces a NULL by the column's default only after the triggers.

CREATE TABLE accounts (
  id TEXT PRIMARY KEY NOT NULL,
  -- Accounts are numbered in order of opening. The deposit addresses are derived from this index; it is never reused.
  address_index INTEGER NOT NULL UNIQUE CHECK (address_index >= 0),
  label TEXT NOT NULL,
  status TEXT NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'frozen')),
  -- In atoms of USDT, for a rolling 24 hours.
  daily_withdrawal_limit INTEGER NOT NULL DEFAULT 5000000000 CHECK (daily_withdrawal_limit >= 0),
  created_at INTEGER NOT NULL,
  -- The number of the newest change of the account's status or of one of its API keys. The lane of a key keeps a copy of
  -- the key's record, which is the key's row with the status of its account. Each change of either sets this number to the
  -- time in milliseconds, or to the previous number plus one if that is more. Two copies with the same number are equal;
  -- of two others, the one with the higher number is newer.
  record_number INTEGER NOT NULL DEFAULT 0 CHECK (record_number >= 0)
) STRICT, WITHOUT ROWID;

-- INSERT OR REPLACE deletes a row without firing a DELETE trigger. Tables whose rows must stay refuse it before the insert.
CREATE TRIGGER accounts_are_opened_once BEFORE INSERT ON accounts
WHEN EXISTS (SELECT 1 FROM accounts WHERE id = NEW.id OR address_index = NEW.address_index)
BEGIN
  SELECT RAISE(ABORT, 'guard: account exists');
END;

CREATE TRIGGER accounts_are_kept BEFORE DELETE ON accounts
BEGIN
  SELECT RAISE(ABORT, 'guard: accounts are never deleted');
END;

CREATE TRIGGER accounts_keep_their_index BEFORE UPDATE ON accounts
WHEN NEW.id IS NOT OLD.id OR NEW.address_index IS NOT OLD.address_index
BEGIN
  SELECT RAISE(ABORT, 'guard: an account keeps its id and its index');
END;

CREATE TRIGGER accounts_number_their_changes BEFORE UPDATE ON accounts
WHEN NEW.record_number < OLD.record_number
BEGIN
  SELECT RAISE(ABORT, 'guard: the number of an account''s key records never falls');
END;

CREATE TABLE api_keys (
  id TEXT PRIMARY KEY NOT NULL,
  account_id TEXT NOT NULL REFERENCES accounts (id),
  label TEXT NOT NULL,
  -- One letter for each scope, as src/keys/scope.ts lists them.
  scopes TEXT NOT NULL CHECK (length(scopes) > 0 AND scopes NOT GLOB '*[^a-z]*'),
  token_hash TEXT NOT NULL,
  -- A JSON array of addresses and CIDR ranges; NULL admits every address.
  ip_allowlist TEXT CHECK (json_valid(ip_allowlist)),
  -- A JSON object of the rate limits that differ from the defaults.
  rate_limits TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(rate_limits)),
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  revoked_at INTEGER
) STRICT, WITHOUT ROWID;

CREATE TRIGGER api_keys_are_made_once BEFORE INSERT ON api_keys
WHEN EXISTS (SELECT 1 FROM api_keys WHERE id = NEW.id)
BEGIN
  SELECT RAISE(ABORT, 'guard: api key exists');
END;

CREATE INDEX api_keys_of_account ON api_keys (account_id, id);

CREATE TRIGGER api_keys_are_kept BEFORE DELETE ON api_keys
BEGIN
  SELECT RAISE(ABORT, 'guard: an api key is revoked, never deleted');
END;

CREATE TRIGGER api_keys_stay_revoked BEFORE UPDATE ON api_keys
WHEN OLD.revoked_at IS NOT NULL AND NEW.revoked_at IS NOT OLD.revoked_at
BEGIN
  SELECT RAISE(ABORT, 'guard: a revoked key stays revoked');
END;

-- A key with another account, other scopes or another token is a new key, not a change of this one.
CREATE TRIGGER api_keys_stay_what_they_are BEFORE UPDATE ON api_keys
WHEN NEW.id IS NOT OLD.id OR NEW.account_id IS NOT OLD.account_id OR NEW.token_hash IS NOT OLD.token_hash
  OR NEW.scopes IS NOT OLD.scopes OR NEW.created_at IS NOT OLD.created_at
BEGIN
  SELECT RAISE(ABORT, 'guard: a key keeps its account, scopes and hash');
END;
