-- Sessions of holders who are signed in to the console: API keys of a kind of their own. They are in no list of keys, last
-- at most 12 hours, and of each account at most five are live.

ALTER TABLE api_keys ADD COLUMN kind TEXT NOT NULL DEFAULT 'standing' CHECK (kind IN ('standing', 'session'));

-- By kind, so that an account's standing keys are found without passing over all of its past sessions.
DROP INDEX api_keys_of_account;
CREATE INDEX api_keys_of_account ON api_keys (account_id, kind, id);

-- A session is as old as its id, so that live ones are found without passing over those that ended.
CREATE TRIGGER sessions_are_few_and_short BEFORE INSERT ON api_keys
WHEN NEW.kind = 'session'
BEGIN
  SELECT RAISE(ABORT, 'guard: a session lasts at most 12 hours')
    WHERE NEW.expires_at IS NULL OR NEW.expires_at > NEW.created_at + 43200000;
  SELECT RAISE(ABORT, 'guard: too_many_sessions')
    WHERE 5 <= (
      SELECT count(*) FROM api_keys
      WHERE account_id = NEW.account_id AND kind = 'session' AND revoked_at IS NULL AND expires_at > NEW.created_at
        AND id > substr(printf('%012x', NEW.created_at - 43200000), 1, 8) || '-'
          || substr(printf('%012x', NEW.created_at - 43200000), 9));
END;

CREATE TRIGGER sessions_keep_their_end BEFORE UPDATE ON api_keys
WHEN NEW.kind IS NOT OLD.kind OR (OLD.kind = 'session' AND NEW.expires_at IS NOT OLD.expires_at)
BEGIN
  SELECT RAISE(ABORT, 'guard: a session ends when it said');
END;
