-- Events: what happened to an account, told to who listens. And webhook endpoints, the addresses to which an account's
-- events, or the operator's, are sent.
--
-- The database writes an event itself, in the transaction of what it tells, so that no code can forget one. It does so only
-- for who listens: accounts, and the operator, under the name 'operator', which is no account's id. The operator is told of
-- the audit, and of the deposits and withdrawals of all accounts of this ledger by their status. An event says what happened
-- and to which record. What is shown of the record is read when the event is delivered.

-- Who listens. Without a foreign key on accounts, because the operator has no account. A trigger says who may listen.
CREATE TABLE listeners (
  account_id TEXT PRIMARY KEY NOT NULL
) STRICT, WITHOUT ROWID;

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

-- Accounts of which a stream may be open, until nobody is found to be connected: only these are looked for.
CREATE TABLE account_streams (
  account_id TEXT PRIMARY KEY NOT NULL REFERENCES listeners (account_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE events (
  account_id TEXT NOT NULL,
  -- 1, 2, 3 and so on for each account, in the order of commits.
  sequence INTEGER NOT NULL,
  type TEXT NOT NULL,
  subject TEXT NOT NULL,
  -- What is shown, a JSON object, where no record is left that could be read. Else NULL.
  detail TEXT CHECK (json_valid(detail)),
  ts INTEGER NOT NULL DEFAULT (CAST(unixepoch('subsec') * 1000 AS INTEGER)),
  PRIMARY KEY (account_id, sequence)
) STRICT, WITHOUT ROWID;

-- The records that move an account's money, each with the event of its present status. A deposit below the minimum is told as
-- little as it is listed: a sender of very many must not pay for a row more.
CREATE VIEW told_records AS
  SELECT account_id, id, 'order.filled' AS type FROM orders WHERE status = 'COMPLETED'
  UNION ALL
  SELECT account_id, id, 'deposit.' || lower(status) FROM deposits WHERE reason IS NOT 'below_minimum'
  UNION ALL
  SELECT account_id, id, 'withdrawal.' || lower(status) FROM withdrawals
  UNION ALL
  SELECT account_id, id, 'settlement.completed' FROM settlements;

CREATE VIEW told_states AS
  SELECT id AS account_id, id, 'account.' || iif(status = 'frozen', 'frozen', 'thawed') AS type FROM accounts
  UNION ALL
  SELECT account_id, account_id, 'security.totp_' || iif(confirmed_at IS NULL, 'off', 'on') FROM totp
  UNION ALL
  SELECT account_id, id, 'key.' || iif(revoked_at IS NULL, 'created', 'revoked') FROM api_keys;

-- The number of the next event of each who listens. An account that does not listen has no row here.
CREATE VIEW next_events AS
  SELECT account_id,
    coalesce((SELECT max(sequence) FROM events WHERE events.account_id = listeners.account_id), 0) + 1 AS sequence
  FROM listeners;

-- Only the next number of an account that listens is accepted. So none is missing and none comes twice: the newest event of
-- an account is never deleted, so its number is always known.
--
-- The types, and what must be in the database when an event of each is written. One that no record explains brings its
-- detail, and no other does. The operator is told of each row of the audit, by its number, and of each status of a deposit or
-- a withdrawal, by '<account>/<id>'.
CREATE TRIGGER events_are_explained BEFORE INSERT ON events
BEGIN
  SELECT RAISE(ABORT, 'guard: an event takes the next number of an account that listens')
    WHERE NEW.sequence IS NOT (SELECT sequence FROM next_events WHERE account_id = NEW.account_id);
  SELECT RAISE(ABORT, 'guard: no record explains the event')
    WHERE NOT (CASE
      WHEN NEW.detail IS NOT NULL THEN NEW.type = 'endpoint.disabled' OR (NEW.account_id IS NOT 'operator' AND (
        NEW.type IN ('allowlist.added', 'allowlist.removed')
        OR (NEW.type GLOB 'security.?*' AND NEW.type NOT IN ('security.totp_on', 'security.totp_off'))))
      WHEN NEW.type = 'audit.added' THEN NEW.account_id = 'operator' AND EXISTS (
        SELECT 1 FROM audit WHERE id = CAST(NEW.subject AS INTEGER) AND CAST(id AS TEXT) = NEW.subject)
      WHEN NEW.account_id = 'operator' THEN (NEW.type GLOB 'deposit.*' OR NEW.type GLOB 'withdrawal.*') AND EXISTS (
        SELECT 1 FROM told_records
        WHERE account_id = substr(NEW.subject, 1, instr(NEW.subject, '/') - 1)
          AND id = substr(NEW.subject, instr(NEW.subject, '/') + 1) AND type = NEW.type)
      ELSE EXISTS (
        SELECT 1 FROM told_records WHERE account_id = NEW.account_id AND id = NEW.subject AND type = NEW.type
        UNION ALL
        SELECT 1 FROM told_states WHERE account_id = NEW.account_id AND id = NEW.subject AND type = NEW.type) END);
END;

CREATE TRIGGER events_are_not_changed BEFORE UPDATE ON events
BEGIN
  SELECT RAISE(ABORT, 'guard: an event is never changed');
END;

-- The oldest first, after 90 days, and never the newest.
CREATE TRIGGER events_are_kept BEFORE DELETE ON events
WHEN OLD.ts > unixepoch('subsec') * 1000 - 7776000000
  OR EXISTS (SELECT 1 FROM events WHERE account_id = OLD.account_id AND sequence < OLD.sequence)
  OR NOT EXISTS (SELECT 1 FROM events WHERE account_id = OLD.account_id AND sequence > OLD.sequence)
BEGIN
  SELECT RAISE(ABORT, 'guard: an event is kept for 90 days, and the newest for good');
END;

CREATE TABLE webhook_endpoints (
  account_id TEXT NOT NULL,
  id TEXT NOT NULL,
  url TEXT NOT NULL,
  description TEXT NOT NULL,
  -- A JSON array of the types that are sent. Empty: all.
  types TEXT NOT NULL CHECK (json_valid(types)),
  status TEXT NOT NULL DEFAULT 'enabled' CHECK (status IN ('enabled', 'disabled')),
  -- Why the exchange switched it off. NULL where its owner did.
  reason TEXT CHECK (reason IN ('gone', 'failing', 'key_revoked')),
  -- The API key by which its address was last set or it was last switched on. NULL for the operator's.
  key_id TEXT,
  sealed_secret TEXT NOT NULL,
  -- Earlier secrets, which sign as well for some time: a JSON array such as [{"sealed": "…", "until": 1795241228900}].
  previous_secrets TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(previous_secrets)),
  -- Up to which number the events were delivered, at least: its object writes it after each run, so that the sweep finds it.
  delivered INTEGER NOT NULL CHECK (delivered >= 0),
  -- The sweep leaves it alone before this time, because its object has set an alarm.
  due_at INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (account_id, id),
  CHECK (reason IS NULL OR status = 'disabled')
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX webhook_endpoints_once_per_url ON webhook_endpoints (account_id, url);
CREATE INDEX webhook_endpoints_of_key ON webhook_endpoints (key_id) WHERE key_id IS NOT NULL;
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
  SELECT RAISE(ABORT, 'guard: key_revoked')
    WHERE EXISTS (SELECT 1 FROM api_keys WHERE id = NEW.key_id AND revoked_at IS NOT NULL);
END;

CREATE TRIGGER webhook_endpoints_keep_their_account BEFORE UPDATE ON webhook_endpoints
BEGIN
  SELECT RAISE(ABORT, 'guard: a webhook endpoint keeps its account')
    WHERE NEW.account_id IS NOT OLD.account_id OR NEW.id IS NOT OLD.id;
  SELECT RAISE(ABORT, 'guard: webhook endpoint exists')
    WHERE NEW.url IS NOT OLD.url AND EXISTS (
      SELECT 1 FROM webhook_endpoints WHERE account_id = NEW.account_id AND url = NEW.url);
  SELECT RAISE(ABORT, 'guard: key_revoked')
    WHERE NEW.key_id IS NOT OLD.key_id
      AND EXISTS (SELECT 1 FROM api_keys WHERE id = NEW.key_id AND revoked_at IS NOT NULL);
END;

-- Until an account listens nothing is written for it. Then its feed begins with the records of the last 90 days, in the
-- order of their ids and with the time of each, which is in its id. The newest 1,000: they are written in one statement.
-- The operator's feed begins empty, since the audit has what was before.
CREATE TRIGGER listeners_are_told_what_was AFTER INSERT ON listeners
WHEN NEW.account_id IS NOT 'operator'
BEGIN
  INSERT INTO events (account_id, sequence, type, subject, ts)
    SELECT NEW.account_id, row_number() OVER (ORDER BY id), type, id,
      ('0x' || substr(id, 1, 8) || substr(id, 10, 4)) ->> '$'
    FROM (
      SELECT id, type FROM told_records
      WHERE account_id = NEW.account_id AND id > (
        SELECT printf('%08x-%04x', since >> 16, since & 65535) FROM (SELECT unixepoch() * 1000 - 7776000000 AS since))
      ORDER BY id DESC LIMIT 1000)
    ORDER BY id;
END;

-- What has happened: a trigger inserts it into this view, and it becomes an event of the account, if that listens. Nothing
-- without a type. The operator is told of the deposits and withdrawals of all accounts.
CREATE VIEW happenings AS
  SELECT account_id, type, subject, detail FROM events;

CREATE TRIGGER happenings_are_told INSTEAD OF INSERT ON happenings
WHEN NEW.type IS NOT NULL
BEGIN
  INSERT INTO events (account_id, sequence, type, subject, detail)
    SELECT account_id, sequence, NEW.type, NEW.subject, NEW.detail FROM next_events WHERE account_id = NEW.account_id;
  INSERT INTO events (account_id, sequence, type, subject)
    SELECT account_id, sequence, NEW.type, NEW.account_id || '/' || NEW.subject FROM next_events
    WHERE account_id = 'operator' AND (NEW.type GLOB 'deposit.*' OR NEW.type GLOB 'withdrawal.*');
END;

CREATE TRIGGER api_keys_tell AFTER INSERT ON api_keys
WHEN NEW.kind = 'standing'
BEGIN
  INSERT INTO happenings VALUES (NEW.account_id, 'key.' || iif(NEW.revoked_at IS NULL, 'created', 'revoked'), NEW.id, NULL);
END;

-- A key may be revoked because somebody else has it: what they have sent to themselves ends with it. Sessions end by
-- themselves, and what their holder has set up goes on.
CREATE TRIGGER api_keys_tell_their_end AFTER UPDATE OF revoked_at ON api_keys
WHEN NEW.kind = 'standing' AND OLD.revoked_at IS NULL AND NEW.revoked_at IS NOT NULL
BEGIN
  INSERT INTO happenings VALUES (NEW.account_id, 'key.revoked', NEW.id, NULL);
  UPDATE webhook_endpoints SET status = 'disabled', reason = 'key_revoked'
    WHERE key_id = NEW.id AND status = 'enabled';
END;

-- An endpoint that the exchange switches off is told to the other endpoints of the same listener. It is a change of the
-- account too: its holder is told by mail, and the operator finds it in the audit. The host alone is named there: a path may
-- hold a secret of the receiver.
CREATE TRIGGER webhook_endpoints_tell_their_end AFTER UPDATE OF status ON webhook_endpoints
WHEN OLD.status = 'enabled' AND NEW.status = 'disabled' AND NEW.reason IS NOT NULL
BEGIN
  INSERT INTO happenings VALUES (
    NEW.account_id, 'endpoint.disabled', NEW.id, json_object('url', NEW.url, 'reason', NEW.reason));
  INSERT INTO audit (id, ts, role, action, target, detail)
    SELECT (SELECT coalesce(max(id), 0) + 1 FROM audit), CAST(unixepoch('subsec') * 1000 AS INTEGER), 'exchange',
      'disable_endpoint', NEW.account_id,
      json_object('host', substr(rest, 1, instr(rest || '/', '/') - 1), 'reason', NEW.reason)
    FROM (SELECT substr(NEW.url, instr(NEW.url, '://') + 3) AS rest);
END;

-- An entry may be removed before its event is delivered, so the event keeps it.
CREATE TRIGGER allowlist_entries_tell AFTER INSERT ON allowlist
BEGIN
  INSERT INTO happenings VALUES (NEW.account_id, 'allowlist.added', NEW.id,
    json_object('network', NEW.network, 'address', NEW.address, 'label', NEW.label, 'usableAt', NEW.usable_at));
END;

CREATE TRIGGER allowlist_entries_tell_their_end AFTER DELETE ON allowlist
BEGIN
  INSERT INTO happenings VALUES (OLD.account_id, 'allowlist.removed', OLD.id,
    json_object('network', OLD.network, 'address', OLD.address, 'label', OLD.label, 'usableAt', OLD.usable_at));
END;

CREATE TRIGGER totp_tells AFTER UPDATE OF confirmed_at ON totp
WHEN (NEW.confirmed_at IS NULL) IS NOT (OLD.confirmed_at IS NULL)
BEGIN
  INSERT INTO happenings VALUES (
    NEW.account_id, 'security.totp_' || iif(NEW.confirmed_at IS NULL, 'off', 'on'), NEW.account_id, NULL);
END;

-- What a row of the audit does, in the transaction of its change. It is the approval of the proposal that it names: so a
-- proposal is approved and executed at once or not at all, by a person, once, and as it was proposed. It tells the operator of
-- the change, and an account of what happens to its security: its passkeys, recovery codes and recoveries, and a sign-in from
-- a browser that was not known.
CREATE TRIGGER audit_takes_effect AFTER INSERT ON audit
BEGIN
  SELECT RAISE(ABORT, 'guard: a person approves the request that was proposed')
    WHERE NEW.proposal IS NOT NULL AND (NEW.actor IS NULL
      OR NOT EXISTS (SELECT 1 FROM proposals WHERE id = NEW.proposal AND digest = NEW.request));
  UPDATE proposals SET status = 'APPROVED', decided_by = NEW.actor, decided_at = NEW.ts WHERE id = NEW.proposal;
  DELETE FROM allowed_recoveries WHERE NEW.action = 'recover_account' AND account_id = NEW.target;
  INSERT INTO happenings VALUES ('operator', 'audit.added', CAST(NEW.id AS TEXT), NULL);
  INSERT INTO happenings VALUES (
    NEW.target, (CASE NEW.action
      WHEN 'add_passkey' THEN 'security.passkey_added'
      WHEN 'remove_passkey' THEN 'security.passkey_removed'
      WHEN 'draw_recovery_codes' THEN 'security.recovery_codes_drawn'
      WHEN 'allow_recovery' THEN 'security.recovery_allowed'
      WHEN 'recover_account' THEN 'security.recovered'
      WHEN 'open_session' THEN iif(NEW.detail ->> 'browser' IS NULL, NULL, 'security.signed_in') END), NEW.target,
    json_object('passkey', NEW.detail ->> 'name', 'browser', NEW.detail ->> 'browser', 'proof', NEW.detail ->> 'proof'));
END;
