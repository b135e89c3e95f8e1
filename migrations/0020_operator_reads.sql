-- By which the operator finds things.

-- Accounts by the beginning of their label.
CREATE INDEX accounts_by_label ON accounts (label);

-- Deposits that wait for their confirmations or for the operator, oldest first. Those below the minimum are not among
-- them: they are shown in sums, and a sender of very many must not pay for a row of an index as well.
CREATE INDEX deposits_open ON deposits (status, id)
  WHERE status IN ('PENDING', 'QUARANTINED') AND reason IS NOT 'below_minimum';

-- What was done to an account or a record.
CREATE INDEX audit_of_target ON audit (target);
