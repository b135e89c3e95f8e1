-- Webhook endpoints: the addresses to which an account's events, or the operator's, are sent.

CREATE TABLE webhook_endpoints (
  -- An account's id, or 'operator'.
  account_id TEXT NOT NULL,
  id TEXT NOT NULL,
  url TEXT NOT NULL,
  description TEXT NOT NULL,
  -- A JSON array of the types that are sent; empty: all.
  types TEXT NOT NULL CHECK (json_valid(types)),
  status TEXT NOT NULL DEFAULT 'enabled' CHECK (status IN ('enabled', 'disabled')),
  -- Why the exchange switched it off; NULL where its owner did.
  reason TEXT CHECK (reason IN ('gone', 'failing')),
  -- The secret that signs, encrypted as the secrets of second factors are.
  sealed_secret TEXT NOT NULL,
  -- Earlier secrets, which sign as well for some time: a JSON array such as [{"sealed": "…", "until": 1795241228900}].
  previous_secrets TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(previous_secrets)),
  -- Up to which number the events were delivered, at least. The object of the endpoint knows it exactly; it writes this
  -- column after each run, so that the sweep finds endpoints that are behind.
  delivered INTEGER NOT NULL CHECK (delivered >= 0),
  -- The sweep leaves it alone before this time, because its object has set an alarm.
  due_at INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (account_id, id),
  CHECK (reason IS NULL OR status = 'disabled')
) STRICT, WITHOUT ROWID;

-- Sent again, a creation makes no second one.
CREATE UNIQUE INDEX webhook_endpoints_once_per_url ON webhook_endpoints (account_id, url);

-- For the sweep.
CREATE INDEX webhook_endpoints_due ON webhook_endpoints (due_at) WHERE status = 'enabled';

CREATE TRIGGER webhook_endpoints_are_guarded BEFORE INSERT ON webhook_endpoints
BEGIN
  SELECT RAISE(ABORT, 'guard: webhook endpoint exists')
    WHERE EXISTS (
      SELECT 1 FROM webhook_endpoints WHERE account_id = NEW.account_id AND (id = NEW.id OR url = NEW.url));
  SELECT RAISE(ABORT, 'guard: too_many_endpoints')
    WHERE 10 <= (SELECT count(*) FROM webhook_endpoints WHERE account_id = NEW.account_id);
  SELECT RAISE(ABORT, 'guard: who has a webhook endpoint listens')
    WHERE NOT EXISTS (SELECT 1 FROM listeners WHERE account_id = NEW.account_id);
END;

CREATE TRIGGER webhook_endpoints_keep_their_account BEFORE UPDATE ON webhook_endpoints
BEGIN
  SELECT RAISE(ABORT, 'guard: a webhook endpoint keeps its account')
    WHERE NEW.account_id IS NOT OLD.account_id OR NEW.id IS NOT OLD.id;
  SELECT RAISE(ABORT, 'guard: webhook endpoint exists')
    WHERE NEW.url IS NOT OLD.url AND EXISTS (
      SELECT 1 FROM webhook_endpoints WHERE account_id = NEW.account_id AND url = NEW.url);
END;

-- The other endpoints of the same listener are told that the exchange switched one off.
CREATE TRIGGER webhook_endpoints_tell AFTER UPDATE OF status ON webhook_endpoints
WHEN OLD.status = 'enabled' AND NEW.status = 'disabled' AND NEW.reason IS NOT NULL
BEGIN
  INSERT INTO events (account_id, sequence, type, subject, detail)
    SELECT account_id, sequence, 'endpoint.disabled', NEW.id,
      json_object('url', NEW.url, 'reason', NEW.reason)
    FROM next_events WHERE account_id = NEW.account_id;
END;
