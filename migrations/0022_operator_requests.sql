-- What makes a change by the operator happen once: the operator's own id of an account, and Idempotency-Keys.

-- The operator's own id of an account. Two accounts never have the same: the ledger of the first has the claim in the
-- directory, and the index decides between the accounts of that ledger.
ALTER TABLE accounts ADD COLUMN external_id TEXT CHECK (length(external_id) > 0);

CREATE UNIQUE INDEX accounts_by_external_id ON accounts (external_id) WHERE external_id IS NOT NULL;

CREATE TRIGGER accounts_have_their_own_external_id BEFORE INSERT ON accounts
WHEN EXISTS (SELECT 1 FROM accounts WHERE external_id = NEW.external_id)
BEGIN
  SELECT RAISE(ABORT, 'guard: external id exists');
END;

-- UPDATE OR REPLACE deletes without firing a DELETE trigger.
CREATE TRIGGER accounts_keep_their_external_id BEFORE UPDATE OF external_id ON accounts
WHEN NEW.external_id IS NOT OLD.external_id
BEGIN
  SELECT RAISE(ABORT, 'guard: an account keeps its external id');
END;

-- A kind of claim more: external_id, held by the ledger of the account, as a number.
DROP TRIGGER claims_are_made_once;

CREATE TRIGGER claims_are_made_once BEFORE INSERT ON claims
BEGIN
  SELECT RAISE(ABORT, 'guard: claim exists')
    WHERE EXISTS (SELECT 1 FROM claims WHERE kind = NEW.kind AND name = NEW.name);
  SELECT RAISE(ABORT, 'guard: no such kind of claim')
    WHERE NEW.kind IS NULL OR NEW.kind NOT IN ('address', 'output', 'settlement', 'external_id');
END;

-- Requests that carried an Idempotency-Key, each with the record that it made, in the batch of that record. They are kept
-- for good: a repetition finds the record, however late it comes.
CREATE TABLE operator_requests (
  -- Whose key it is: the e-mail of a person, or the name of a token.
  caller TEXT NOT NULL,
  idempotency_key TEXT NOT NULL,
  -- A digest of method, route and body.
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
