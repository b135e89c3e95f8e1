-- The operator's feed: the audit, and the deposits and withdrawals of all accounts of this ledger by their status. The
-- operator is told by the same outbox as an account, under the name 'operator', which is no account's id, and listens from
-- the first read on.

-- Both tables are made again without their foreign key on accounts, because the operator has no account. A trigger says who
-- may listen instead. Both are small: a row for each account that listens, and one for each endpoint.
CREATE TABLE earlier_listeners AS SELECT account_id, since FROM listeners;
DROP TABLE listeners;

-- Who listens. `since` is the number of the newest event from before: 0, or the number that an account had reached in
-- another ledger.
CREATE TABLE listeners (
  -- An account's id, or 'operator'.
  account_id TEXT PRIMARY KEY NOT NULL,
  since INTEGER NOT NULL DEFAULT 0 CHECK (since >= 0)
) STRICT, WITHOUT ROWID;

INSERT INTO listeners SELECT account_id, since FROM earlier_listeners;
DROP TABLE earlier_listeners;

CREATE TRIGGER listeners_begin_once BEFORE INSERT ON listeners
BEGIN
  SELECT RAISE(ABORT, 'guard: listener exists')
    WHERE EXISTS (SELECT 1 FROM listeners WHERE account_id = NEW.account_id);
  SELECT RAISE(ABORT, 'guard: only an account and the operator listen')
    WHERE NEW.account_id IS NOT 'operator' AND NOT EXISTS (SELECT 1 FROM accounts WHERE id = NEW.account_id);
END;

CREATE TRIGGER listeners_are_not_changed BEFORE UPDATE ON listeners
BEGIN
  SELECT RAISE(ABORT, 'guard: a listener is never changed');
END;

CREATE TRIGGER listeners_are_not_deleted BEFORE DELETE ON listeners
BEGIN
  SELECT RAISE(ABORT, 'guard: a listener is never deleted');
END;

CREATE TABLE earlier_endpoints AS SELECT * FROM webhook_endpoints;
DROP TABLE webhook_endpoints;

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

INSERT INTO webhook_endpoints (
    account_id, id, url, description, types, status, reason, sealed_secret, previous_secrets, delivered, due_at)
  SELECT account_id, id, url, description, types, status, reason, sealed_secret, previous_secrets, delivered, due_at
  FROM earlier_endpoints;
DROP TABLE earlier_endpoints;

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

-- As before, and what the operator is told: each row of the audit, by its number, and each status of a deposit or a
-- withdrawal, by '<account>/<id>'.
DROP TRIGGER events_are_explained;

CREATE TRIGGER events_are_explained BEFORE INSERT ON events
WHEN NOT CASE
  WHEN NEW.detail IS NOT NULL THEN
    NEW.type = 'endpoint.disabled'
    OR (NEW.account_id IS NOT 'operator' AND (
      NEW.type IN ('allowlist.added', 'allowlist.removed')
      OR (NEW.type GLOB 'security.?*' AND NEW.type NOT IN ('security.totp_on', 'security.totp_off'))))
  WHEN NEW.account_id = 'operator' THEN CASE
    WHEN NEW.type = 'audit.added' THEN EXISTS (
      SELECT 1 FROM audit WHERE id = CAST(NEW.subject AS INTEGER) AND CAST(id AS TEXT) = NEW.subject)
    WHEN NEW.type GLOB 'deposit.*' THEN EXISTS (
      SELECT 1 FROM deposits
      WHERE account_id = substr(NEW.subject, 1, instr(NEW.subject, '/') - 1)
        AND id = substr(NEW.subject, instr(NEW.subject, '/') + 1) AND NEW.type = 'deposit.' || lower(status))
    WHEN NEW.type GLOB 'withdrawal.*' THEN EXISTS (
      SELECT 1 FROM withdrawals
      WHERE account_id = substr(NEW.subject, 1, instr(NEW.subject, '/') - 1)
        AND id = substr(NEW.subject, instr(NEW.subject, '/') + 1) AND NEW.type = 'withdrawal.' || lower(status))
    ELSE 0
  END
  WHEN NEW.type = 'order.filled' THEN EXISTS (
    SELECT 1 FROM orders WHERE account_id = NEW.account_id AND id = NEW.subject AND status = 'COMPLETED')
  WHEN NEW.type GLOB 'deposit.*' THEN EXISTS (
    SELECT 1 FROM deposits
    WHERE account_id = NEW.account_id AND id = NEW.subject AND NEW.type = 'deposit.' || lower(status))
  WHEN NEW.type GLOB 'withdrawal.*' THEN EXISTS (
    SELECT 1 FROM withdrawals
    WHERE account_id = NEW.account_id AND id = NEW.subject AND NEW.type = 'withdrawal.' || lower(status))
  WHEN NEW.type = 'settlement.completed' THEN EXISTS (
    SELECT 1 FROM settlements WHERE account_id = NEW.account_id AND id = NEW.subject)
  WHEN NEW.type IN ('account.frozen', 'account.thawed') THEN EXISTS (
    SELECT 1 FROM accounts
    WHERE id = NEW.account_id AND id = NEW.subject AND NEW.type = 'account.' || iif(status = 'frozen', 'frozen', 'thawed'))
  WHEN NEW.type IN ('security.totp_on', 'security.totp_off') THEN EXISTS (
    SELECT 1 FROM totp
    WHERE account_id = NEW.account_id AND account_id = NEW.subject
      AND NEW.type = 'security.totp_' || iif(confirmed_at IS NULL, 'off', 'on'))
  WHEN NEW.type IN ('key.created', 'key.revoked') THEN EXISTS (
    SELECT 1 FROM api_keys
    WHERE id = NEW.subject AND account_id = NEW.account_id
      AND NEW.type = 'key.' || iif(revoked_at IS NULL, 'created', 'revoked'))
  ELSE 0
