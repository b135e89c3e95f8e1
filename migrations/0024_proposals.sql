-- Four eyes: what one person proposes and another approves.

-- A request that needs two people, as it was sent. An approval executes it.
CREATE TABLE proposals (
  id TEXT PRIMARY KEY NOT NULL,
  method TEXT NOT NULL CHECK (method IN ('POST', 'PUT', 'PATCH', 'DELETE')),
  path TEXT NOT NULL,
  body TEXT NOT NULL,
  -- The SHA-256 of the three, in hex.
  digest TEXT NOT NULL,
  -- What a person must be allowed to do to decide it; src/operator/roles.ts says who is.
  duty TEXT NOT NULL,
  -- The e-mail of a person, or the name of a token.
  proposed_by TEXT NOT NULL,
  proposed_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('OPEN', 'APPROVED', 'DECLINED', 'EXPIRED')),
  -- Both NULL while it is open; nobody decides one that expired.
  decided_by TEXT,
  decided_at INTEGER,
  -- Why it was declined.
  reason TEXT,
  CHECK ((status = 'OPEN') = (decided_at IS NULL)),
  CHECK ((status IN ('APPROVED', 'DECLINED')) = (decided_by IS NOT NULL)),
  CHECK ((status = 'DECLINED') = (reason IS NOT NULL))
) STRICT, WITHOUT ROWID;

CREATE INDEX proposals_by_status ON proposals (status, id);

-- The same request is proposed once at a time.
CREATE UNIQUE INDEX proposals_once ON proposals (digest) WHERE status = 'OPEN';

CREATE TRIGGER proposals_begin_open BEFORE INSERT ON proposals
BEGIN
  SELECT RAISE(ABORT, 'guard: proposal exists')
    WHERE EXISTS (SELECT 1 FROM proposals WHERE id = NEW.id)
      OR EXISTS (SELECT 1 FROM proposals WHERE digest = NEW.digest AND status = 'OPEN');
  SELECT RAISE(ABORT, 'guard: a proposal begins open, for 24 hours')
    WHERE NEW.status IS NOT 'OPEN' OR NEW.expires_at IS NOT NEW.proposed_at + 86400000;
END;

CREATE TRIGGER proposals_are_kept BEFORE DELETE ON proposals
BEGIN
  SELECT RAISE(ABORT, 'guard: a proposal is never deleted');
END;

-- The row of the audit that a change names its proposal in, and the digest of the request that made the change.
ALTER TABLE audit ADD COLUMN proposal TEXT;
ALTER TABLE audit ADD COLUMN request TEXT CHECK ((request IS NULL) = (proposal IS NULL));

CREATE TRIGGER proposals_are_decided_once BEFORE UPDATE ON proposals
BEGIN
  SELECT RAISE(ABORT, 'guard: a proposal keeps what it is')
    WHERE NEW.id IS NOT OLD.id OR NEW.method IS NOT OLD.method OR NEW.path IS NOT OLD.path OR NEW.body IS NOT OLD.body
      OR NEW.digest IS NOT OLD.digest OR NEW.duty IS NOT OLD.duty OR NEW.proposed_by IS NOT OLD.proposed_by
      OR NEW.proposed_at IS NOT OLD.proposed_at OR NEW.expires_at IS NOT OLD.expires_at;
  SELECT RAISE(ABORT, 'guard: proposal_decided') WHERE OLD.status IS NOT 'OPEN' OR NEW.status IS 'OPEN';
  SELECT RAISE(ABORT, 'guard: a proposal expires after 24 hours')
    WHERE NEW.status IS 'EXPIRED' AND NEW.decided_at < OLD.expires_at;
  SELECT RAISE(ABORT, 'guard: proposal_expired') WHERE NEW.status IS 'APPROVED' AND NEW.decided_at >= OLD.expires_at;
  SELECT RAISE(ABORT, 'guard: proposed_by_oneself')
    WHERE NEW.status IS 'APPROVED' AND NEW.decided_by IS OLD.proposed_by;
  SELECT RAISE(ABORT, 'guard: an approval is the change itself')
    WHERE NEW.status IS 'APPROVED' AND NOT EXISTS (
      SELECT 1 FROM audit
      WHERE id = (SELECT max(id) FROM audit) AND proposal = NEW.id AND request = NEW.digest AND actor = NEW.decided_by);
END;

-- The audit's row of a change is its approval, in the batch of the change: so a proposal is approved and executed at once
-- or not at all, by a person, once, and as it was proposed.
CREATE TRIGGER audit_approves_proposals AFTER INSERT ON audit
WHEN NEW.proposal IS NOT NULL
BEGIN
  SELECT RAISE(ABORT, 'guard: a person approves the request that was proposed')
    WHERE NEW.actor IS NULL
      OR NOT EXISTS (SELECT 1 FROM proposals WHERE id = NEW.proposal AND digest = NEW.request);
  UPDATE proposals SET status = 'APPROVED', decided_by = NEW.actor, decided_at = NEW.ts WHERE id = NEW.proposal;
END;

-- Has a row once two people are admins. From then on two are needed.
CREATE VIEW two_admins AS
  SELECT 1 AS present WHERE 1 < (
    SELECT count(*) FROM staff, json_each(staff.roles) AS role WHERE role.value = 'admin');

-- The change that the audit's newest row tells of, if that row names a proposal. A change writes its row first.
CREATE VIEW approved_change AS
  SELECT action, target FROM audit WHERE id = (SELECT max(id) FROM audit) AND proposal IS NOT NULL;

-- What needs two people.

