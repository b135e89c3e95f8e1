-- What the operator decides about a quarantined deposit: it is credited to an account, or kept in custody, owed to nobody.

ALTER TABLE deposits ADD COLUMN decision TEXT CHECK (decision IN ('KEPT', 'CREDITED'));

-- The deposit by which the account received it. A decision that names it writes it: an INTERNAL_DEPOSIT of the same asset and
-- amount, with the reference 'quarantine <id of the quarantined deposit>', and the value at the time of the decision.
ALTER TABLE deposits ADD COLUMN credit_account TEXT;
ALTER TABLE deposits ADD COLUMN credit_id TEXT;
ALTER TABLE deposits ADD COLUMN credit_usd_value INTEGER
  CHECK ((decision IS 'CREDITED') = (credit_account IS NOT NULL AND credit_id IS NOT NULL AND credit_usd_value IS NOT NULL)
    AND (decision IS 'CREDITED') = (coalesce(credit_account, credit_id, credit_usd_value) IS NOT NULL));

-- Those that are decided no longer wait for the operator.
DROP INDEX deposits_open;
CREATE INDEX deposits_open ON deposits (status, id)
  WHERE status IN ('PENDING', 'QUARANTINED') AND reason IS NOT 'below_minimum' AND decision IS NULL;
CREATE INDEX deposits_decided ON deposits (decision, id) WHERE decision IS NOT NULL;

-- Finds the quarantined deposit of a credit.
CREATE INDEX deposits_credited ON deposits (credit_account, credit_id) WHERE credit_id IS NOT NULL;

CREATE TRIGGER deposits_begin_undecided BEFORE INSERT ON deposits
WHEN NEW.decision IS NOT NULL
BEGIN
  SELECT RAISE(ABORT, 'guard: a deposit begins undecided');
END;

-- One that was kept may still be credited, when its owner is found; a credit is final. The audit says who decided what, and
-- to whom it went, in the same batch.
CREATE TRIGGER deposits_are_decided_once BEFORE UPDATE ON deposits
WHEN NEW.decision IS NOT OLD.decision OR NEW.credit_account IS NOT OLD.credit_account
  OR NEW.credit_id IS NOT OLD.credit_id OR NEW.credit_usd_value IS NOT OLD.credit_usd_value
BEGIN
  SELECT RAISE(ABORT, 'guard: quarantine_decided')
    WHERE OLD.decision IS 'CREDITED' OR (OLD.decision IS 'KEPT' AND NEW.decision IS NOT 'CREDITED');
  SELECT RAISE(ABORT, 'guard: quarantine_decided')
    WHERE OLD.status IS NOT 'QUARANTINED' OR NEW.status IS NOT 'QUARANTINED';
  SELECT RAISE(ABORT, 'guard: a deposit below the minimum is never credited') WHERE OLD.reason IS 'below_minimum';
  SELECT RAISE(ABORT, 'guard: no audit row names the decision')
    WHERE NOT EXISTS (
      SELECT 1 FROM audit
      WHERE id = (SELECT max(id) FROM audit) AND target = NEW.id AND (
        (NEW.decision = 'KEPT' AND action = 'keep_deposit') OR
        (NEW.decision = 'CREDITED' AND action = 'credit_deposit' AND detail ->> 'accountId' = NEW.credit_account)));
  SELECT RAISE(ABORT, 'guard: two_people_needed')
    WHERE NEW.decision IS 'CREDITED'
      AND EXISTS (SELECT 1 FROM two_admins)
      AND NOT EXISTS (SELECT 1 FROM approved_change WHERE action = 'credit_deposit' AND target = NEW.id);
END;

CREATE TRIGGER deposits_are_credited_by_decision AFTER UPDATE OF decision ON deposits
WHEN NEW.decision = 'CREDITED'
BEGIN
  INSERT INTO deposits (account_id, id, type, asset, amount, usd_value, status, reference, transfer) VALUES (
    NEW.credit_account, NEW.credit_id, 'INTERNAL_DEPOSIT', NEW.asset, NEW.amount, NEW.credit_usd_value, 'COMPLETED',
    'quarantine ' || NEW.id, (SELECT coalesce(max(id), 0) + 1 FROM transfers));
END;

CREATE TRIGGER credits_of_quarantine_are_explained BEFORE INSERT ON deposits
WHEN NEW.reference GLOB 'quarantine *'
BEGIN
  SELECT RAISE(ABORT, 'guard: no decision explains the credit')
    WHERE NOT EXISTS (
      SELECT 1 FROM deposits
      WHERE credit_account = NEW.account_id AND credit_id = NEW.id AND 'quarantine ' || id = NEW.reference
        AND asset = NEW.asset AND amount = NEW.amount AND decision = 'CREDITED');
END;

-- A report that comes later credits none that was decided. One that was kept can still fail on its chain.
CREATE TRIGGER deposits_stay_decided BEFORE UPDATE OF status ON deposits
WHEN OLD.decision IS NOT NULL AND NEW.status IS NOT OLD.status
BEGIN
  SELECT RAISE(ABORT, 'guard: quarantine_decided') WHERE OLD.decision IS 'CREDITED' OR NEW.status IS NOT 'FAILED';
END;

-- As before, but for the credit of a quarantined deposit, which needs two people whatever its amount.
DROP TRIGGER large_credits_are_given_by_two;

CREATE TRIGGER large_credits_are_given_by_two BEFORE INSERT ON deposits
WHEN NEW.status = 'COMPLETED' AND NEW.withdrawal_id IS NULL
  AND EXISTS (SELECT 1 FROM two_admins)
  AND NEW.amount > (SELECT CAST(approval_above ->> NEW.asset AS INTEGER) FROM settings)
  AND (NEW.network IS NULL OR (SELECT role FROM audit ORDER BY id DESC LIMIT 1) <> 'deposits')
  AND NOT EXISTS (
    SELECT 1 FROM approved_change
    WHERE (action = 'credit_account' AND target = NEW.account_id) OR (action = 'report_deposit' AND target = NEW.id)
      OR (action = 'credit_deposit' AND 'quarantine ' || target = NEW.reference))
BEGIN
  SELECT RAISE(ABORT, 'guard: two_people_needed');
END;
