-- Two people in every ledger. The staff is in ledger 0 alone; every other ledger has a copy of whether two of them are admins.

ALTER TABLE settings ADD COLUMN has_two_admins INTEGER NOT NULL DEFAULT 0 CHECK (has_two_admins IN (0, 1));

-- Has a row once two people are admins: by the staff in ledger 0, which has no copy, and by the copy in every other ledger.
DROP VIEW two_admins;

CREATE VIEW two_admins AS
  SELECT 1 AS present WHERE 1 < (
    SELECT count(*) FROM staff, json_each(staff.roles) AS role WHERE role.value = 'admin')
  UNION ALL
  SELECT 1 FROM settings WHERE has_two_admins = 1;

-- A copy of the settings follows ledger 0, where two people have agreed: so the rule is where the staff is.
DROP TRIGGER settings_change_by_two;

CREATE TRIGGER settings_change_by_two BEFORE UPDATE ON settings
WHEN (
    (OLD.trading_halted = 1 AND NEW.trading_halted = 0)
    OR (OLD.withdrawals_halted = 1 AND NEW.withdrawals_halted = 0)
    OR NEW.allowlist_mode IS NOT OLD.allowlist_mode
    OR (OLD.review_threshold IS NOT NULL AND (NEW.review_threshold IS NULL OR NEW.review_threshold > OLD.review_threshold))
    OR NEW.approval_above IS NOT OLD.approval_above)
  AND EXISTS (SELECT 1 FROM staff)
  AND EXISTS (SELECT 1 FROM two_admins)
  AND NOT EXISTS (SELECT 1 FROM approved_change WHERE action = 'change_settings')
BEGIN
  SELECT RAISE(ABORT, 'guard: two_people_needed');
END;
