-- An inner payment is one that a contract makes within a transaction. Its output index is 2^31 or more. Only a trace shows it,
-- and whether a trace is right depends on the node, so a report never credits it: it is QUARANTINED with the reason
-- 'inner_payment', or 'below_minimum', until the operator decides.

CREATE TRIGGER inner_payments_begin_in_quarantine BEFORE INSERT ON deposits
WHEN NEW.output_index >= 2147483648 AND NEW.status NOT IN ('QUARANTINED', 'FAILED')
BEGIN
  SELECT RAISE(ABORT, 'guard: a report never credits an inner payment');
END;

CREATE TRIGGER inner_payments_stay_in_quarantine BEFORE UPDATE OF status ON deposits
WHEN NEW.output_index >= 2147483648 AND NEW.status NOT IN ('QUARANTINED', 'FAILED')
BEGIN
  SELECT RAISE(ABORT, 'guard: a report never credits an inner payment');
END;
