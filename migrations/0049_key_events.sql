-- Sessions of holders are API keys of a kind of their own. They are no keys to their holder, and are not told as such.

DROP TRIGGER api_keys_tell;
DROP TRIGGER api_keys_tell_their_end;

CREATE TRIGGER api_keys_tell AFTER INSERT ON api_keys
WHEN NEW.kind = 'standing'
BEGIN
  INSERT INTO events (account_id, sequence, type, subject)
    SELECT account_id, sequence, 'key.' || iif(NEW.revoked_at IS NULL, 'created', 'revoked'), NEW.id
    FROM next_events WHERE account_id = NEW.account_id;
END;

CREATE TRIGGER api_keys_tell_their_end AFTER UPDATE OF revoked_at ON api_keys
WHEN NEW.kind = 'standing' AND OLD.revoked_at IS NULL AND NEW.revoked_at IS NOT NULL
BEGIN
  INSERT INTO events (account_id, sequence, type, subject)
    SELECT account_id, sequence, 'key.revoked', NEW.id FROM next_events WHERE account_id = NEW.account_id;
END;
