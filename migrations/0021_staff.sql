-- Who works here, and who did what.

-- The people who may sign in, by their e-mail in lower case, as the identity provider knows them. Somebody who leaves
-- keeps the row, without a role.
CREATE TABLE staff (
  email TEXT PRIMARY KEY NOT NULL CHECK (email LIKE '_%@_%' AND length(email) <= 254),
  -- A JSON array of roles; which there are, src/operator/roles.ts says.
  roles TEXT NOT NULL CHECK (json_valid(roles)),
  -- When the roles were last set.
  changed_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TRIGGER staff_are_kept BEFORE DELETE ON staff
BEGIN
  SELECT RAISE(ABORT, 'guard: a person is left without a role, never deleted');
END;

-- INSERT OR REPLACE and UPDATE OR REPLACE delete without firing a DELETE trigger.
CREATE TRIGGER staff_keep_their_email BEFORE UPDATE ON staff
WHEN NEW.email IS NOT OLD.email
BEGIN
  SELECT RAISE(ABORT, 'guard: a person keeps the e-mail');
END;

-- The e-mail of the person who acted; NULL where a token did, or the exchange itself: then the role names it.
ALTER TABLE audit ADD COLUMN actor TEXT;
