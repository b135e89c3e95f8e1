-- In which ledgers accounts are opened.

-- A JSON object of weights by the number of the ledger. {"0": 1, "2": 3} opens one account of four in ledger 0 and three in
-- ledger 2. A ledger that it does not name gets none, so a new ledger has no accounts until the operator gives it a weight.
ALTER TABLE settings ADD COLUMN opening_weights TEXT NOT NULL DEFAULT '{"0":1}' CHECK (json_valid(opening_weights));

-- A kind of claim more: opening, '<caller> <Idempotency-Key>', held by the ledger in which that request opens its account, as
-- a number. Sent again, the request goes to the same ledger, whatever would be drawn then.
DROP TRIGGER claims_are_made_once;

CREATE TRIGGER claims_are_made_once BEFORE INSERT ON claims
BEGIN
  SELECT RAISE(ABORT, 'guard: claim exists')
    WHERE EXISTS (SELECT 1 FROM claims WHERE kind = NEW.kind AND name = NEW.name);
  SELECT RAISE(ABORT, 'guard: no such kind of claim')
    WHERE NEW.kind IS NULL OR NEW.kind NOT IN ('address', 'output', 'settlement', 'external_id', 'opening');
END;
