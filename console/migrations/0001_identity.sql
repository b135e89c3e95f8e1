-- Who signs in to the console. Times are milliseconds since 1970. Secrets are stored as SHA-256 digests in base64url.

CREATE TABLE users (
  -- The id by which the exchange knows the holder.
  id TEXT PRIMARY KEY NOT NULL,
  -- In lower case.
  email TEXT NOT NULL UNIQUE CHECK (email LIKE '_%@_%' AND length(email) <= 254),
  account_id TEXT NOT NULL UNIQUE,
  created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE passkeys (
  -- The credential's id, in base64url.
  id TEXT PRIMARY KEY NOT NULL,
  user_id TEXT NOT NULL REFERENCES users (id),
  -- COSE, in base64url.
  public_key TEXT NOT NULL,
  -- How often the authenticator has signed, if it counts. It only rises.
  counter INTEGER NOT NULL CHECK (counter >= 0),
  transports TEXT NOT NULL CHECK (json_valid(transports)),
  backed_up INTEGER NOT NULL CHECK (backed_up IN (0, 1)),
  name TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  used_at INTEGER
) STRICT, WITHOUT ROWID;

CREATE INDEX passkeys_of_user ON passkeys (user_id);

CREATE TRIGGER passkeys_count_up BEFORE UPDATE OF counter ON passkeys
WHEN NEW.counter < OLD.counter OR (NEW.counter = OLD.counter AND OLD.counter > 0)
BEGIN
  SELECT RAISE(ABORT, 'guard: passkey_counter_back');
END;

-- What an authenticator is asked to sign, taken by the one answer to it.
CREATE TABLE challenges (
  challenge TEXT PRIMARY KEY NOT NULL,
  purpose TEXT NOT NULL CHECK (purpose IN ('sign_in', 'enrol', 'refresh')),
  -- Whose passkey must answer, or who enrols one. NULL at a sign-in.
  user_id TEXT REFERENCES users (id),
  expires_at INTEGER NOT NULL,
  CHECK ((purpose = 'sign_in') = (user_id IS NULL))
) STRICT, WITHOUT ROWID;

-- Links that were mailed, each good for one time.
CREATE TABLE links (
  hash TEXT PRIMARY KEY NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('sign_in', 'invitation', 'opening')),
  -- Of a sign-in: the user.
  user_id TEXT REFERENCES users (id),
  -- Of a sign-in and of an opening: the digest of the secret that the browser that asked has in a cookie.
  browser TEXT,
  -- Of an invitation and of an opening: for whom it is.
  email TEXT,
  -- Of an invitation: for which account it is.
  account_id TEXT,
  expires_at INTEGER NOT NULL,
  CHECK ((kind = 'sign_in') = (user_id IS NOT NULL)),
  CHECK ((kind = 'invitation') = (browser IS NULL)),
  CHECK ((kind = 'sign_in') = (email IS NULL)),
  CHECK ((kind = 'invitation') = (account_id IS NOT NULL))
) STRICT, WITHOUT ROWID;

CREATE TABLE sessions (
  -- The digest of the cookie.
  hash TEXT PRIMARY KEY NOT NULL,
  user_id TEXT NOT NULL REFERENCES users (id),
  -- The id of the session's key at the exchange.
  session_id TEXT NOT NULL UNIQUE,
  -- The key's token, encrypted under a key that is derived from the cookie: without the cookie nobody can read it.
  sealed_token TEXT NOT NULL,
  level TEXT NOT NULL CHECK (level IN ('look', 'act')),
  -- Whether the holder has shown in this session that they may enrol a passkey in place of a lost one.
  recovered INTEGER NOT NULL DEFAULT 0 CHECK (recovered IN (0, 1)),
  -- When a passkey was last used in it.
  verified_at INTEGER,
  created_at INTEGER NOT NULL,
  used_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  -- The browser, as it names itself.
  agent TEXT NOT NULL,
  -- Where the sign-in came from, in words. NULL where it is not known.
  place TEXT
) STRICT, WITHOUT ROWID;

CREATE INDEX sessions_of_user ON sessions (user_id);

CREATE TABLE recovery_codes (
  user_id TEXT NOT NULL REFERENCES users (id),
  hash TEXT NOT NULL,
  PRIMARY KEY (user_id, hash)
) STRICT, WITHOUT ROWID;

-- Up to where the holders of each ledger were told: of changes, by its audit's rows, and of payments, by its transfers.
CREATE TABLE told (
  ledger INTEGER NOT NULL,
  feed TEXT NOT NULL CHECK (feed IN ('changes', 'payments')),
  last INTEGER NOT NULL,
  PRIMARY KEY (ledger, feed)
) STRICT, WITHOUT ROWID;

-- When links were asked for, by the digest of the address, known or not.
CREATE TABLE link_requests (
  address TEXT NOT NULL,
  -- 'known' for a browser in which the owner of the address has signed in, else the digest of the network that asked.
  asker TEXT NOT NULL,
  asked_at INTEGER NOT NULL
) STRICT;

CREATE INDEX link_requests_of_address ON link_requests (address, asker);

-- The browsers in which somebody has signed in, so that a sign-in from another one is told. The cookie by which one is known
-- again opens nothing.
CREATE TABLE browsers (
  user_id TEXT NOT NULL REFERENCES users (id),
  -- The digest of the cookie.
  hash TEXT NOT NULL,
  seen_at INTEGER NOT NULL,
  PRIMARY KEY (user_id, hash)
) STRICT, WITHOUT ROWID;
-- What holders are still to be told by mail. A mail is composed when it is sent, so no secret lies here.
CREATE TABLE mails (
  id INTEGER PRIMARY KEY NOT NULL,
  user_id TEXT NOT NULL REFERENCES users (id),
  -- What it tells. Console/src/mail/notice.ts says which there are, and what the detail of each is.
  kind TEXT NOT NULL,
  detail TEXT NOT NULL CHECK (json_valid(detail)),
  made_at INTEGER NOT NULL,
  -- Not sent before.
  due_at INTEGER NOT NULL
) STRICT;

CREATE INDEX mails_of_user ON mails (user_id, id);
CREATE INDEX mails_by_due ON mails (due_at);

-- The mailboxes to which nothing is sent before `wait_until`: a run is sending to them, or they have refused mails.
CREATE TABLE mailboxes (
  user_id TEXT PRIMARY KEY NOT NULL REFERENCES users (id),
  -- How many attempts have failed in a row.
  failures INTEGER NOT NULL CHECK (failures >= 0),
  wait_until INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Links in mails whose page has a button that freezes the account. They open nothing else, in whichever browser.
CREATE TABLE freeze_links (
  -- The digest of the secret.
  hash TEXT PRIMARY KEY NOT NULL,
  user_id TEXT NOT NULL REFERENCES users (id),
  -- The subject of the mail, which the page repeats.
  subject TEXT NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX freeze_links_by_end ON freeze_links (expires_at);

-- What stands and needs somebody of the staff, who was told of it by mail, and when it was last seen.
CREATE TABLE alerts (
  name TEXT NOT NULL,
  email TEXT NOT NULL,
  seen_at INTEGER NOT NULL,
  -- NULL while the mail was not sent.
  told_at INTEGER,
  PRIMARY KEY (name, email)
) STRICT, WITHOUT ROWID;
