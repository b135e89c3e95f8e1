-- Links of a third kind: for somebody who opens an account by themselves, where the exchange's operator allows that. SQLite
-- changes no CHECK of a table, so it is made anew; links that were mailed stay good.

ALTER TABLE links RENAME TO links_before;

CREATE TABLE links (
  hash TEXT PRIMARY KEY NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('sign_in', 'invitation', 'opening')),
  -- Of a sign-in: the user.
  user_id TEXT REFERENCES users (id),
  -- Of a sign-in and of an opening: the digest of the secret that the browser that asked has in a cookie.
  browser TEXT,
  -- Of an invitation and of an opening: for whom it is.
  email TEXT,
  -- Of an invitation: for which account it is, and who sent it.
  account_id TEXT,
  invited_by TEXT,
  expires_at INTEGER NOT NULL,
  CHECK ((kind = 'sign_in') = (user_id IS NOT NULL)),
  CHECK ((kind = 'invitation') = (browser IS NULL)),
  CHECK ((kind = 'sign_in') = (email IS NULL)),
  CHECK ((kind = 'invitation') = (account_id IS NOT NULL AND invited_by IS NOT NULL))
) STRICT, WITHOUT ROWID;

INSERT INTO links (hash, kind, user_id, browser, email, account_id, invited_by, expires_at)
  SELECT hash, kind, user_id, browser, email, account_id, invited_by, expires_at FROM links_before;

DROP TABLE links_before;
