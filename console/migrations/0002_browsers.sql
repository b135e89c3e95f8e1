-- The browsers in which somebody has signed in, so that a sign-in from another one is told. The cookie by which one is known
-- again opens nothing. Times are milliseconds since 1970.
CREATE TABLE browsers (
  user_id TEXT NOT NULL REFERENCES users (id),
  -- The digest of the cookie.
  hash TEXT NOT NULL,
  seen_at INTEGER NOT NULL,
  PRIMARY KEY (user_id, hash)
) STRICT, WITHOUT ROWID;
