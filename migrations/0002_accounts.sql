-- Accounts and their API keys. Sessions of holders, who sign in to the console, are API keys of a kind of their own.

CREATE TABLE accounts (
  id TEXT PRIMARY KEY NOT NULL,
  -- Accounts are numbered in order of opening. The deposit addresses are derived from this index. It is never reused.
  address_index INTEGER NOT NULL UNIQUE CHECK (address_index >= 0),
  label TEXT NOT NULL,
  status TEXT NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'frozen')),
  -- In atoms of USDT, for a rolling 24 hours.
  daily_withdrawal_limit INTEGER NOT NULL DEFAULT 5000000000 CHECK (daily_withdrawal_limit >= 0),
  created_at INTEGER NOT NULL,
  -- The number of the newest change of the account's status or of one of its API keys (src/db/record-number.ts). The lane of
  -- a key keeps a copy of the key's record. Of two copies, the one with the higher number is newer.
  record_number INTEGER NOT NULL DEFAULT 0 CHECK (record_number >= 0),
  -- The operator's own id of an account. Two accounts never have the same: the ledger of the first has the claim in the
  -- directory, and the index decides between the accounts of that ledger.
  external_id TEXT CHECK (length(external_id) > 0),
  -- The id by which the console knows the holder. NULL: nobody has signed in for the account yet.
  holder TEXT,
  -- Until when a recovery holds the account, because it may have been a thief's: no withdrawal, no new API key, no new
  -- approved address. 0: it never was recovered.
  held_until INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;

-- INSERT OR REPLACE deletes a row without firing a DELETE trigger. Tables whose rows must stay refuse it before the insert.
-- Nothing is owed to anybody in a database that has no number and no share yet, and swapped bindings are noticed.
CREATE TRIGGER accounts_are_opened_once BEFORE INSERT ON accounts
BEGIN
  SELECT RAISE(ABORT, 'guard: account exists')
    WHERE EXISTS (SELECT 1 FROM accounts WHERE id = NEW.id OR address_index = NEW.address_index);
  SELECT RAISE(ABORT, 'guard: external id exists')
    WHERE EXISTS (SELECT 1 FROM accounts WHERE external_id = NEW.external_id);
  SELECT RAISE(ABORT, 'guard: an account is in the ledger that its id names')
    WHERE substr(NEW.id, 16, 3) IS NOT (
      SELECT printf('%03x', ledger) FROM settings WHERE json_array_length(shares, '$."house:custody".USDT') > ledger);
END;

CREATE TRIGGER accounts_are_kept BEFORE DELETE ON accounts
BEGIN
  SELECT RAISE(ABORT, 'guard: accounts are never deleted');
END;

CREATE TRIGGER accounts_keep_what_they_are BEFORE UPDATE ON accounts
BEGIN
  SELECT RAISE(ABORT, 'guard: an account keeps what it is')
    WHERE (NEW.id, NEW.address_index, NEW.external_id) IS NOT (OLD.id, OLD.address_index, OLD.external_id);
  SELECT RAISE(ABORT, 'guard: account_has_holder') WHERE OLD.holder IS NOT NULL AND NEW.holder IS NOT OLD.holder;
  SELECT RAISE(ABORT, 'guard: the number of an account''s key records never falls')
    WHERE NEW.record_number < OLD.record_number;
  SELECT RAISE(ABORT, 'guard: a hold is never shortened') WHERE NEW.held_until IS NULL OR NEW.held_until < OLD.held_until;
  -- The row of the audit says by which address. One person's invitation does not reach what came into the account since.
  SELECT RAISE(ABORT, 'guard: holder_not_invited')
    WHERE OLD.holder IS NULL AND NEW.holder IS NOT NULL AND NOT EXISTS (
      SELECT 1 FROM newest_audit JOIN invitations ON account_id = target
      WHERE action = 'become_holder' AND target = NEW.id AND address = detail ->> 'address' AND expires_at > ts
        AND (by_two = 1 OR NOT EXISTS (SELECT 1 FROM used_accounts WHERE id = NEW.id)));
  INSERT INTO changes_by_two VALUES (
    iif(NEW.daily_withdrawal_limit > OLD.daily_withdrawal_limit, 'change_account', NULL), NEW.id);
END;

-- By what accounts are found: the label from each of its words on, without case and accents (src/accounts/name-words.ts).
-- The database itself knows no letters but English ones.
CREATE TABLE account_words (
  account_id TEXT NOT NULL REFERENCES accounts (id),
  words TEXT NOT NULL,
  PRIMARY KEY (account_id, words)
) STRICT, WITHOUT ROWID;

CREATE INDEX account_words_in_order ON account_words (words, account_id);

CREATE UNIQUE INDEX accounts_by_external_id ON accounts (external_id) WHERE external_id IS NOT NULL;

