-- When an account's statement was last made. Making one reads all that the account did in its time, so there is one a
-- minute for each account.
CREATE TABLE statements (
  account_id TEXT PRIMARY KEY NOT NULL REFERENCES accounts (id),
  made_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
