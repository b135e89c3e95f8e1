-- Payouts that the custodian holds: it accepted them, and waits for something before it pays, such as coins for its hot
-- wallet. Why, in the custodian's words, and since when Bureau knows it; NULL when it does not wait. Only the operator
-- sees it.

ALTER TABLE withdrawals ADD COLUMN held_reason TEXT;
ALTER TABLE withdrawals ADD COLUMN held_since INTEGER
  CHECK ((held_reason IS NULL) = (held_since IS NULL) AND (held_since IS NULL OR status = 'PROCESSING'));