CREATE TABLE api_keys (
  id TEXT PRIMARY KEY NOT NULL,
  account_id TEXT NOT NULL REFERENCES accounts (id),
  label TEXT NOT NULL,
  -- One letter for each scope, as src/keys/rights.ts lists them.
  scopes TEXT NOT NULL CHECK (length(scopes) > 0 AND scopes NOT GLOB '*[^a-z]*'),
  token_hash TEXT NOT NULL,
  -- A JSON array of addresses and CIDR ranges. NULL admits every address.
  ip_allowlist TEXT CHECK (json_valid(ip_allowlist)),
  -- A JSON object of the rate limits that differ from the defaults.
  rate_limits TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(rate_limits)),
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  revoked_at INTEGER,
  -- Sessions of holders who are signed in to the console are in no list of keys.
  kind TEXT NOT NULL DEFAULT 'standing' CHECK (kind IN ('standing', 'session'))
) STRICT, WITHOUT ROWID;

-- A list shows all keys that can be used, and a freeze reaches each of them at once, so they are few. What a holder makes
-- alone, with a passkey, sends no coins out without a second factor. A session is as old as its id, so that live ones are
-- found without passing over those that ended.
CREATE TRIGGER api_keys_are_guarded BEFORE INSERT ON api_keys
BEGIN
  SELECT RAISE(ABORT, 'guard: api key exists') WHERE EXISTS (SELECT 1 FROM api_keys WHERE id = NEW.id);
  SELECT RAISE(ABORT, 'guard: too_many_keys')
    WHERE NEW.kind = 'standing' AND 50 <= (
      SELECT count(*) FROM api_keys
      WHERE account_id = NEW.account_id AND kind = 'standing' AND revoked_at IS NULL);
  SELECT RAISE(ABORT, 'guard: account_recovered ' || held_until) FROM accounts
    WHERE NEW.kind = 'standing' AND id = NEW.account_id AND held_until > NEW.created_at;
  SELECT RAISE(ABORT, 'guard: second_factor_needed')
    WHERE NEW.kind = 'standing' AND instr(NEW.scopes, 'w') > 0 AND (SELECT role FROM newest_audit) IS 'holder'
      AND NOT EXISTS (SELECT 1 FROM totp WHERE account_id = NEW.account_id AND confirmed_at IS NOT NULL);
  SELECT RAISE(ABORT, 'guard: a session lasts at most 12 hours')
    WHERE NEW.kind = 'session' AND (NEW.expires_at IS NULL OR NEW.expires_at > NEW.created_at + 43200000);
  SELECT RAISE(ABORT, 'guard: too_many_sessions')
    WHERE NEW.kind = 'session' AND 5 <= (
      SELECT count(*) FROM api_keys
      WHERE account_id = NEW.account_id AND kind = 'session' AND revoked_at IS NULL AND expires_at > NEW.created_at
        AND id > printf('%08x-%04x', NEW.created_at - 43200000 >> 16, NEW.created_at - 43200000 & 65535));
  INSERT INTO changes_by_two SELECT 'create_api_key', id FROM accounts
    WHERE NEW.kind = 'standing' AND id = NEW.account_id AND holder IS NOT NULL;
END;

-- By kind, so that an account's standing keys are found without passing over all of its past sessions.
CREATE INDEX api_keys_of_account ON api_keys (account_id, kind, id);

CREATE TRIGGER api_keys_are_kept BEFORE DELETE ON api_keys
BEGIN
  SELECT RAISE(ABORT, 'guard: an api key is revoked, never deleted');
END;

-- A key with another account, other scopes or another token is a new key, not a change of this one.
CREATE TRIGGER api_keys_stay_what_they_are BEFORE UPDATE ON api_keys
BEGIN
  SELECT RAISE(ABORT, 'guard: a key keeps its account, scopes and hash')
    WHERE (NEW.id, NEW.account_id, NEW.token_hash, NEW.scopes, NEW.created_at)
      IS NOT (OLD.id, OLD.account_id, OLD.token_hash, OLD.scopes, OLD.created_at);
  SELECT RAISE(ABORT, 'guard: a revoked key stays revoked')
    WHERE OLD.revoked_at IS NOT NULL AND NEW.revoked_at IS NOT OLD.revoked_at;
  SELECT RAISE(ABORT, 'guard: a session ends when it said')
    WHERE NEW.kind IS NOT OLD.kind OR (OLD.kind = 'session' AND NEW.expires_at IS NOT OLD.expires_at);
END;

CREATE INDEX api_keys_in_use ON api_keys (account_id, id) WHERE kind = 'standing' AND revoked_at IS NULL;

CREATE TABLE statements (
  account_id TEXT PRIMARY KEY NOT NULL REFERENCES accounts (id),
  made_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
