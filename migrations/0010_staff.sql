-- The staff, what one of them proposes and another approves, and what needs two people.

-- The people who may sign in, by their e-mail in lower case, as the identity provider knows them. Somebody who leaves
-- keeps the row, without a role.
CREATE TABLE staff (
  email TEXT PRIMARY KEY NOT NULL CHECK (email LIKE '_%@_%' AND length(email) <= 254),
  -- A JSON array of roles. Which there are, src/operator/roles.ts says.
  roles TEXT NOT NULL CHECK (json_valid(roles)),
  changed_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TRIGGER staff_are_kept BEFORE DELETE ON staff
BEGIN
  SELECT RAISE(ABORT, 'guard: a person is left without a role, never deleted');
END;

-- Requests that carried an Idempotency-Key, each with the record that it made, in the batch of that record. They are kept
-- for good: a repetition finds the record, however late it comes.
CREATE TABLE operator_requests (
  -- Whose key it is: the e-mail of a person, or the name of a token.
  caller TEXT NOT NULL,
  idempotency_key TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  record_id TEXT NOT NULL,
  PRIMARY KEY (caller, idempotency_key)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER operator_requests_are_made_once BEFORE INSERT ON operator_requests
WHEN EXISTS (SELECT 1 FROM operator_requests WHERE caller = NEW.caller AND idempotency_key = NEW.idempotency_key)
BEGIN
  SELECT RAISE(ABORT, 'guard: request exists');
END;

CREATE TRIGGER operator_requests_are_not_changed BEFORE UPDATE ON operator_requests
BEGIN
  SELECT RAISE(ABORT, 'guard: a request is never changed');
END;

CREATE TRIGGER operator_requests_are_not_deleted BEFORE DELETE ON operator_requests
BEGIN
  SELECT RAISE(ABORT, 'guard: a request is never deleted');
END;

-- A request that needs two people, as it was sent. An approval executes it.
CREATE TABLE proposals (
  id TEXT PRIMARY KEY NOT NULL,
  method TEXT NOT NULL CHECK (method IN ('POST', 'PUT', 'PATCH', 'DELETE')),
  path TEXT NOT NULL,
  body TEXT NOT NULL,
  -- The SHA-256 of the three, in hex.
  digest TEXT NOT NULL,
  -- What a person must be allowed to do to decide it. src/operator/roles.ts says who is.
  duty TEXT NOT NULL,
  -- The e-mail of a person, or the name of a token.
  proposed_by TEXT NOT NULL,
  proposed_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('OPEN', 'APPROVED', 'DECLINED', 'EXPIRED')),
  -- Both NULL while it is open. Nobody decides one that expired.
  decided_by TEXT,
  decided_at INTEGER,
  reason TEXT,
  CHECK ((status = 'OPEN') = (decided_at IS NULL)),
  CHECK ((status IN ('APPROVED', 'DECLINED')) = (decided_by IS NOT NULL)),
  CHECK ((status = 'DECLINED') = (reason IS NOT NULL))
) STRICT, WITHOUT ROWID;

CREATE INDEX proposals_by_status ON proposals (status, id);
CREATE UNIQUE INDEX proposals_once ON proposals (digest) WHERE status = 'OPEN';

-- One person has 20 open, so nobody keeps others from proposing.
CREATE TRIGGER proposals_begin_open BEFORE INSERT ON proposals
BEGIN
  SELECT RAISE(ABORT, 'guard: proposal exists')
    WHERE EXISTS (SELECT 1 FROM proposals WHERE id = NEW.id)
      OR EXISTS (SELECT 1 FROM proposals WHERE digest = NEW.digest AND status = 'OPEN');
  SELECT RAISE(ABORT, 'guard: a proposal begins open, for 24 hours')
    WHERE NEW.status IS NOT 'OPEN' OR NEW.expires_at IS NOT NEW.proposed_at + 86400000;
  SELECT RAISE(ABORT, 'guard: recovery_proposed')
    WHERE NEW.duty = 'recover_accounts' AND EXISTS (
      SELECT 1 FROM proposals WHERE path = NEW.path AND status = 'OPEN' AND duty = 'recover_accounts');
  SELECT RAISE(ABORT, 'guard: too_many_proposals')
    WHERE 20 <= (SELECT count(*) FROM proposals WHERE proposed_by = NEW.proposed_by AND status = 'OPEN');
END;

CREATE TRIGGER proposals_are_kept BEFORE DELETE ON proposals
BEGIN
  SELECT RAISE(ABORT, 'guard: a proposal is never deleted');
END;

CREATE TRIGGER proposals_are_decided_once BEFORE UPDATE ON proposals
BEGIN
  SELECT RAISE(ABORT, 'guard: a proposal keeps what it is')
    WHERE (NEW.id, NEW.method, NEW.path, NEW.body, NEW.digest, NEW.duty, NEW.proposed_by, NEW.proposed_at, NEW.expires_at)
      IS NOT (OLD.id, OLD.method, OLD.path, OLD.body, OLD.digest, OLD.duty, OLD.proposed_by, OLD.proposed_at, OLD.expires_at);
  SELECT RAISE(ABORT, 'guard: proposal_decided') WHERE OLD.status IS NOT 'OPEN' OR NEW.status IS 'OPEN';
  SELECT RAISE(ABORT, 'guard: a proposal expires after 24 hours')
    WHERE NEW.status IS 'EXPIRED' AND NEW.decided_at < OLD.expires_at;
  SELECT RAISE(ABORT, 'guard: proposal_expired') WHERE NEW.status IS 'APPROVED' AND NEW.decided_at >= OLD.expires_at;
  SELECT RAISE(ABORT, 'guard: proposed_by_oneself')
    WHERE NEW.status IS 'APPROVED' AND NEW.decided_by IS OLD.proposed_by;
  SELECT RAISE(ABORT, 'guard: an approval is the change itself')
    WHERE NEW.status IS 'APPROVED' AND NOT EXISTS (
      SELECT 1 FROM newest_audit WHERE proposal = NEW.id AND request = NEW.digest AND actor = NEW.decided_by);
END;

-- Has a row once two people are admins: by the staff in ledger 0, which has no copy, and by the copy in every other ledger.
CREATE VIEW two_admins AS
  SELECT 1 AS present WHERE 1 < (
    SELECT count(*) FROM staff, json_each(staff.roles) AS role WHERE role.value = 'admin')
  UNION ALL
  SELECT 1 FROM settings WHERE has_two_admins = 1;

-- The change that the audit's newest row tells of, if that row names a proposal, or tells of what a holder may do alone.
CREATE VIEW agreed_change AS
  SELECT action, target FROM newest_audit
  WHERE proposal IS NOT NULL OR (role = 'holder' AND action IN ('create_api_key', 'approve_address', 'remove_totp'));

-- What needs two people: a trigger inserts the action and the target into this view, and is refused unless they agreed. No
-- action needs nobody: a row of VALUES costs nothing to read, and one of a SELECT with a condition does.
CREATE VIEW changes_by_two AS
  SELECT action, target FROM audit;

CREATE TRIGGER changes_are_made_by_two INSTEAD OF INSERT ON changes_by_two
WHEN NEW.action IS NOT NULL AND EXISTS (SELECT 1 FROM two_admins)
  AND NOT EXISTS (SELECT 1 FROM agreed_change WHERE action = NEW.action AND target = NEW.target)
BEGIN
  SELECT RAISE(ABORT, 'guard: two_people_needed');
END;

-- Taking roles from somebody who is no admin needs one: it gives nobody a role, and leaves the number of admins as it is.
CREATE VIEW set_roles AS
  SELECT email, roles FROM staff;

CREATE TRIGGER roles_are_set_by_two INSTEAD OF INSERT ON set_roles
WHEN NOT EXISTS (
  SELECT 1 FROM staff
  WHERE email = NEW.email AND NOT EXISTS (SELECT 1 FROM json_each(roles) WHERE value = 'admin')
    AND NOT EXISTS (
      SELECT 1 FROM json_each(NEW.roles) WHERE value NOT IN (SELECT value FROM json_each(staff.roles))))
BEGIN
  INSERT INTO changes_by_two VALUES ('set_roles', NEW.email);
END;

CREATE TRIGGER staff_join_by_two BEFORE INSERT ON staff
BEGIN
  INSERT INTO set_roles VALUES (NEW.email, NEW.roles);
END;

CREATE TRIGGER staff_change_by_two BEFORE UPDATE ON staff
BEGIN
  SELECT RAISE(ABORT, 'guard: a person keeps the e-mail') WHERE NEW.email IS NOT OLD.email;
  INSERT INTO set_roles VALUES (NEW.email, NEW.roles);
END;

-- The credits and deposits that somebody has entered by hand alone since there are two admins, for a day. `person` is an
-- e-mail, or the name of a token.
CREATE TABLE hand_credits (
  person TEXT NOT NULL,
  asset TEXT NOT NULL,
  entered_at INTEGER NOT NULL,
  amount INTEGER NOT NULL CHECK (amount > 0),
  PRIMARY KEY (person, asset, entered_at)
) STRICT, WITHOUT ROWID;

-- Their sum of 24 hours stays within the amount for the asset, which is nothing unless it is set.
CREATE TRIGGER hand_credits_have_a_limit BEFORE INSERT ON hand_credits
BEGIN
  DELETE FROM hand_credits
    WHERE person = NEW.person AND asset = NEW.asset AND entered_at <= NEW.entered_at - 86400000;
  SELECT RAISE(ABORT, 'guard: two_people_needed')
    WHERE NEW.amount > (SELECT coalesce(CAST(approval_above ->> NEW.asset AS INTEGER), 0) FROM settings)
      - (SELECT coalesce(sum(amount), 0) FROM hand_credits WHERE person = NEW.person AND asset = NEW.asset);
END;

-- A credit by hand, or a deposit that anybody but the custodian reports. One that two people agreed to does not count.
CREATE TRIGGER credits_by_hand_count BEFORE INSERT ON transfers
WHEN NEW.kind = 'deposit' AND NEW.debit = 'house:custody' AND EXISTS (SELECT 1 FROM two_admins)
BEGIN
  INSERT INTO hand_credits (person, asset, entered_at, amount)
    SELECT coalesce(actor, role), NEW.asset, ts, NEW.amount
    FROM newest_audit JOIN deposits AS credit ON credit.account_id = NEW.credit AND credit.id = NEW.reference
    WHERE (credit.network IS NULL OR role <> 'deposits') AND NOT EXISTS (
      SELECT 1 FROM agreed_change
      WHERE (action = 'credit_account' AND target = NEW.credit) OR (action = 'report_deposit' AND target = NEW.reference)
        OR (action = 'credit_deposit' AND 'quarantine ' || target = credit.reference))
    ON CONFLICT DO UPDATE SET amount = amount + excluded.amount;
END;

-- The secret of one that is on is changed only by switching it off. Its holder does that with a code, whose step is used by
-- the same statement, or within 24 hours of a recovery that two people allowed. The staff by two.
CREATE TRIGGER second_factors_of_holders_end_by_two BEFORE UPDATE ON totp
WHEN NEW.account_id IS NOT OLD.account_id OR (
  OLD.confirmed_at IS NOT NULL AND (NEW.confirmed_at IS NULL OR NEW.sealed_secret IS NOT OLD.sealed_secret)
  AND EXISTS (SELECT 1 FROM accounts WHERE id = NEW.account_id AND holder IS NOT NULL))
BEGIN
  SELECT RAISE(ABORT, 'guard: a second factor keeps its account') WHERE NEW.account_id IS NOT OLD.account_id;
  INSERT INTO changes_by_two VALUES ('remove_totp', NEW.account_id);
  SELECT RAISE(ABORT, 'guard: totp_required') FROM newest_audit AS change
    WHERE change.role = 'holder' AND NEW.used_step <= OLD.used_step AND NOT EXISTS (
      SELECT 1 FROM audit AS recovery
      WHERE recovery.target = NEW.account_id AND recovery.action = 'recover_account'
        AND recovery.detail ->> 'proof' = 'allowed' AND recovery.ts > change.ts - 86400000);
END;
