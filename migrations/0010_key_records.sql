-- The order of what happens to an account's API keys, and what of a key never changes.
--
-- A key's record is its row with the status of its account, and its lane keeps a copy. The account numbers the changes of
-- both: each change takes the time in milliseconds, or the number before plus one where that is more. One number of the
-- account, and none of the key, since a change of either makes another record: two reads with the same number have read
-- the same, and of two others the one with the higher number was read later.
ALTER TABLE accounts ADD COLUMN record_number INTEGER NOT NULL DEFAULT 0 CHECK (record_number >= 0);

CREATE TRIGGER accounts_number_their_changes BEFORE UPDATE ON accounts
WHEN NEW.record_number < OLD.record_number
BEGIN
  SELECT RAISE(ABORT, 'guard: the number of an account''s key records never falls');
END;

-- Another account, more scopes or another token would be another key.
CREATE TRIGGER api_keys_stay_what_they_are BEFORE UPDATE ON api_keys
WHEN NEW.id IS NOT OLD.id OR NEW.account_id IS NOT OLD.account_id OR NEW.scopes IS NOT OLD.scopes
  OR NEW.token_hash IS NOT OLD.token_hash
BEGIN
  SELECT RAISE(ABORT, 'guard: a key keeps its account, scopes and hash');
END;