END
BEGIN
  SELECT RAISE(ABORT, 'guard: no record explains the event');
END;

CREATE TRIGGER audit_tells AFTER INSERT ON audit
BEGIN
  INSERT INTO events (account_id, sequence, type, subject)
    SELECT account_id, sequence, 'audit.added', CAST(NEW.id AS TEXT) FROM next_events WHERE account_id = 'operator';
END;

-- The same triggers as before tell the account and the operator.
DROP TRIGGER deposits_tell;
DROP TRIGGER deposits_tell_their_steps;
DROP TRIGGER withdrawals_tell;
DROP TRIGGER withdrawals_tell_their_steps;

-- A deposit below the minimum is told as little as it is listed: a sender of very many must not pay for a row more.
CREATE TRIGGER deposits_tell AFTER INSERT ON deposits
WHEN NEW.reason IS NOT 'below_minimum'
BEGIN
  INSERT INTO events (account_id, sequence, type, subject)
    SELECT account_id, sequence, 'deposit.' || lower(NEW.status),
      iif(account_id = 'operator', NEW.account_id || '/' || NEW.id, NEW.id)
    FROM next_events WHERE account_id IN (NEW.account_id, 'operator');
END;

CREATE TRIGGER deposits_tell_their_steps AFTER UPDATE ON deposits
WHEN NEW.status IS NOT OLD.status
BEGIN
  INSERT INTO events (account_id, sequence, type, subject)
    SELECT account_id, sequence, 'deposit.' || lower(NEW.status),
      iif(account_id = 'operator', NEW.account_id || '/' || NEW.id, NEW.id)
    FROM next_events WHERE account_id IN (NEW.account_id, 'operator');
END;

CREATE TRIGGER withdrawals_tell AFTER INSERT ON withdrawals
BEGIN
  INSERT INTO events (account_id, sequence, type, subject)
    SELECT account_id, sequence, 'withdrawal.' || lower(NEW.status),
      iif(account_id = 'operator', NEW.account_id || '/' || NEW.id, NEW.id)
    FROM next_events WHERE account_id IN (NEW.account_id, 'operator');
END;

CREATE TRIGGER withdrawals_tell_their_steps AFTER UPDATE ON withdrawals
WHEN NEW.status IS NOT OLD.status
BEGIN
  INSERT INTO events (account_id, sequence, type, subject)
    SELECT account_id, sequence, 'withdrawal.' || lower(NEW.status),
      iif(account_id = 'operator', NEW.account_id || '/' || NEW.id, NEW.id)
    FROM next_events WHERE account_id IN (NEW.account_id, 'operator');
END;