CREATE TRIGGER staff_join_by_two BEFORE INSERT ON staff
WHEN EXISTS (SELECT 1 FROM two_admins)
  AND NOT EXISTS (SELECT 1 FROM approved_change WHERE action = 'set_roles' AND target = NEW.email)
BEGIN
  SELECT RAISE(ABORT, 'guard: two_people_needed');
END;

CREATE TRIGGER staff_change_by_two BEFORE UPDATE ON staff
WHEN EXISTS (SELECT 1 FROM two_admins)
  AND NOT EXISTS (SELECT 1 FROM approved_change WHERE action = 'set_roles' AND target = NEW.email)
BEGIN
  SELECT RAISE(ABORT, 'guard: two_people_needed');
END;

-- Above so much of an asset a credit or a deposit by hand needs two people: a JSON object by asset, in atoms.
ALTER TABLE settings ADD COLUMN approval_above TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(approval_above));

-- Lifting a halt, the mode of the allowlist, a higher threshold of reviews or none, and the amounts above.
CREATE TRIGGER settings_change_by_two BEFORE UPDATE ON settings
WHEN (
    (OLD.trading_halted = 1 AND NEW.trading_halted = 0)
    OR (OLD.withdrawals_halted = 1 AND NEW.withdrawals_halted = 0)
    OR NEW.allowlist_mode IS NOT OLD.allowlist_mode
    OR (OLD.review_threshold IS NOT NULL AND (NEW.review_threshold IS NULL OR NEW.review_threshold > OLD.review_threshold))
    OR NEW.approval_above IS NOT OLD.approval_above)
  AND EXISTS (SELECT 1 FROM two_admins)
  AND NOT EXISTS (SELECT 1 FROM approved_change WHERE action = 'change_settings')
BEGIN
  SELECT RAISE(ABORT, 'guard: two_people_needed');
END;

-- A supply cap or an exposure is raised when the floor goes down.
CREATE TRIGGER caps_rise_by_two BEFORE UPDATE OF floor ON balances
WHEN NEW.floor < OLD.floor
  AND EXISTS (SELECT 1 FROM two_admins)
  AND NOT EXISTS (SELECT 1 FROM approved_change WHERE action = 'change_settings')
BEGIN
  SELECT RAISE(ABORT, 'guard: two_people_needed');
END;

CREATE TRIGGER limits_rise_by_two BEFORE UPDATE OF daily_withdrawal_limit ON accounts
WHEN NEW.daily_withdrawal_limit > OLD.daily_withdrawal_limit
  AND EXISTS (SELECT 1 FROM two_admins)
  AND NOT EXISTS (SELECT 1 FROM approved_change WHERE action = 'change_account' AND target = NEW.id)
BEGIN
  SELECT RAISE(ABORT, 'guard: two_people_needed');
END;

CREATE TRIGGER trades_are_settled_by_two BEFORE INSERT ON settlements
WHEN NEW.type <> 'P2P_SELL'
  AND EXISTS (SELECT 1 FROM two_admins)
  AND NOT EXISTS (SELECT 1 FROM approved_change WHERE action = 'settle_trade' AND target = NEW.id)
BEGIN
  SELECT RAISE(ABORT, 'guard: two_people_needed');
END;

CREATE TRIGGER violations_are_cleared_by_two BEFORE UPDATE OF cleared_at ON reconciliation_violations
WHEN EXISTS (SELECT 1 FROM two_admins)
  AND NOT EXISTS (SELECT 1 FROM approved_change WHERE action = 'clear_violation' AND target = NEW.id)
BEGIN
  SELECT RAISE(ABORT, 'guard: two_people_needed');
END;

-- The custodian's answer ends a withdrawal without a row of the audit, so the rule is with the row of the person.
CREATE TRIGGER stuck_withdrawals_are_settled_by_two BEFORE INSERT ON audit
WHEN NEW.action = 'settle_withdrawal' AND NEW.proposal IS NULL
  AND NEW.detail ->> 'reason' IS NOT 'rejected'
  AND EXISTS (SELECT 1 FROM two_admins)
BEGIN
  SELECT RAISE(ABORT, 'guard: two_people_needed');
END;

-- A credit by hand, or a deposit that anybody but the custodian reports.
CREATE TRIGGER large_credits_are_given_by_two BEFORE INSERT ON deposits
WHEN NEW.status = 'COMPLETED' AND NEW.withdrawal_id IS NULL
  AND EXISTS (SELECT 1 FROM two_admins)
  AND NEW.amount > (SELECT CAST(approval_above ->> NEW.asset AS INTEGER) FROM settings)
  AND (NEW.network IS NULL OR (SELECT role FROM audit ORDER BY id DESC LIMIT 1) <> 'deposits')
  AND NOT EXISTS (
    SELECT 1 FROM approved_change
    WHERE (action = 'credit_account' AND target = NEW.account_id) OR (action = 'report_deposit' AND target = NEW.id))
BEGIN
  SELECT RAISE(ABORT, 'guard: two_people_needed');
END;

CREATE TRIGGER large_deposits_are_credited_by_two BEFORE UPDATE OF status ON deposits
WHEN NEW.status = 'COMPLETED'
  AND EXISTS (SELECT 1 FROM two_admins)
  AND NEW.amount > (SELECT CAST(approval_above ->> NEW.asset AS INTEGER) FROM settings)
  AND (SELECT role FROM audit ORDER BY id DESC LIMIT 1) <> 'deposits'
  AND NOT EXISTS (SELECT 1 FROM approved_change WHERE action = 'report_deposit' AND target = NEW.id)
BEGIN
  SELECT RAISE(ABORT, 'guard: two_people_needed');
END;
