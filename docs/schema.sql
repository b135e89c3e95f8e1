-- The ledger's database as all migrations leave it: every table with its indexes and triggers.
-- Made by "npm run schema" out of migrations/, which explain it; a test compares the two. Do not edit.

CREATE TABLE accounts (
  id TEXT PRIMARY KEY NOT NULL,
  -- Accounts are numbered in order of opening. The deposit addresses are derived from this index; it is never reused.
  address_index INTEGER NOT NULL UNIQUE CHECK (address_index >= 0),
  label TEXT NOT NULL,
  status TEXT NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'frozen')),
  -- In atoms of USDT, for a rolling 24 hours.
  daily_withdrawal_limit INTEGER NOT NULL DEFAULT 5000000000 CHECK (daily_withdrawal_limit >= 0),
  created_at INTEGER NOT NULL,
  -- The number of the newest change of the account's status or of one of its API keys. The lane of a key keeps a copy of
  -- the key's record, which is the key's row with the status of its account. Each change of either sets this number to the
  -- time in milliseconds, or to the previous number plus one if that is more. Two copies with the same number are equal;
  -- of two others, the one with the higher number is newer.
  record_number INTEGER NOT NULL DEFAULT 0 CHECK (record_number >= 0)
, external_id TEXT CHECK (length(external_id) > 0), holder TEXT, held_until INTEGER NOT NULL DEFAULT 0, moved_to INTEGER CHECK (moved_to BETWEEN 0 AND 4095), moved_from INTEGER CHECK (moved_from BETWEEN 0 AND 4095), arrived INTEGER NOT NULL DEFAULT 1 CHECK (arrived IN (0, 1))) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX accounts_by_external_id ON accounts (external_id) WHERE external_id IS NOT NULL;

CREATE INDEX accounts_by_label ON accounts (label);

CREATE INDEX accounts_on_their_way ON accounts (id) WHERE arrived = 0;

CREATE TRIGGER accounts_are_kept BEFORE DELETE ON accounts
BEGIN
  SELECT RAISE(ABORT, 'guard: accounts are never deleted');
END;

CREATE TRIGGER accounts_are_of_their_ledger BEFORE INSERT ON accounts
WHEN substr(NEW.id, 16, 3) IS NOT (SELECT printf('%03x', coalesce(NEW.moved_from, ledger)) FROM settings)
BEGIN
  SELECT RAISE(ABORT, 'guard: an account is in the ledger that its id names');
END;

CREATE TRIGGER accounts_are_opened_once BEFORE INSERT ON accounts
WHEN EXISTS (SELECT 1 FROM accounts WHERE id = NEW.id OR address_index = NEW.address_index)
BEGIN
  SELECT RAISE(ABORT, 'guard: account exists');
END;

CREATE TRIGGER accounts_arrive_frozen BEFORE INSERT ON accounts
WHEN NEW.moved_from IS NOT NULL OR NEW.moved_to IS NOT NULL OR NEW.arrived IS NOT 1
BEGIN
  SELECT RAISE(ABORT, 'guard: an account that moves arrives frozen, from another ledger')
    WHERE NEW.status IS NOT 'frozen' OR NEW.moved_to IS NOT NULL OR NEW.arrived IS NOT 1
      OR NEW.moved_from IS (SELECT ledger FROM settings);
  SELECT RAISE(ABORT, 'guard: no audit row names the arrival')
    WHERE NOT EXISTS (
      SELECT 1 FROM audit
      WHERE id = (SELECT max(id) FROM audit) AND action = 'receive_account' AND target = NEW.id
        AND detail ->> 'from' = NEW.moved_from);
END;

CREATE TRIGGER accounts_have_their_own_external_id BEFORE INSERT ON accounts
WHEN EXISTS (SELECT 1 FROM accounts WHERE external_id = NEW.external_id)
BEGIN
  SELECT RAISE(ABORT, 'guard: external id exists');
END;

CREATE TRIGGER accounts_hold_every_asset AFTER INSERT ON accounts
BEGIN
  INSERT INTO balances (account, asset) SELECT NEW.id, asset FROM assets;
END;

CREATE TRIGGER accounts_keep_their_external_id BEFORE UPDATE OF external_id ON accounts
WHEN NEW.external_id IS NOT OLD.external_id
BEGIN
  SELECT RAISE(ABORT, 'guard: an account keeps its external id');
END;

CREATE TRIGGER accounts_keep_their_holder BEFORE UPDATE ON accounts
WHEN OLD.holder IS NOT NULL AND NEW.holder IS NOT OLD.holder
BEGIN
  SELECT RAISE(ABORT, 'guard: account_has_holder');
END;

CREATE TRIGGER accounts_keep_their_index BEFORE UPDATE ON accounts
WHEN NEW.id IS NOT OLD.id OR NEW.address_index IS NOT OLD.address_index
BEGIN
  SELECT RAISE(ABORT, 'guard: an account keeps its id and its index');
END;

CREATE TRIGGER accounts_keep_where_they_came_from BEFORE UPDATE ON accounts
WHEN NEW.moved_from IS NOT OLD.moved_from
BEGIN
  SELECT RAISE(ABORT, 'guard: an account keeps the ledger that it came from');
END;

CREATE TRIGGER accounts_leave_at_rest BEFORE UPDATE ON accounts
WHEN OLD.moved_to IS NULL AND (NEW.moved_to IS NOT NULL OR NEW.arrived IS NOT 1)
BEGIN
  SELECT RAISE(ABORT, 'guard: an account moves once, to another ledger')
    WHERE NEW.moved_to IS NULL OR NEW.arrived IS NOT 0 OR OLD.moved_from IS NOT NULL
      OR NEW.moved_to IS (SELECT ledger FROM settings);
  SELECT RAISE(ABORT, 'guard: no audit row names the move')
    WHERE NOT EXISTS (
      SELECT 1 FROM audit
      WHERE id = (SELECT max(id) FROM audit) AND action = 'move_account' AND target = NEW.id
        AND detail ->> 'ledger' = NEW.moved_to);
  -- The lanes of its keys were told that it is frozen, of this number, and nothing was changed since.
  SELECT RAISE(ABORT, 'guard: account_not_at_rest')
    WHERE OLD.status IS NOT 'frozen' OR NEW.status IS NOT 'frozen'
      OR OLD.record_number IS NOT (SELECT detail ->> 'recordNumber' FROM audit ORDER BY id DESC LIMIT 1);
  SELECT RAISE(ABORT, 'guard: account_not_at_rest') FROM obstacles_of_moves
    WHERE account_id = NEW.id
      AND max(withdrawal, open_withdrawal, open_deposit, open_trade, open_proposal, allowed_recovery, unsent_events)
        > (SELECT ts FROM audit ORDER BY id DESC LIMIT 1);
END;

CREATE TRIGGER accounts_leave_with_everything AFTER UPDATE ON accounts
WHEN OLD.moved_to IS NULL AND NEW.moved_to IS NOT NULL
BEGIN
  INSERT INTO movements (account_id, id, half, asset, amount, ledger, peer, purpose, transfer, record_id)
    SELECT NEW.id, NEW.id || '/' || asset, 'OUT', asset, amount, (SELECT ledger FROM settings), NEW.moved_to, 'ACCOUNT',
      (SELECT coalesce(max(id), 0) FROM transfers) + row_number() OVER (ORDER BY asset), NEW.id
    FROM balances WHERE account = NEW.id AND amount > 0 ORDER BY asset;
END;

CREATE TRIGGER accounts_number_their_changes BEFORE UPDATE ON accounts
WHEN NEW.record_number < OLD.record_number
BEGIN
  SELECT RAISE(ABORT, 'guard: the number of an account''s key records never falls');
END;

CREATE TRIGGER accounts_stay_held BEFORE UPDATE ON accounts
WHEN NEW.held_until IS NULL OR NEW.held_until < OLD.held_until
BEGIN
  SELECT RAISE(ABORT, 'guard: a hold is never shortened');
END;

CREATE TRIGGER accounts_tell_their_status AFTER UPDATE OF status ON accounts
WHEN NEW.status IS NOT OLD.status
BEGIN
  INSERT INTO events (account_id, sequence, type, subject)
    SELECT account_id, sequence, 'account.' || iif(NEW.status = 'frozen', 'frozen', 'thawed'), NEW.id
    FROM next_events WHERE account_id = NEW.id;
END;

CREATE TRIGGER accounts_that_moved_are_not_changed BEFORE UPDATE ON accounts
WHEN OLD.moved_to IS NOT NULL
BEGIN
  SELECT RAISE(ABORT, 'guard: account_moved')
    WHERE NEW.id IS NOT OLD.id OR NEW.address_index IS NOT OLD.address_index OR NEW.label IS NOT OLD.label
      OR NEW.status IS NOT OLD.status OR NEW.daily_withdrawal_limit IS NOT OLD.daily_withdrawal_limit
      OR NEW.created_at IS NOT OLD.created_at OR NEW.record_number IS NOT OLD.record_number
      OR NEW.external_id IS NOT OLD.external_id OR NEW.holder IS NOT OLD.holder OR NEW.held_until IS NOT OLD.held_until
      OR NEW.moved_to IS NOT OLD.moved_to OR NEW.arrived < OLD.arrived;
END;

CREATE TRIGGER limits_rise_by_two BEFORE UPDATE OF daily_withdrawal_limit ON accounts
WHEN NEW.daily_withdrawal_limit > OLD.daily_withdrawal_limit
  AND EXISTS (SELECT 1 FROM two_admins)
  AND NOT EXISTS (SELECT 1 FROM approved_change WHERE action = 'change_account' AND target = NEW.id)
BEGIN
  SELECT RAISE(ABORT, 'guard: two_people_needed');
END;

CREATE TRIGGER recoveries_end_with_a_freeze AFTER UPDATE OF status ON accounts
WHEN NEW.status = 'frozen' AND OLD.status IS NOT 'frozen'
BEGIN
  DELETE FROM allowed_recoveries WHERE account_id = NEW.id;
END;

CREATE TABLE address_indexes (
  address_index INTEGER PRIMARY KEY NOT NULL CHECK (address_index >= 0),
  account_id TEXT NOT NULL UNIQUE
) STRICT, WITHOUT ROWID;

CREATE TRIGGER address_indexes_are_not_changed BEFORE UPDATE ON address_indexes
BEGIN
  SELECT RAISE(ABORT, 'guard: an address index is never changed');
END;

CREATE TRIGGER address_indexes_are_not_deleted BEFORE DELETE ON address_indexes
BEGIN
  SELECT RAISE(ABORT, 'guard: an address index is never deleted');
END;

CREATE TRIGGER address_indexes_are_taken_in_order BEFORE INSERT ON address_indexes
BEGIN
  SELECT RAISE(ABORT, 'guard: account exists')
    WHERE EXISTS (SELECT 1 FROM address_indexes WHERE account_id = NEW.account_id);
  SELECT RAISE(ABORT, 'guard: an account takes the next index')
    WHERE NEW.address_index IS NOT (SELECT coalesce(max(address_index) + 1, 0) FROM address_indexes);
END;

CREATE TABLE addresses (
  account_id TEXT NOT NULL REFERENCES accounts (id),
  network TEXT NOT NULL,
  -- In its canonical form (src/wallet/addresses/validate-address.ts).
  address TEXT NOT NULL,
  PRIMARY KEY (account_id, network)
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX addresses_have_one_owner ON addresses (network, address);

CREATE TRIGGER addresses_are_given_once BEFORE INSERT ON addresses
WHEN EXISTS (SELECT 1 FROM addresses WHERE account_id = NEW.account_id AND network = NEW.network)
  OR EXISTS (SELECT 1 FROM addresses WHERE network = NEW.network AND address = NEW.address)
BEGIN
  SELECT RAISE(ABORT, 'guard: address exists');
END;

CREATE TRIGGER addresses_are_not_changed BEFORE UPDATE ON addresses
BEGIN
  SELECT RAISE(ABORT, 'guard: an address is never changed');
END;

CREATE TRIGGER addresses_are_not_deleted BEFORE DELETE ON addresses
BEGIN
  SELECT RAISE(ABORT, 'guard: an address is never deleted');
END;

CREATE TRIGGER addresses_go_where_accounts_are BEFORE INSERT ON addresses
WHEN EXISTS (SELECT 1 FROM accounts WHERE id = NEW.account_id AND moved_to IS NOT NULL)
BEGIN
  SELECT RAISE(ABORT, 'guard: account_moved');
END;

CREATE VIEW agreed_change AS
  SELECT action, target FROM audit
  WHERE id = (SELECT max(id) FROM audit) AND (proposal IS NOT NULL OR role = 'holder');

CREATE TABLE allowed_recoveries (
  account_id TEXT PRIMARY KEY NOT NULL REFERENCES accounts (id),
  -- Good once, for 72 hours.
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TRIGGER recoveries_are_allowed_as_they_are BEFORE UPDATE ON allowed_recoveries
BEGIN
  SELECT RAISE(ABORT, 'guard: an allowed recovery is never changed');
END;

CREATE TRIGGER recoveries_are_allowed_by_two BEFORE INSERT ON allowed_recoveries
BEGIN
  SELECT RAISE(ABORT, 'guard: two_people_needed')
    WHERE NOT EXISTS (SELECT 1 FROM approved_change WHERE action = 'allow_recovery' AND target = NEW.account_id);
  SELECT RAISE(ABORT, 'guard: an allowed recovery lasts 72 hours')
    WHERE NEW.expires_at IS NOT (SELECT ts + 259200000 FROM audit ORDER BY id DESC LIMIT 1);
END;

CREATE TRIGGER recoveries_go_where_accounts_are BEFORE INSERT ON allowed_recoveries
WHEN EXISTS (SELECT 1 FROM accounts WHERE id = NEW.account_id AND moved_to IS NOT NULL)
BEGIN
  SELECT RAISE(ABORT, 'guard: account_moved');
END;

CREATE TABLE allowlist (
  account_id TEXT NOT NULL REFERENCES accounts (id),
  id TEXT NOT NULL,
  network TEXT NOT NULL,
  -- In its canonical form.
  address TEXT NOT NULL,
  label TEXT NOT NULL,
  -- When withdrawals to it begin to be allowed.
  usable_at INTEGER NOT NULL,
  PRIMARY KEY (account_id, id)
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX allowlist_once_per_address ON allowlist (account_id, network, address);

CREATE TRIGGER addresses_of_holders_are_approved_by_two BEFORE INSERT ON allowlist
WHEN EXISTS (SELECT 1 FROM accounts WHERE id = NEW.account_id AND holder IS NOT NULL)
  AND EXISTS (SELECT 1 FROM two_admins)
  AND NOT EXISTS (SELECT 1 FROM agreed_change WHERE action = 'approve_address' AND target = NEW.account_id)
BEGIN
  SELECT RAISE(ABORT, 'guard: two_people_needed');
END;

CREATE TRIGGER allowlist_entries_are_not_changed BEFORE UPDATE ON allowlist
BEGIN
  SELECT RAISE(ABORT, 'guard: an allowlist entry is never changed');
END;

CREATE TRIGGER allowlist_entries_begin_once BEFORE INSERT ON allowlist
WHEN EXISTS (
  SELECT 1 FROM allowlist
  WHERE account_id = NEW.account_id AND (id = NEW.id OR (network = NEW.network AND address = NEW.address)))
BEGIN
  SELECT RAISE(ABORT, 'guard: allowlist entry exists');
END;

CREATE TRIGGER allowlist_entries_tell AFTER INSERT ON allowlist
BEGIN
  INSERT INTO events (account_id, sequence, type, subject, detail)
    SELECT account_id, sequence, 'allowlist.added', NEW.id,
      json_object('network', NEW.network, 'address', NEW.address, 'label', NEW.label, 'usableAt', NEW.usable_at)
    FROM next_events WHERE account_id = NEW.account_id;
END;

CREATE TRIGGER allowlist_entries_tell_their_end AFTER DELETE ON allowlist
BEGIN
  INSERT INTO events (account_id, sequence, type, subject, detail)
    SELECT account_id, sequence, 'allowlist.removed', OLD.id,
      json_object('network', OLD.network, 'address', OLD.address, 'label', OLD.label, 'usableAt', OLD.usable_at)
    FROM next_events WHERE account_id = OLD.account_id;
END;

CREATE TRIGGER approvals_go_where_accounts_are BEFORE INSERT ON allowlist
WHEN EXISTS (SELECT 1 FROM accounts WHERE id = NEW.account_id AND moved_to IS NOT NULL)
BEGIN
  SELECT RAISE(ABORT, 'guard: account_moved');
END;

CREATE TRIGGER approvals_left_behind_are_kept BEFORE DELETE ON allowlist
WHEN EXISTS (SELECT 1 FROM accounts WHERE id = OLD.account_id AND moved_to IS NOT NULL)
BEGIN
  SELECT RAISE(ABORT, 'guard: account_moved');
END;

CREATE TRIGGER approvals_wait_after_recovery BEFORE INSERT ON allowlist
BEGIN
  SELECT RAISE(ABORT, 'guard: account_recovered ' || held_until) FROM accounts
    WHERE id = NEW.account_id
      AND NEW.id < substr(printf('%012x', held_until), 1, 8) || '-' || substr(printf('%012x', held_until), 9);
END;

CREATE TABLE api_keys (
  id TEXT PRIMARY KEY NOT NULL,
  account_id TEXT NOT NULL REFERENCES accounts (id),
  label TEXT NOT NULL,
  -- One letter for each scope, as src/keys/scope.ts lists them.
  scopes TEXT NOT NULL CHECK (length(scopes) > 0 AND scopes NOT GLOB '*[^a-z]*'),
  token_hash TEXT NOT NULL,
  -- A JSON array of addresses and CIDR ranges; NULL admits every address.
  ip_allowlist TEXT CHECK (json_valid(ip_allowlist)),
  -- A JSON object of the rate limits that differ from the defaults.
  rate_limits TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(rate_limits)),
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  revoked_at INTEGER
, kind TEXT NOT NULL DEFAULT 'standing' CHECK (kind IN ('standing', 'session'))) STRICT, WITHOUT ROWID;

CREATE INDEX api_keys_of_account ON api_keys (account_id, kind, id);

CREATE TRIGGER api_keys_are_kept BEFORE DELETE ON api_keys
BEGIN
  SELECT RAISE(ABORT, 'guard: an api key is revoked, never deleted');
END;

CREATE TRIGGER api_keys_are_made_once BEFORE INSERT ON api_keys
WHEN EXISTS (SELECT 1 FROM api_keys WHERE id = NEW.id)
BEGIN
  SELECT RAISE(ABORT, 'guard: api key exists');
END;

CREATE TRIGGER api_keys_go_where_accounts_are BEFORE INSERT ON api_keys
WHEN EXISTS (SELECT 1 FROM accounts WHERE id = NEW.account_id AND moved_to IS NOT NULL)
BEGIN
  SELECT RAISE(ABORT, 'guard: account_moved');
END;

CREATE TRIGGER api_keys_left_behind_are_not_changed BEFORE UPDATE ON api_keys
WHEN EXISTS (SELECT 1 FROM accounts WHERE id = OLD.account_id AND moved_to IS NOT NULL)
BEGIN
  SELECT RAISE(ABORT, 'guard: account_moved');
END;

CREATE TRIGGER api_keys_stay_revoked BEFORE UPDATE ON api_keys
WHEN OLD.revoked_at IS NOT NULL AND NEW.revoked_at IS NOT OLD.revoked_at
BEGIN
  SELECT RAISE(ABORT, 'guard: a revoked key stays revoked');
END;

CREATE TRIGGER api_keys_stay_what_they_are BEFORE UPDATE ON api_keys
WHEN NEW.id IS NOT OLD.id OR NEW.account_id IS NOT OLD.account_id OR NEW.token_hash IS NOT OLD.token_hash
  OR NEW.scopes IS NOT OLD.scopes OR NEW.created_at IS NOT OLD.created_at
BEGIN
  SELECT RAISE(ABORT, 'guard: a key keeps its account, scopes and hash');
END;

CREATE TRIGGER api_keys_tell AFTER INSERT ON api_keys
WHEN NEW.kind = 'standing'
BEGIN
  INSERT INTO events (account_id, sequence, type, subject)
    SELECT account_id, sequence, 'key.' || iif(NEW.revoked_at IS NULL, 'created', 'revoked'), NEW.id
    FROM next_events WHERE account_id = NEW.account_id;
END;

CREATE TRIGGER api_keys_tell_their_end AFTER UPDATE OF revoked_at ON api_keys
WHEN NEW.kind = 'standing' AND OLD.revoked_at IS NULL AND NEW.revoked_at IS NOT NULL
BEGIN
  INSERT INTO events (account_id, sequence, type, subject)
    SELECT account_id, sequence, 'key.revoked', NEW.id FROM next_events WHERE account_id = NEW.account_id;
END;

CREATE TRIGGER keys_of_holders_are_made_by_two BEFORE INSERT ON api_keys
WHEN NEW.kind = 'standing'
  AND EXISTS (SELECT 1 FROM accounts WHERE id = NEW.account_id AND holder IS NOT NULL)
  AND EXISTS (SELECT 1 FROM two_admins)
  AND NOT EXISTS (SELECT 1 FROM agreed_change WHERE action = 'create_api_key' AND target = NEW.account_id)
BEGIN
  SELECT RAISE(ABORT, 'guard: two_people_needed');
END;

CREATE TRIGGER keys_wait_after_recovery BEFORE INSERT ON api_keys
WHEN NEW.kind = 'standing'
BEGIN
  SELECT RAISE(ABORT, 'guard: account_recovered ' || held_until) FROM accounts
    WHERE id = NEW.account_id AND held_until > NEW.created_at;
END;

CREATE TRIGGER sessions_are_few_and_short BEFORE INSERT ON api_keys
WHEN NEW.kind = 'session'
BEGIN
  SELECT RAISE(ABORT, 'guard: a session lasts at most 12 hours')
    WHERE NEW.expires_at IS NULL OR NEW.expires_at > NEW.created_at + 43200000;
  SELECT RAISE(ABORT, 'guard: too_many_sessions')
    WHERE 5 <= (
      SELECT count(*) FROM api_keys
      WHERE account_id = NEW.account_id AND kind = 'session' AND revoked_at IS NULL AND expires_at > NEW.created_at
        AND id > substr(printf('%012x', NEW.created_at - 43200000), 1, 8) || '-'
          || substr(printf('%012x', NEW.created_at - 43200000), 9));
END;

CREATE TRIGGER sessions_keep_their_end BEFORE UPDATE ON api_keys
WHEN NEW.kind IS NOT OLD.kind OR (OLD.kind = 'session' AND NEW.expires_at IS NOT OLD.expires_at)
BEGIN
  SELECT RAISE(ABORT, 'guard: a session ends when it said');
END;

CREATE VIEW approved_change AS
  SELECT action, target FROM audit WHERE id = (SELECT max(id) FROM audit) AND proposal IS NOT NULL;

CREATE TABLE assets (
  asset TEXT PRIMARY KEY NOT NULL,
  -- How many atoms make one unit, such as one bitcoin.
  unit INTEGER NOT NULL CHECK (unit > 0)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER assets_are_held_by_every_account AFTER INSERT ON assets
BEGIN
  INSERT INTO balances (account, asset) VALUES ('house:payouts', NEW.asset), ('house:fees', NEW.asset);
  INSERT INTO balances (account, asset, floor) VALUES ('house:transit', NEW.asset, -9223372036854775807);
  INSERT INTO balances (account, asset) SELECT id, NEW.asset FROM accounts;
END;

CREATE TRIGGER assets_are_listed_once BEFORE INSERT ON assets
WHEN EXISTS (SELECT 1 FROM assets WHERE asset = NEW.asset)
BEGIN
  SELECT RAISE(ABORT, 'guard: asset exists');
END;

CREATE TRIGGER assets_are_not_changed BEFORE UPDATE ON assets
BEGIN
  SELECT RAISE(ABORT, 'guard: an asset is never changed');
END;

CREATE TRIGGER assets_are_not_deleted BEFORE DELETE ON assets
BEGIN
  SELECT RAISE(ABORT, 'guard: an asset is never deleted');
END;

CREATE TABLE audit (
  id INTEGER PRIMARY KEY NOT NULL,
  ts INTEGER NOT NULL,
  role TEXT NOT NULL,
  action TEXT NOT NULL,
  -- The id of what was changed.
  target TEXT NOT NULL,
  -- A JSON object that describes the change. It never contains a secret.
  detail TEXT NOT NULL CHECK (json_valid(detail))
, actor TEXT, proposal TEXT, request TEXT CHECK ((request IS NULL) = (proposal IS NULL))) STRICT;

CREATE INDEX audit_of_target ON audit (target);

CREATE TRIGGER audit_approves_proposals AFTER INSERT ON audit
WHEN NEW.proposal IS NOT NULL
BEGIN
  SELECT RAISE(ABORT, 'guard: a person approves the request that was proposed')
    WHERE NEW.actor IS NULL
      OR NOT EXISTS (SELECT 1 FROM proposals WHERE id = NEW.proposal AND digest = NEW.request);
  UPDATE proposals SET status = 'APPROVED', decided_by = NEW.actor, decided_at = NEW.ts WHERE id = NEW.proposal;
END;

CREATE TRIGGER audit_is_not_changed BEFORE UPDATE ON audit
BEGIN
  SELECT RAISE(ABORT, 'guard: an audit row is never changed');
END;

CREATE TRIGGER audit_is_not_deleted BEFORE DELETE ON audit
BEGIN
  SELECT RAISE(ABORT, 'guard: an audit row is never deleted');
END;

CREATE TRIGGER audit_is_numbered BEFORE INSERT ON audit
WHEN NEW.id IS NOT (SELECT coalesce(max(id), 0) + 1 FROM audit)
BEGIN
  SELECT RAISE(ABORT, 'guard: an audit row takes the next number');
END;

CREATE TRIGGER audit_tells AFTER INSERT ON audit
BEGIN
  INSERT INTO events (account_id, sequence, type, subject)
    SELECT account_id, sequence, 'audit.added', CAST(NEW.id AS TEXT) FROM next_events WHERE account_id = 'operator';
END;

CREATE TRIGGER audit_tells_security AFTER INSERT ON audit
WHEN NEW.action IN ('add_passkey', 'remove_passkey', 'draw_recovery_codes', 'allow_recovery', 'recover_account')
  OR (NEW.action = 'open_session' AND NEW.detail ->> 'browser' IS NOT NULL)
BEGIN
  INSERT INTO events (account_id, sequence, type, subject, detail)
    SELECT account_id, sequence,
      CASE NEW.action
        WHEN 'add_passkey' THEN 'security.passkey_added'
        WHEN 'remove_passkey' THEN 'security.passkey_removed'
        WHEN 'draw_recovery_codes' THEN 'security.recovery_codes_drawn'
        WHEN 'allow_recovery' THEN 'security.recovery_allowed'
        WHEN 'recover_account' THEN 'security.recovered'
        ELSE 'security.signed_in'
      END,
      NEW.target,
      json_object('passkey', NEW.detail ->> 'name', 'browser', NEW.detail ->> 'browser', 'proof', NEW.detail ->> 'proof')
    FROM next_events WHERE account_id = NEW.target;
END;

CREATE TRIGGER recoveries_end_with_the_first AFTER INSERT ON audit
WHEN NEW.action = 'recover_account'
BEGIN
  DELETE FROM allowed_recoveries WHERE account_id = NEW.target;
END;

CREATE TRIGGER recoveries_need_to_be_allowed BEFORE INSERT ON audit
WHEN NEW.action = 'recover_account' AND NEW.detail ->> 'proof' = 'allowed'
BEGIN
  SELECT RAISE(ABORT, 'guard: recovery_not_allowed')
    WHERE NOT EXISTS (SELECT 1 FROM allowed_recoveries WHERE account_id = NEW.target AND expires_at > NEW.ts);
END;

CREATE TRIGGER stuck_withdrawals_are_settled_by_two BEFORE INSERT ON audit
WHEN NEW.action = 'settle_withdrawal' AND NEW.proposal IS NULL
  AND NEW.detail ->> 'reason' IS NOT 'rejected'
  AND EXISTS (SELECT 1 FROM two_admins)
BEGIN
  SELECT RAISE(ABORT, 'guard: two_people_needed');
END;

CREATE TABLE balances (
  account TEXT NOT NULL,
  asset TEXT NOT NULL REFERENCES assets (asset),
  amount INTEGER NOT NULL DEFAULT 0,
  floor INTEGER NOT NULL DEFAULT 0,
  -- The number of the newest transfer of this balance; 0 before the first.
  last_transfer INTEGER NOT NULL DEFAULT 0,
  -- On rows of 'house:liquidity': the round of prices of the coin's newest fill. 0 on all other rows.
  price_round INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (account, asset),
  CHECK (amount >= floor)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER balances_are_explained BEFORE UPDATE ON balances
WHEN NEW.amount IS NOT OLD.amount OR NEW.last_transfer IS NOT OLD.last_transfer
BEGIN
  SELECT RAISE(ABORT, 'ledger: no transfer explains the balance')
    WHERE NEW.last_transfer IS NULL OR NEW.last_transfer <= OLD.last_transfer OR NOT EXISTS (
      SELECT 1 FROM transfers
      WHERE id = NEW.last_transfer AND asset = NEW.asset AND (
        (debit = NEW.account AND NEW.amount = OLD.amount - amount) OR
        (credit = NEW.account AND NEW.amount = OLD.amount + amount)));
  SELECT RAISE(ABORT, 'ledger: floor ' || NEW.account || ' ' || NEW.asset || ' of ' ||
      (SELECT kind || ' ' || reference FROM transfers WHERE id = NEW.last_transfer))
    WHERE NEW.amount < NEW.floor;
END;

CREATE TRIGGER balances_are_kept BEFORE DELETE ON balances
BEGIN
  SELECT RAISE(ABORT, 'ledger: a balance is never deleted');
END;

CREATE TRIGGER balances_begin_at_zero BEFORE INSERT ON balances
WHEN NEW.amount IS NOT 0 OR NEW.last_transfer IS NOT 0
  OR EXISTS (SELECT 1 FROM balances WHERE account = NEW.account AND asset = NEW.asset)
BEGIN
  SELECT RAISE(ABORT, 'ledger: a balance begins once, at zero');
END;

CREATE TRIGGER balances_begin_with_their_floor BEFORE INSERT ON balances
WHEN NEW.account NOT IN ('house:liquidity', 'house:custody')
  AND NEW.floor IS NOT iif(NEW.account = 'house:transit', -9223372036854775807, 0)
BEGIN
  SELECT RAISE(ABORT, 'ledger: a balance begins with the floor of its owner');
END;

CREATE TRIGGER balances_begin_without_a_round BEFORE INSERT ON balances
WHEN NEW.price_round IS NOT 0
BEGIN
  SELECT RAISE(ABORT, 'ledger: a balance begins without a round');
END;

CREATE TRIGGER balances_change_their_floor_by_audit BEFORE UPDATE OF floor ON balances
WHEN NEW.floor IS NOT OLD.floor
BEGIN
  SELECT RAISE(ABORT, 'ledger: floor ' || NEW.account || ' ' || NEW.asset)
    WHERE (NEW.amount < NEW.floor OR NEW.floor > 0) AND NEW.account IN ('house:liquidity', 'house:custody');
  SELECT RAISE(ABORT, 'guard: no audit row names the floor')
    WHERE NOT EXISTS (
      SELECT 1 FROM audit
      WHERE id = (SELECT max(id) FROM audit) AND CASE action
        WHEN 'change_settings' THEN (SELECT ledger FROM settings) = 0
          AND json_extract(detail, '$.floors."' || NEW.account || '"."' || NEW.asset || '"') = CAST(NEW.floor - (
            SELECT coalesce(sum(amount), 0) FROM quotas WHERE account = NEW.account AND asset = NEW.asset) AS TEXT)
        WHEN 'grant_quota' THEN EXISTS (
          SELECT 1 FROM newest_grant WHERE account = NEW.account AND asset = NEW.asset AND floor = NEW.floor)
        WHEN 'number_ledger' THEN NEW.floor = 0
        ELSE 0 END);
END;

CREATE TRIGGER balances_have_an_owner BEFORE INSERT ON balances
WHEN NEW.account NOT IN ('house:liquidity', 'house:custody', 'house:payouts', 'house:fees', 'house:transit')
  AND NOT EXISTS (SELECT 1 FROM accounts WHERE id = NEW.account)
BEGIN
  SELECT RAISE(ABORT, 'ledger: a balance belongs to an account or to the house');
END;

CREATE TRIGGER balances_keep_their_floor BEFORE UPDATE OF floor ON balances
WHEN NEW.floor IS NOT 0 AND NEW.account NOT IN ('house:liquidity', 'house:custody')
BEGIN
  SELECT RAISE(ABORT, 'ledger: only inventory and custody may be negative');
END;

CREATE TRIGGER balances_keep_their_owner BEFORE UPDATE ON balances
WHEN NEW.account IS NOT OLD.account OR NEW.asset IS NOT OLD.asset
BEGIN
  SELECT RAISE(ABORT, 'ledger: a balance keeps its owner and asset');
END;

CREATE TRIGGER balances_keep_their_round BEFORE UPDATE ON balances
WHEN NEW.price_round IS NOT OLD.price_round
BEGIN
  SELECT RAISE(ABORT, 'ledger: no order explains the round')
    WHERE NEW.price_round IS NULL OR NEW.price_round < OLD.price_round
      OR NEW.account IS NOT 'house:liquidity' OR NEW.last_transfer IS OLD.last_transfer
      OR NOT EXISTS (
        SELECT 1 FROM transfers AS t JOIN orders AS o ON o.id = t.reference AND o.account_id IN (t.debit, t.credit)
        WHERE t.id = NEW.last_transfer AND t.kind = 'order' AND o.coin = NEW.asset AND o.price_round = NEW.price_round);
END;

CREATE TRIGGER balances_of_transit_keep_their_floor BEFORE UPDATE OF floor ON balances
WHEN OLD.account = 'house:transit' AND NEW.floor IS NOT OLD.floor
BEGIN
  SELECT RAISE(ABORT, 'guard: the floor of transit is never changed');
END;

CREATE TRIGGER caps_rise_by_two BEFORE UPDATE OF floor ON balances
WHEN NEW.floor < OLD.floor
  AND EXISTS (SELECT 1 FROM two_admins)
  AND NOT EXISTS (SELECT 1 FROM approved_change WHERE action = 'change_settings')
  AND NOT EXISTS (
    SELECT 1 FROM newest_grant WHERE account = NEW.account AND asset = NEW.asset AND floor = NEW.floor)
BEGIN
  SELECT RAISE(ABORT, 'guard: two_people_needed');
END;

CREATE TRIGGER limits_begin_in_ledger_0 BEFORE INSERT ON balances
WHEN NEW.account IN ('house:liquidity', 'house:custody') AND NEW.floor IS NOT 0
  AND (SELECT ledger FROM settings) IS NOT 0
BEGIN
  SELECT RAISE(ABORT, 'guard: the limits of an asset begin in ledger 0');
END;

CREATE TABLE claims (
  kind TEXT NOT NULL,
  name TEXT NOT NULL,
  holder TEXT NOT NULL,
  PRIMARY KEY (kind, name)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER claims_are_made_once BEFORE INSERT ON claims
BEGIN
  SELECT RAISE(ABORT, 'guard: claim exists')
    WHERE EXISTS (SELECT 1 FROM claims WHERE kind = NEW.kind AND name = NEW.name);
  SELECT RAISE(ABORT, 'guard: no such kind of claim')
    WHERE NEW.kind IS NULL
      OR NEW.kind NOT IN ('address', 'output', 'settlement', 'external_id', 'opening', 'home');
END;

CREATE TRIGGER claims_are_not_changed BEFORE UPDATE ON claims
BEGIN
  SELECT RAISE(ABORT, 'guard: a claim is never changed');
END;

CREATE TRIGGER claims_are_not_deleted BEFORE DELETE ON claims
BEGIN
  SELECT RAISE(ABORT, 'guard: a claim is never deleted');
END;

CREATE TABLE deposits (
  account_id TEXT NOT NULL,
  id TEXT NOT NULL,
  type TEXT NOT NULL CHECK (type IN ('ONCHAIN_DEPOSIT', 'INTERNAL_DEPOSIT')),
  asset TEXT NOT NULL,
  -- What is credited, in atoms: the exact amount, rounded down.
  amount INTEGER NOT NULL CHECK (amount >= 0),
  -- In atoms of USDT, at the price of the time when it was first reported.
  usd_value INTEGER NOT NULL CHECK (usd_value >= 0),
  status TEXT NOT NULL CHECK (status IN ('PENDING', 'COMPLETED', 'FAILED', 'QUARANTINED')),
  -- Why it was quarantined.
  reason TEXT,
  -- The operator's own id of a credit made by hand.
  reference TEXT,
  -- Of a receipt: the withdrawal that was paid.
  withdrawal_id TEXT,
  -- Of a deposit from a chain: where it was seen, and its exact amount as a decimal.
  network TEXT,
  tx_hash TEXT,
  output_index INTEGER,
  address TEXT,
  exact_amount TEXT,
  confirmations INTEGER,
  -- The number of the transfer that credited it.
  transfer INTEGER, decision TEXT CHECK (decision IN ('KEPT', 'CREDITED')), credit_account TEXT, credit_id TEXT, credit_usd_value INTEGER
  CHECK ((decision IS 'CREDITED') = (credit_account IS NOT NULL AND credit_id IS NOT NULL AND credit_usd_value IS NOT NULL)
    AND (decision IS 'CREDITED') = (coalesce(credit_account, credit_id, credit_usd_value) IS NOT NULL)),
  PRIMARY KEY (account_id, id),
  CHECK ((type = 'INTERNAL_DEPOSIT') = ((reference IS NOT NULL) <> (withdrawal_id IS NOT NULL))),
  CHECK ((type = 'ONCHAIN_DEPOSIT') = (network IS NOT NULL AND tx_hash IS NOT NULL AND output_index IS NOT NULL
    AND address IS NOT NULL AND exact_amount IS NOT NULL AND confirmations IS NOT NULL)),
  CHECK ((status = 'QUARANTINED') = (reason IS NOT NULL)),
  CHECK ((status = 'COMPLETED') = (transfer IS NOT NULL)),
  CHECK (withdrawal_id IS NULL OR status = 'COMPLETED'),
  CHECK (status <> 'COMPLETED' OR (amount > 0 AND account_id <> 'house:unowned'))
) STRICT, WITHOUT ROWID;

CREATE INDEX deposits_credited ON deposits (credit_account, credit_id) WHERE credit_id IS NOT NULL;

CREATE INDEX deposits_decided ON deposits (decision, id) WHERE decision IS NOT NULL;

CREATE UNIQUE INDEX deposits_once_per_output ON deposits (network, tx_hash, output_index) WHERE network IS NOT NULL;

CREATE UNIQUE INDEX deposits_once_per_reference ON deposits (account_id, reference) WHERE reference IS NOT NULL;

CREATE INDEX deposits_open ON deposits (status, id)
  WHERE status IN ('PENDING', 'QUARANTINED') AND reason IS NOT 'below_minimum' AND decision IS NULL;

CREATE TRIGGER credits_of_quarantine_are_explained BEFORE INSERT ON deposits
WHEN NEW.reference GLOB 'quarantine *'
BEGIN
  SELECT RAISE(ABORT, 'guard: no decision explains the credit')
    WHERE NOT EXISTS (
      SELECT 1 FROM deposits
      WHERE credit_account = NEW.account_id AND credit_id = NEW.id AND 'quarantine ' || id = NEW.reference
        AND asset = NEW.asset AND amount = NEW.amount AND decision = 'CREDITED');
END;

CREATE TRIGGER deposits_add_to_dust AFTER INSERT ON deposits
WHEN NEW.reason IS 'below_minimum'
BEGIN
  INSERT INTO dust (asset, network) SELECT NEW.asset, NEW.network
    WHERE NOT EXISTS (SELECT 1 FROM dust WHERE asset = NEW.asset AND network = NEW.network);
  UPDATE dust SET
    deposits = deposits + 1,
    units = units + CAST(NEW.exact_amount AS INTEGER),
    billionths = billionths
      + CAST(substr(NEW.exact_amount || '000000000000000000', instr(NEW.exact_amount || '.', '.') + 1, 9) AS INTEGER),
    quintillionths = quintillionths
      + CAST(substr(NEW.exact_amount || '000000000000000000', instr(NEW.exact_amount || '.', '.') + 10, 9) AS INTEGER)
    WHERE asset = NEW.asset AND network = NEW.network;
END;

CREATE TRIGGER deposits_are_credited_by_decision AFTER UPDATE OF decision ON deposits
WHEN NEW.decision = 'CREDITED'
BEGIN
  INSERT INTO deposits (account_id, id, type, asset, amount, usd_value, status, reference, transfer) VALUES (
    NEW.credit_account, NEW.credit_id, 'INTERNAL_DEPOSIT', NEW.asset, NEW.amount, NEW.credit_usd_value, 'COMPLETED',
    'quarantine ' || NEW.id, (SELECT coalesce(max(id), 0) + 1 FROM transfers));
END;

CREATE TRIGGER deposits_are_decided_once BEFORE UPDATE ON deposits
WHEN NEW.decision IS NOT OLD.decision OR NEW.credit_account IS NOT OLD.credit_account
  OR NEW.credit_id IS NOT OLD.credit_id OR NEW.credit_usd_value IS NOT OLD.credit_usd_value
BEGIN
  SELECT RAISE(ABORT, 'guard: quarantine_decided')
    WHERE OLD.decision IS 'CREDITED' OR (OLD.decision IS 'KEPT' AND NEW.decision IS NOT 'CREDITED');
  SELECT RAISE(ABORT, 'guard: quarantine_decided')
    WHERE OLD.status IS NOT 'QUARANTINED' OR NEW.status IS NOT 'QUARANTINED';
  SELECT RAISE(ABORT, 'guard: a deposit below the minimum is never credited') WHERE OLD.reason IS 'below_minimum';
  SELECT RAISE(ABORT, 'guard: no audit row names the decision')
    WHERE NOT EXISTS (
      SELECT 1 FROM audit
      WHERE id = (SELECT max(id) FROM audit) AND target = NEW.id AND (
        (NEW.decision = 'KEPT' AND action = 'keep_deposit') OR
        (NEW.decision = 'CREDITED' AND action = 'credit_deposit' AND detail ->> 'accountId' = NEW.credit_account)));
  SELECT RAISE(ABORT, 'guard: two_people_needed')
    WHERE NEW.decision IS 'CREDITED'
      AND EXISTS (SELECT 1 FROM two_admins)
      AND NOT EXISTS (SELECT 1 FROM approved_change WHERE action = 'credit_deposit' AND target = NEW.id);
END;

CREATE TRIGGER deposits_are_judged_once BEFORE UPDATE OF status, reason, confirmations ON deposits
BEGIN
  SELECT RAISE(ABORT, 'guard: a deposit below the minimum is never credited')
    WHERE OLD.reason IS 'below_minimum' AND NEW.status IS NOT 'FAILED';
  SELECT RAISE(ABORT, 'guard: a deposit is below the minimum from its first report on')
    WHERE OLD.reason IS NOT 'below_minimum' AND NEW.reason IS 'below_minimum';
  -- A report with nothing new writes nothing. Of two equal reports at the same time, this refuses the second.
  SELECT RAISE(ABORT, 'guard: deposit_unchanged')
    WHERE NEW.status IS OLD.status AND NEW.reason IS OLD.reason;
END;

CREATE TRIGGER deposits_are_not_deleted BEFORE DELETE ON deposits
BEGIN
  SELECT RAISE(ABORT, 'guard: a deposit is never deleted');
END;

CREATE TRIGGER deposits_are_recorded_once BEFORE INSERT ON deposits
BEGIN
  SELECT RAISE(ABORT, 'guard: no such account')
    WHERE NEW.account_id IS NOT 'house:unowned' AND NOT EXISTS (SELECT 1 FROM accounts WHERE id = NEW.account_id);
  SELECT RAISE(ABORT, 'guard: deposit exists')
    WHERE EXISTS (SELECT 1 FROM deposits WHERE account_id = NEW.account_id AND id = NEW.id)
      OR EXISTS (SELECT 1 FROM deposits WHERE account_id = NEW.account_id AND reference = NEW.reference)
      OR EXISTS (
        SELECT 1 FROM deposits
        WHERE network = NEW.network AND tx_hash = NEW.tx_hash AND output_index = NEW.output_index);
  SELECT RAISE(ABORT, 'guard: no withdrawal has this receipt')
    WHERE NEW.withdrawal_id IS NOT NULL AND NOT (length(NEW.id) = 36 AND length(NEW.withdrawal_id) = 36
      AND substr(NEW.withdrawal_id, 16, 3) <> substr(NEW.id, 16, 3)) AND NOT EXISTS (
      SELECT 1 FROM withdrawals
      WHERE id = NEW.withdrawal_id AND recipient = NEW.account_id AND receipt_id = NEW.id AND asset = NEW.asset
        AND amount = NEW.amount AND usd_value = NEW.usd_value AND paid_transfer = NEW.transfer);
  SELECT RAISE(ABORT, 'guard: a deposit names the next transfer')
    WHERE NEW.status = 'COMPLETED' AND (NEW.withdrawal_id IS NULL OR (length(NEW.id) = 36 AND length(NEW.withdrawal_id) = 36
      AND substr(NEW.withdrawal_id, 16, 3) <> substr(NEW.id, 16, 3)))
      AND NEW.transfer IS NOT (SELECT coalesce(max(id), 0) + 1 FROM transfers);
END;

CREATE TRIGGER deposits_begin_undecided BEFORE INSERT ON deposits
WHEN NEW.decision IS NOT NULL
BEGIN
  SELECT RAISE(ABORT, 'guard: a deposit begins undecided');
END;

CREATE TRIGGER deposits_go_where_accounts_are BEFORE INSERT ON deposits
WHEN EXISTS (SELECT 1 FROM accounts WHERE id = NEW.account_id AND moved_to IS NOT NULL)
BEGIN
  SELECT RAISE(ABORT, 'guard: account_moved');
END;

CREATE TRIGGER deposits_leave_dust AFTER UPDATE ON deposits
WHEN OLD.reason IS 'below_minimum' AND NEW.reason IS NOT 'below_minimum'
BEGIN
  UPDATE dust SET
    deposits = deposits - 1,
    units = units - CAST(OLD.exact_amount AS INTEGER),
    billionths = billionths
      - CAST(substr(OLD.exact_amount || '000000000000000000', instr(OLD.exact_amount || '.', '.') + 1, 9) AS INTEGER),
    quintillionths = quintillionths
      - CAST(substr(OLD.exact_amount || '000000000000000000', instr(OLD.exact_amount || '.', '.') + 10, 9) AS INTEGER)
    WHERE asset = OLD.asset AND network = OLD.network;
END;

CREATE TRIGGER deposits_move_money AFTER INSERT ON deposits
WHEN NEW.status = 'COMPLETED' AND NEW.withdrawal_id IS NULL
BEGIN
  INSERT INTO transfers (id, debit, credit, asset, amount, kind, reference)
    VALUES (NEW.transfer, 'house:custody', NEW.account_id, NEW.asset, NEW.amount, 'deposit', NEW.id);
END;

CREATE TRIGGER deposits_move_money_later AFTER UPDATE ON deposits
WHEN NEW.status = 'COMPLETED'
BEGIN
  INSERT INTO transfers (id, debit, credit, asset, amount, kind, reference)
    VALUES (NEW.transfer, 'house:custody', NEW.account_id, NEW.asset, NEW.amount, 'deposit', NEW.id);
END;

CREATE TRIGGER deposits_move_on BEFORE UPDATE ON deposits
BEGIN
  SELECT RAISE(ABORT, 'guard: deposit_settled') WHERE OLD.status IN ('COMPLETED', 'FAILED');
  SELECT RAISE(ABORT, 'guard: a deposit keeps what it is')
    WHERE NEW.account_id IS NOT OLD.account_id OR NEW.id IS NOT OLD.id OR NEW.type IS NOT OLD.type
      OR NEW.asset IS NOT OLD.asset OR NEW.amount IS NOT OLD.amount OR NEW.usd_value IS NOT OLD.usd_value
      OR NEW.reference IS NOT OLD.reference OR NEW.withdrawal_id IS NOT OLD.withdrawal_id
      OR NEW.network IS NOT OLD.network OR NEW.tx_hash IS NOT OLD.tx_hash
      OR NEW.output_index IS NOT OLD.output_index OR NEW.address IS NOT OLD.address
      OR NEW.exact_amount IS NOT OLD.exact_amount OR NEW.status IS NULL
      OR (OLD.status = 'QUARANTINED' AND NEW.status = 'PENDING');
  SELECT RAISE(ABORT, 'guard: a deposit names the next transfer')
    WHERE NEW.status = 'COMPLETED' AND NEW.transfer IS NOT (SELECT coalesce(max(id), 0) + 1 FROM transfers);
END;

CREATE TRIGGER deposits_stay_decided BEFORE UPDATE OF status ON deposits
WHEN OLD.decision IS NOT NULL AND NEW.status IS NOT OLD.status
BEGIN
  SELECT RAISE(ABORT, 'guard: quarantine_decided') WHERE OLD.decision IS 'CREDITED' OR NEW.status IS NOT 'FAILED';
END;

CREATE TRIGGER deposits_tell AFTER INSERT ON deposits
WHEN NEW.reason IS NOT 'below_minimum'
BEGIN
  INSERT INTO events (account_id, sequence, type, subject)
    SELECT account_id, sequence, 'deposit.' || lower(NEW.status),
      iif(account_id = 'operator', NEW.account_id || '/' || NEW.id, NEW.id)
    FROM next_events WHERE account_id IN (NEW.account_id, 'operator');
END;

CREATE TRIGGER deposits_tell_their_steps AFTER UPDATE ON deposits
WHEN NEW.status IS NOT OLD.status
BEGIN
  INSERT INTO events (account_id, sequence, type, subject)
    SELECT account_id, sequence, 'deposit.' || lower(NEW.status),
      iif(account_id = 'operator', NEW.account_id || '/' || NEW.id, NEW.id)
    FROM next_events WHERE account_id IN (NEW.account_id, 'operator');
END;

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

CREATE TRIGGER large_credits_are_given_by_two BEFORE INSERT ON deposits
WHEN NEW.status = 'COMPLETED' AND NEW.withdrawal_id IS NULL
  AND EXISTS (SELECT 1 FROM two_admins)
  AND NEW.amount > (SELECT CAST(approval_above ->> NEW.asset AS INTEGER) FROM settings)
  AND (NEW.network IS NULL OR (SELECT role FROM audit ORDER BY id DESC LIMIT 1) <> 'deposits')
  AND NOT EXISTS (
    SELECT 1 FROM approved_change
    WHERE (action = 'credit_account' AND target = NEW.account_id) OR (action = 'report_deposit' AND target = NEW.id)
      OR (action = 'credit_deposit' AND 'quarantine ' || target = NEW.reference))
BEGIN
  SELECT RAISE(ABORT, 'guard: two_people_needed');
END;

CREATE TRIGGER large_deposits_are_credited_by_two BEFORE UPDATE OF status ON deposits
WHEN NEW.status = 'COMPLETED'
  AND EXISTS (SELECT 1 FROM two_admins)
  AND NEW.amount > (SELECT CAST(approval_above ->> NEW.asset AS INTEGER) FROM settings)
  AND (SELECT role FROM audit ORDER BY id DESC LIMIT 1) <> 'deposits'
  AND NOT EXISTS (SELECT 1 FROM approved_change WHERE action = 'report_deposit' AND target = NEW.id)
BEGIN
  SELECT RAISE(ABORT, 'guard: two_people_needed');
END;

CREATE TRIGGER receipts_from_other_ledgers_are_guarded BEFORE INSERT ON deposits
WHEN (length(NEW.id) = 36 AND length(NEW.withdrawal_id) = 36
      AND substr(NEW.withdrawal_id, 16, 3) <> substr(NEW.id, 16, 3))
BEGIN
  SELECT RAISE(ABORT, 'guard: withdrawals_suspended')
    WHERE NOT EXISTS (SELECT 1 FROM settings WHERE id = 1 AND withdrawals_halted = 0);
END;

CREATE TRIGGER receipts_move_money_between_ledgers AFTER INSERT ON deposits
WHEN (length(NEW.id) = 36 AND length(NEW.withdrawal_id) = 36
      AND substr(NEW.withdrawal_id, 16, 3) <> substr(NEW.id, 16, 3))
BEGIN
  INSERT INTO movements (account_id, id, half, asset, amount, ledger, peer, purpose, transfer, record_id) VALUES (
    NEW.account_id, NEW.id, 'IN', NEW.asset, NEW.amount, (('0x' || substr(NEW.id, 16, 3)) ->> '$'), (('0x' || substr(NEW.withdrawal_id, 16, 3)) ->> '$'), 'WITHDRAWAL',
    NEW.transfer, NEW.withdrawal_id);
END;

CREATE TABLE dust (
  asset TEXT NOT NULL,
  network TEXT NOT NULL,
  deposits INTEGER NOT NULL DEFAULT 0 CHECK (deposits >= 0),
  units INTEGER NOT NULL DEFAULT 0 CHECK (units >= 0),
  billionths INTEGER NOT NULL DEFAULT 0 CHECK (billionths >= 0),
  quintillionths INTEGER NOT NULL DEFAULT 0 CHECK (quintillionths >= 0),
  PRIMARY KEY (asset, network)
) STRICT, WITHOUT ROWID;

CREATE TABLE events (
  account_id TEXT NOT NULL,
  -- 1, 2, 3 and so on for each account, in the order of commits.
  sequence INTEGER NOT NULL,
  type TEXT NOT NULL,
  -- The id of the record that it is about.
  subject TEXT NOT NULL,
  -- What is shown, a JSON object, where no record is left that could be read; else NULL.
  detail TEXT CHECK (json_valid(detail)),
  -- By the database's own clock.
  ts INTEGER NOT NULL DEFAULT (CAST(unixepoch('subsec') * 1000 AS INTEGER)),
  PRIMARY KEY (account_id, sequence)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER events_are_explained BEFORE INSERT ON events
WHEN NOT CASE
  WHEN NEW.detail IS NOT NULL THEN
    NEW.type = 'endpoint.disabled'
    OR (NEW.account_id IS NOT 'operator' AND (
      NEW.type IN ('allowlist.added', 'allowlist.removed')
      OR (NEW.type GLOB 'security.?*' AND NEW.type NOT IN ('security.totp_on', 'security.totp_off'))))
  WHEN NEW.account_id = 'operator' THEN CASE
    WHEN NEW.type = 'audit.added' THEN EXISTS (
      SELECT 1 FROM audit WHERE id = CAST(NEW.subject AS INTEGER) AND CAST(id AS TEXT) = NEW.subject)
    WHEN NEW.type GLOB 'deposit.*' THEN EXISTS (
      SELECT 1 FROM deposits
      WHERE account_id = substr(NEW.subject, 1, instr(NEW.subject, '/') - 1)
        AND id = substr(NEW.subject, instr(NEW.subject, '/') + 1) AND NEW.type = 'deposit.' || lower(status))
    WHEN NEW.type GLOB 'withdrawal.*' THEN EXISTS (
      SELECT 1 FROM withdrawals
      WHERE account_id = substr(NEW.subject, 1, instr(NEW.subject, '/') - 1)
        AND id = substr(NEW.subject, instr(NEW.subject, '/') + 1) AND NEW.type = 'withdrawal.' || lower(status))
    ELSE 0
  END
  WHEN NEW.type = 'order.filled' THEN EXISTS (
    SELECT 1 FROM orders WHERE account_id = NEW.account_id AND id = NEW.subject AND status = 'COMPLETED')
  WHEN NEW.type GLOB 'deposit.*' THEN EXISTS (
    SELECT 1 FROM deposits
    WHERE account_id = NEW.account_id AND id = NEW.subject AND NEW.type = 'deposit.' || lower(status))
  WHEN NEW.type GLOB 'withdrawal.*' THEN EXISTS (
    SELECT 1 FROM withdrawals
    WHERE account_id = NEW.account_id AND id = NEW.subject AND NEW.type = 'withdrawal.' || lower(status))
  WHEN NEW.type = 'settlement.completed' THEN EXISTS (
    SELECT 1 FROM settlements WHERE account_id = NEW.account_id AND id = NEW.subject)
  WHEN NEW.type IN ('account.frozen', 'account.thawed') THEN EXISTS (
    SELECT 1 FROM accounts
    WHERE id = NEW.account_id AND id = NEW.subject AND NEW.type = 'account.' || iif(status = 'frozen', 'frozen', 'thawed'))
  WHEN NEW.type IN ('security.totp_on', 'security.totp_off') THEN EXISTS (
    SELECT 1 FROM totp
    WHERE account_id = NEW.account_id AND account_id = NEW.subject
      AND NEW.type = 'security.totp_' || iif(confirmed_at IS NULL, 'off', 'on'))
  WHEN NEW.type IN ('key.created', 'key.revoked') THEN EXISTS (
    SELECT 1 FROM api_keys
    WHERE id = NEW.subject AND account_id = NEW.account_id
      AND NEW.type = 'key.' || iif(revoked_at IS NULL, 'created', 'revoked'))
  ELSE 0
END
BEGIN
  SELECT RAISE(ABORT, 'guard: no record explains the event');
END;

CREATE TRIGGER events_are_kept BEFORE DELETE ON events
WHEN OLD.ts > unixepoch('subsec') * 1000 - 7776000000
  OR EXISTS (SELECT 1 FROM events WHERE account_id = OLD.account_id AND sequence < OLD.sequence)
  OR NOT EXISTS (SELECT 1 FROM events WHERE account_id = OLD.account_id AND sequence > OLD.sequence)
BEGIN
  SELECT RAISE(ABORT, 'guard: an event is kept for 90 days, and the newest for good');
END;

CREATE TRIGGER events_are_not_changed BEFORE UPDATE ON events
BEGIN
  SELECT RAISE(ABORT, 'guard: an event is never changed');
END;

CREATE TRIGGER events_are_numbered BEFORE INSERT ON events
WHEN NEW.sequence IS NOT (
  SELECT coalesce((SELECT max(sequence) FROM events WHERE account_id = NEW.account_id), since) + 1
  FROM listeners WHERE account_id = NEW.account_id)
BEGIN
  SELECT RAISE(ABORT, 'guard: an event takes the next number of an account that listens');
END;

CREATE TABLE listeners (
  -- An account's id, or 'operator'.
  account_id TEXT PRIMARY KEY NOT NULL,
  since INTEGER NOT NULL DEFAULT 0 CHECK (since >= 0)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER listeners_are_not_changed BEFORE UPDATE ON listeners
BEGIN
  SELECT RAISE(ABORT, 'guard: a listener is never changed');
END;

CREATE TRIGGER listeners_are_not_deleted BEFORE DELETE ON listeners
BEGIN
  SELECT RAISE(ABORT, 'guard: a listener is never deleted');
END;

CREATE TRIGGER listeners_begin_once BEFORE INSERT ON listeners
BEGIN
  SELECT RAISE(ABORT, 'guard: listener exists')
    WHERE EXISTS (SELECT 1 FROM listeners WHERE account_id = NEW.account_id);
  SELECT RAISE(ABORT, 'guard: only an account and the operator listen')
    WHERE NEW.account_id IS NOT 'operator' AND NOT EXISTS (SELECT 1 FROM accounts WHERE id = NEW.account_id);
END;

CREATE TRIGGER listeners_go_where_accounts_are BEFORE INSERT ON listeners
WHEN EXISTS (SELECT 1 FROM accounts WHERE id = NEW.account_id AND moved_to IS NOT NULL)
BEGIN
  SELECT RAISE(ABORT, 'guard: account_moved');
END;

CREATE TABLE movements (
  -- Who gives or receives it in this ledger.
  account_id TEXT NOT NULL,
  id TEXT NOT NULL,
  half TEXT NOT NULL CHECK (half IN ('OUT', 'IN')),
  asset TEXT NOT NULL,
  amount INTEGER NOT NULL CHECK (amount > 0),
  -- The numbers of this ledger and of the one that has the other half.
  ledger INTEGER NOT NULL CHECK (ledger BETWEEN 0 AND 4095),
  peer INTEGER NOT NULL CHECK (peer BETWEEN 0 AND 4095),
  -- What it is for. A trigger checks it, since adding one to a CHECK would copy the whole table.
  --   INVENTORY   the house's own, between 'house:liquidity' of both ledgers
  purpose TEXT NOT NULL,
  -- The number of its transfer.
  transfer INTEGER NOT NULL, record_id TEXT,
  PRIMARY KEY (account_id, id),
  CHECK (ledger <> peer)
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX movements_by_id ON movements (id);

CREATE UNIQUE INDEX movements_by_peer ON movements (peer, transfer);

CREATE TRIGGER inventory_is_kept_to_half BEFORE INSERT ON movements
WHEN NEW.purpose = 'INVENTORY' AND NEW.half = 'OUT'
  AND NOT EXISTS (SELECT 1 FROM movements WHERE id = NEW.id)
  AND EXISTS (
    SELECT 1 FROM balances
    WHERE account = 'house:liquidity' AND asset = NEW.asset AND 2 * (amount - NEW.amount) < floor)
BEGIN
  SELECT RAISE(ABORT, 'guard: inventory_needed');
END;

CREATE TRIGGER movements_are_guarded BEFORE INSERT ON movements
BEGIN
  SELECT RAISE(ABORT, 'guard: movement exists')
    WHERE EXISTS (SELECT 1 FROM movements WHERE id = NEW.id);
  SELECT RAISE(ABORT, 'guard: movement_refused')
    WHERE EXISTS (SELECT 1 FROM refused_movements WHERE id = NEW.id);
  SELECT RAISE(ABORT, 'guard: a movement is for something')
    WHERE NOT CASE NEW.purpose
      WHEN 'INVENTORY' THEN NEW.account_id = 'house:liquidity' AND NEW.record_id IS NULL
      WHEN 'WITHDRAWAL' THEN CASE NEW.half
        WHEN 'OUT' THEN NEW.account_id = 'house:payouts' AND EXISTS (
          SELECT 1 FROM withdrawals
          WHERE id = NEW.record_id AND movement = NEW.id AND paid_transfer = NEW.transfer AND asset = NEW.asset
            AND amount = NEW.amount)
        ELSE EXISTS (
          SELECT 1 FROM deposits
          WHERE account_id = NEW.account_id AND id = NEW.id AND withdrawal_id = NEW.record_id
            AND transfer = NEW.transfer AND asset = NEW.asset AND amount = NEW.amount)
      END
      WHEN 'SETTLEMENT' THEN CASE NEW.account_id
        WHEN 'house:payouts' THEN NEW.half = 'OUT' AND NEW.asset = 'USDT' AND EXISTS (
          SELECT 1 FROM settlement_holds
          WHERE id = NEW.record_id AND status = 'PAID' AND usdt_movement = NEW.id AND usdt_amount = NEW.amount)
        ELSE EXISTS (
          SELECT 1 FROM settlements
          WHERE account_id = NEW.account_id AND id = NEW.record_id AND CASE NEW.id
            WHEN usdt_movement THEN type = 'P2P_SELL' AND NEW.half = 'IN' AND NEW.asset = 'USDT'
              AND NEW.amount = usdt_amount AND NEW.transfer = first_transfer
            WHEN coin_movement THEN NEW.half = iif(type = 'P2P_BUY', 'IN', 'OUT') AND NEW.asset = coin
              AND NEW.amount = coin_amount AND NEW.transfer = first_transfer + 1
            ELSE 0
          END)
      END
      -- All that an account has leaves with it, and comes in before anything else does.
      WHEN 'ACCOUNT' THEN NEW.record_id = NEW.account_id AND NEW.id = NEW.account_id || '/' || NEW.asset AND EXISTS (
        SELECT 1 FROM accounts JOIN balances ON balances.account = accounts.id AND balances.asset = NEW.asset
        WHERE accounts.id = NEW.account_id AND CASE NEW.half
          WHEN 'OUT' THEN accounts.moved_to = NEW.peer AND balances.amount = NEW.amount
          ELSE accounts.moved_from = NEW.peer AND accounts.status = 'frozen' AND balances.last_transfer = 0
        END)
      ELSE 0
    END;
  SELECT RAISE(ABORT, 'guard: the halves of a ledger have its number')
    WHERE NEW.ledger <> (SELECT ledger FROM movements LIMIT 1);
  SELECT RAISE(ABORT, 'guard: a movement names the next transfer')
    WHERE NEW.transfer IS NOT (SELECT coalesce(max(id), 0) + 1 FROM transfers);
END;

CREATE TRIGGER movements_are_not_changed BEFORE UPDATE ON movements
BEGIN
  SELECT RAISE(ABORT, 'guard: a movement is never changed');
END;

CREATE TRIGGER movements_are_not_deleted BEFORE DELETE ON movements
BEGIN
  SELECT RAISE(ABORT, 'guard: a movement is never deleted');
END;

CREATE TRIGGER movements_move_money AFTER INSERT ON movements
BEGIN
  INSERT INTO transfers (id, debit, credit, asset, amount, kind, reference) VALUES (
    NEW.transfer, iif(NEW.half = 'OUT', NEW.account_id, 'house:transit'),
    iif(NEW.half = 'OUT', 'house:transit', NEW.account_id), NEW.asset, NEW.amount, 'movement', NEW.id);
END;

CREATE VIEW newest_grant AS
  SELECT g.* FROM audit AS a JOIN quota_grants AS g ON g.id = a.target
  WHERE a.id = (SELECT max(id) FROM audit) AND a.action = 'grant_quota';

CREATE VIEW next_events AS
  SELECT account_id,
    coalesce((SELECT max(sequence) FROM events WHERE events.account_id = listeners.account_id), since) + 1 AS sequence
  FROM listeners;

CREATE VIEW obstacles_of_moves AS
  SELECT id AS account_id,
    coalesce((
      SELECT (('0x' || substr(max(id), 1, 8) || substr(max(id), 10, 4)) ->> '$') + 172800000 FROM withdrawals
      WHERE account_id = accounts.id), 0) AS withdrawal,
    iif(EXISTS (
      SELECT 1 FROM withdrawals
      WHERE status IN ('PENDING', 'PROCESSING') AND accounts.id IN (account_id, recipient, peer_recipient)),
      9007199254740991, 0) AS open_withdrawal,
    iif(EXISTS (
      SELECT 1 FROM deposits
      WHERE status IN ('PENDING', 'QUARANTINED') AND reason IS NOT 'below_minimum' AND decision IS NULL
        AND account_id = accounts.id), 9007199254740991, 0) AS open_deposit,
    iif(EXISTS (
      SELECT 1 FROM settlement_holds WHERE status = 'HELD' AND account_id = accounts.id),
      9007199254740991, 0) AS open_trade,
    coalesce((
      SELECT max(expires_at) FROM proposals
      WHERE status = 'OPEN' AND (instr(path, accounts.id) > 0 OR instr(body, accounts.id) > 0)), 0) AS open_proposal,
    coalesce((SELECT expires_at FROM allowed_recoveries WHERE account_id = accounts.id), 0) AS allowed_recovery,
    iif(EXISTS (
      SELECT 1 FROM webhook_endpoints
      WHERE account_id = accounts.id AND status = 'enabled'
        AND delivered < (SELECT max(sequence) FROM events WHERE events.account_id = accounts.id)),
      9007199254740991, 0) AS unsent_events
  FROM accounts;

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

CREATE TABLE orders (
  account_id TEXT NOT NULL REFERENCES accounts (id),
  id TEXT NOT NULL,
  coin TEXT NOT NULL,
  side TEXT NOT NULL CHECK (side IN ('BUY', 'SELL')),
  -- USDT per coin, 8 decimals.
  executed_price INTEGER NOT NULL CHECK (executed_price > 0),
  coin_amount INTEGER NOT NULL CHECK (coin_amount > 0),
  usdt_amount INTEGER NOT NULL CHECK (usdt_amount > 0),
  status TEXT NOT NULL CHECK (status IN ('COMPLETED', 'FAILED')),
  -- The round of prices at which it was filled, and the API key that placed it.
  price_round INTEGER NOT NULL,
  key_id TEXT NOT NULL,
  -- The number of the transfer by which the account pays; by the next one it receives. NULL when nothing moved.
  first_transfer INTEGER, middle_price INTEGER,
  PRIMARY KEY (account_id, id),
  CHECK ((status = 'COMPLETED') = (first_transfer IS NOT NULL))
) STRICT, WITHOUT ROWID;

CREATE TRIGGER orders_are_guarded BEFORE INSERT ON orders
BEGIN
  SELECT RAISE(ABORT, 'guard: order exists, of order ' || NEW.id)
    WHERE EXISTS (SELECT 1 FROM orders WHERE account_id = NEW.account_id AND id = NEW.id);
  SELECT RAISE(ABORT, 'guard: key_revoked of order ' || NEW.id)
    WHERE NOT EXISTS (
      SELECT 1 FROM api_keys WHERE id = NEW.key_id AND account_id = NEW.account_id AND revoked_at IS NULL);
  SELECT RAISE(ABORT, 'guard: key_expired ' || expires_at || ' of order ' || NEW.id) FROM api_keys
    WHERE id = NEW.key_id AND expires_at IS NOT NULL
      AND printf('%08x-%04x', expires_at >> 16, expires_at & 65535) <= substr(NEW.id, 1, 13);
  SELECT RAISE(ABORT, 'guard: account_frozen of order ' || NEW.id)
    WHERE NOT EXISTS (SELECT 1 FROM accounts WHERE id = NEW.account_id AND status = 'active');
  SELECT RAISE(ABORT, 'guard: trading_halted of order ' || NEW.id)
    WHERE NOT EXISTS (SELECT 1 FROM settings WHERE id = 1 AND trading_halted = 0);
  -- The coin is listed, and the two amounts agree with the price to within one atom of each. The reconciliation checks this
  -- exactly, which takes 128 bits. An atom of the coin is worth price / (unit * 100) atoms of USDT.
  SELECT RAISE(ABORT, 'guard: no such coin, or not at this price, of order ' || NEW.id)
    WHERE NEW.coin IS 'USDT' OR NOT EXISTS (
      SELECT 1 FROM assets
      WHERE asset = NEW.coin
        AND abs(NEW.usdt_amount - 1.0 * NEW.coin_amount * NEW.executed_price / (100.0 * unit))
          <= 1.0 + NEW.executed_price / (100.0 * unit) + NEW.usdt_amount * 1e-9);
  SELECT RAISE(ABORT, 'guard: price_overtaken of order ' || NEW.id)
    WHERE NOT EXISTS (
      SELECT 1 FROM balances
      WHERE account = 'house:liquidity' AND asset = NEW.coin AND price_round <= NEW.price_round);
  SELECT RAISE(ABORT, 'guard: an order names the next transfers, of order ' || NEW.id)
    WHERE NEW.status = 'COMPLETED' AND NEW.first_transfer IS NOT (SELECT coalesce(max(id), 0) + 1 FROM transfers);
END;

CREATE TRIGGER orders_are_not_changed BEFORE UPDATE ON orders
BEGIN
  SELECT RAISE(ABORT, 'guard: an order is never changed');
END;

CREATE TRIGGER orders_are_not_deleted BEFORE DELETE ON orders
BEGIN
  SELECT RAISE(ABORT, 'guard: an order is never deleted');
END;

CREATE TRIGGER orders_fill_beside_the_middle BEFORE INSERT ON orders
WHEN NEW.middle_price IS NOT NULL
BEGIN
  SELECT RAISE(ABORT, 'guard: an order fills on the house''s side of the middle price')
    WHERE NEW.middle_price <= 0
      OR NEW.executed_price < iif(NEW.side = 'BUY', NEW.middle_price, 0)
      OR NEW.executed_price > iif(NEW.side = 'BUY', NEW.executed_price, NEW.middle_price);
END;

CREATE TRIGGER orders_move_money AFTER INSERT ON orders
WHEN NEW.status = 'COMPLETED'
BEGIN
  INSERT INTO transfers (id, debit, credit, asset, amount, kind, reference) VALUES (
    NEW.first_transfer, NEW.account_id, 'house:liquidity', iif(NEW.side = 'BUY', 'USDT', NEW.coin),
    iif(NEW.side = 'BUY', NEW.usdt_amount, NEW.coin_amount), 'order', NEW.id);
  INSERT INTO transfers (id, debit, credit, asset, amount, kind, reference) VALUES (
    NEW.first_transfer + 1, 'house:liquidity', NEW.account_id, iif(NEW.side = 'BUY', NEW.coin, 'USDT'),
    iif(NEW.side = 'BUY', NEW.coin_amount, NEW.usdt_amount), 'order', NEW.id);
END;

CREATE TRIGGER orders_tell AFTER INSERT ON orders
WHEN NEW.status = 'COMPLETED'
BEGIN
  INSERT INTO events (account_id, sequence, type, subject)
    SELECT account_id, sequence, 'order.filled', NEW.id FROM next_events WHERE account_id = NEW.account_id;
END;

CREATE TABLE payout_claims (
  account_id TEXT NOT NULL,
  withdrawal_id TEXT NOT NULL,
  -- The e-mail of a person, or the name of a token.
  claimed_by TEXT NOT NULL,
  claimed_at INTEGER NOT NULL,
  PRIMARY KEY (account_id, withdrawal_id),
  FOREIGN KEY (account_id, withdrawal_id) REFERENCES withdrawals (account_id, id)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER payout_claims_are_for_the_custodian BEFORE INSERT ON payout_claims
WHEN EXISTS (
  SELECT 1 FROM withdrawals
  WHERE account_id = NEW.account_id AND id = NEW.withdrawal_id AND peer_recipient IS NOT NULL)
BEGIN
  SELECT RAISE(ABORT, 'guard: withdrawal_settled');
END;

CREATE TRIGGER payout_claims_are_kept BEFORE DELETE ON payout_claims
BEGIN
  SELECT RAISE(ABORT, 'guard: withdrawal_settled')
    WHERE NOT EXISTS (
      SELECT 1 FROM withdrawals
      WHERE account_id = OLD.account_id AND id = OLD.withdrawal_id AND status = 'PROCESSING');
END;

CREATE TRIGGER payout_claims_are_made_once BEFORE INSERT ON payout_claims
BEGIN
  SELECT RAISE(ABORT, 'guard: payout claim exists')
    WHERE EXISTS (
      SELECT 1 FROM payout_claims WHERE account_id = NEW.account_id AND withdrawal_id = NEW.withdrawal_id);
  SELECT RAISE(ABORT, 'guard: withdrawal_settled')
    WHERE NOT EXISTS (
      SELECT 1 FROM withdrawals
      WHERE account_id = NEW.account_id AND id = NEW.withdrawal_id AND status = 'PROCESSING');
  SELECT RAISE(ABORT, 'guard: account_frozen')
    WHERE NOT EXISTS (SELECT 1 FROM accounts WHERE id = NEW.account_id AND status = 'active');
  SELECT RAISE(ABORT, 'guard: withdrawals_suspended')
    WHERE NOT EXISTS (SELECT 1 FROM settings WHERE id = 1 AND withdrawals_halted = 0)
      OR EXISTS (
        SELECT 1 FROM withdrawals, settings, json_each(settings.paused_networks) AS paused
        WHERE withdrawals.account_id = NEW.account_id AND withdrawals.id = NEW.withdrawal_id
          AND paused.value = withdrawals.network);
END;

CREATE TRIGGER payout_claims_are_not_changed BEFORE UPDATE ON payout_claims
BEGIN
  SELECT RAISE(ABORT, 'guard: a claim of a payout is never changed');
END;

CREATE TABLE proposals (
  id TEXT PRIMARY KEY NOT NULL,
  method TEXT NOT NULL CHECK (method IN ('POST', 'PUT', 'PATCH', 'DELETE')),
  path TEXT NOT NULL,
  body TEXT NOT NULL,
  -- The SHA-256 of the three, in hex.
  digest TEXT NOT NULL,
  -- What a person must be allowed to do to decide it; src/operator/roles.ts says who is.
  duty TEXT NOT NULL,
  -- The e-mail of a person, or the name of a token.
  proposed_by TEXT NOT NULL,
  proposed_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('OPEN', 'APPROVED', 'DECLINED', 'EXPIRED')),
  -- Both NULL while it is open; nobody decides one that expired.
  decided_by TEXT,
  decided_at INTEGER,
  -- Why it was declined.
  reason TEXT,
  CHECK ((status = 'OPEN') = (decided_at IS NULL)),
  CHECK ((status IN ('APPROVED', 'DECLINED')) = (decided_by IS NOT NULL)),
  CHECK ((status = 'DECLINED') = (reason IS NOT NULL))
) STRICT, WITHOUT ROWID;

CREATE INDEX proposals_by_status ON proposals (status, id);

CREATE UNIQUE INDEX proposals_once ON proposals (digest) WHERE status = 'OPEN';

CREATE TRIGGER proposals_are_decided_once BEFORE UPDATE ON proposals
BEGIN
  SELECT RAISE(ABORT, 'guard: a proposal keeps what it is')
    WHERE NEW.id IS NOT OLD.id OR NEW.method IS NOT OLD.method OR NEW.path IS NOT OLD.path OR NEW.body IS NOT OLD.body
      OR NEW.digest IS NOT OLD.digest OR NEW.duty IS NOT OLD.duty OR NEW.proposed_by IS NOT OLD.proposed_by
      OR NEW.proposed_at IS NOT OLD.proposed_at OR NEW.expires_at IS NOT OLD.expires_at;
  SELECT RAISE(ABORT, 'guard: proposal_decided') WHERE OLD.status IS NOT 'OPEN' OR NEW.status IS 'OPEN';
  SELECT RAISE(ABORT, 'guard: a proposal expires after 24 hours')
    WHERE NEW.status IS 'EXPIRED' AND NEW.decided_at < OLD.expires_at;
  SELECT RAISE(ABORT, 'guard: proposal_expired') WHERE NEW.status IS 'APPROVED' AND NEW.decided_at >= OLD.expires_at;
  SELECT RAISE(ABORT, 'guard: proposed_by_oneself')
    WHERE NEW.status IS 'APPROVED' AND NEW.decided_by IS OLD.proposed_by;
  SELECT RAISE(ABORT, 'guard: an approval is the change itself')
    WHERE NEW.status IS 'APPROVED' AND NOT EXISTS (
      SELECT 1 FROM audit
      WHERE id = (SELECT max(id) FROM audit) AND proposal = NEW.id AND request = NEW.digest AND actor = NEW.decided_by);
END;

CREATE TRIGGER proposals_are_kept BEFORE DELETE ON proposals
BEGIN
  SELECT RAISE(ABORT, 'guard: a proposal is never deleted');
END;

CREATE TRIGGER proposals_begin_open BEFORE INSERT ON proposals
BEGIN
  SELECT RAISE(ABORT, 'guard: proposal exists')
    WHERE EXISTS (SELECT 1 FROM proposals WHERE id = NEW.id)
      OR EXISTS (SELECT 1 FROM proposals WHERE digest = NEW.digest AND status = 'OPEN');
  SELECT RAISE(ABORT, 'guard: a proposal begins open, for 24 hours')
    WHERE NEW.status IS NOT 'OPEN' OR NEW.expires_at IS NOT NEW.proposed_at + 86400000;
END;

CREATE TABLE quota_grants (
  -- The same in both ledgers.
  id TEXT PRIMARY KEY NOT NULL,
  giver INTEGER NOT NULL,
  receiver INTEGER NOT NULL,
  -- Whose floor: of 'house:custody' it is the supply cap, of 'house:liquidity' the exposure.
  account TEXT NOT NULL CHECK (account IN ('house:liquidity', 'house:custody')),
  asset TEXT NOT NULL,
  amount INTEGER NOT NULL CHECK (amount > 0),
  -- The floor of this ledger after it.
  floor INTEGER NOT NULL CHECK (floor <= 0),
  -- In ledger 0: what the other ledger has been given and has not given back, after it. NULL in the other ledger.
  given INTEGER CHECK (given >= 0),
  -- Whether the receiver has it.
  received INTEGER NOT NULL CHECK (received IN (0, 1)),
  CHECK (giver <> receiver AND min(giver, receiver) = 0)
) STRICT, WITHOUT ROWID;

CREATE INDEX quota_grants_open ON quota_grants (id) WHERE received = 0;

CREATE TRIGGER quota_grants_are_kept BEFORE DELETE ON quota_grants
BEGIN
  SELECT RAISE(ABORT, 'guard: a grant is never deleted');
END;

CREATE TRIGGER quota_grants_are_made_once BEFORE INSERT ON quota_grants
BEGIN
  SELECT RAISE(ABORT, 'guard: grant exists') WHERE EXISTS (SELECT 1 FROM quota_grants WHERE id = NEW.id);
  SELECT RAISE(ABORT, 'guard: no audit row names the grant')
    WHERE NOT EXISTS (
      SELECT 1 FROM audit WHERE id = (SELECT max(id) FROM audit) AND action = 'grant_quota' AND target = NEW.id);
  SELECT RAISE(ABORT, 'guard: a grant is between this ledger and another')
    WHERE (SELECT ledger FROM settings) NOT IN (NEW.giver, NEW.receiver)
      OR NEW.received IS NOT (SELECT ledger = NEW.receiver FROM settings);
  SELECT RAISE(ABORT, 'guard: a grant changes the floor by its amount')
    WHERE NEW.floor IS NOT (
      SELECT floor + iif(NEW.received, -NEW.amount, NEW.amount) FROM balances
      WHERE account = NEW.account AND asset = NEW.asset);
  SELECT RAISE(ABORT, 'guard: a grant changes what was given by its amount')
    WHERE NEW.given IS NOT (
      SELECT CASE WHEN ledger = 0 THEN iif(NEW.received, -NEW.amount, NEW.amount) + coalesce((
        SELECT amount FROM quotas
        WHERE account = NEW.account AND asset = NEW.asset AND quotas.ledger = max(NEW.giver, NEW.receiver)), 0) END
      FROM settings);
  SELECT RAISE(ABORT, 'ledger: floor ' || NEW.account || ' ' || NEW.asset) WHERE NEW.floor > 0;
END;

CREATE TRIGGER quota_grants_are_not_changed BEFORE UPDATE ON quota_grants
WHEN NEW.id IS NOT OLD.id OR NEW.giver IS NOT OLD.giver OR NEW.receiver IS NOT OLD.receiver
  OR NEW.account IS NOT OLD.account OR NEW.asset IS NOT OLD.asset OR NEW.amount IS NOT OLD.amount
  OR NEW.floor IS NOT OLD.floor OR NEW.given IS NOT OLD.given OR NEW.received IS NOT 1
BEGIN
  SELECT RAISE(ABORT, 'guard: a grant is never changed');
END;

CREATE TRIGGER quota_grants_move_quotas AFTER INSERT ON quota_grants
BEGIN
  UPDATE balances SET floor = NEW.floor WHERE account = NEW.account AND asset = NEW.asset;
  INSERT INTO quotas (ledger, account, asset) SELECT max(NEW.giver, NEW.receiver), NEW.account, NEW.asset
    WHERE NEW.given IS NOT NULL AND NOT EXISTS (
      SELECT 1 FROM quotas
      WHERE account = NEW.account AND asset = NEW.asset AND ledger = max(NEW.giver, NEW.receiver));
  UPDATE quotas SET amount = NEW.given
    WHERE NEW.given IS NOT NULL AND account = NEW.account AND asset = NEW.asset
      AND ledger = max(NEW.giver, NEW.receiver);
END;

CREATE TABLE quotas (
  ledger INTEGER NOT NULL CHECK (ledger > 0),
  account TEXT NOT NULL,
  asset TEXT NOT NULL,
  amount INTEGER NOT NULL DEFAULT 0 CHECK (amount >= 0),
  PRIMARY KEY (account, asset, ledger)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER quotas_are_explained BEFORE UPDATE ON quotas
WHEN NOT EXISTS (
  SELECT 1 FROM newest_grant
  WHERE account = OLD.account AND account = NEW.account AND asset = OLD.asset AND asset = NEW.asset
    AND max(giver, receiver) = OLD.ledger AND max(giver, receiver) = NEW.ledger AND given = NEW.amount)
BEGIN
  SELECT RAISE(ABORT, 'guard: no grant explains the quota');
END;

CREATE TRIGGER quotas_are_kept BEFORE DELETE ON quotas
BEGIN
  SELECT RAISE(ABORT, 'guard: a quota is never deleted');
END;

CREATE TRIGGER quotas_begin_at_zero BEFORE INSERT ON quotas
WHEN NEW.amount IS NOT 0
  OR EXISTS (SELECT 1 FROM quotas WHERE account = NEW.account AND asset = NEW.asset AND ledger = NEW.ledger)
BEGIN
  SELECT RAISE(ABORT, 'guard: a quota begins once, at zero');
END;

CREATE TABLE reconciliation_violations (
  id TEXT PRIMARY KEY NOT NULL,
  invariant TEXT NOT NULL,
  pass INTEGER NOT NULL,
  found_at INTEGER NOT NULL,
  -- A JSON array of the first examples that were found.
  examples TEXT NOT NULL CHECK (json_valid(examples)),
  cleared_at INTEGER,
  -- The operator's reason for clearing it.
  reason TEXT,
  CHECK ((cleared_at IS NULL) = (reason IS NULL))
) STRICT, WITHOUT ROWID;

CREATE TRIGGER violations_are_cleared_by_two BEFORE UPDATE OF cleared_at ON reconciliation_violations
WHEN EXISTS (SELECT 1 FROM two_admins)
  AND NOT EXISTS (SELECT 1 FROM approved_change WHERE action = 'clear_violation' AND target = NEW.id)
BEGIN
  SELECT RAISE(ABORT, 'guard: two_people_needed');
END;

CREATE TRIGGER violations_are_cleared_once BEFORE UPDATE ON reconciliation_violations
BEGIN
  SELECT RAISE(ABORT, 'guard: violation_cleared') WHERE OLD.cleared_at IS NOT NULL;
  SELECT RAISE(ABORT, 'guard: a violation keeps what it is')
    WHERE NEW.id IS NOT OLD.id OR NEW.invariant IS NOT OLD.invariant OR NEW.pass IS NOT OLD.pass
      OR NEW.found_at IS NOT OLD.found_at OR NEW.examples IS NOT OLD.examples;
END;

CREATE TRIGGER violations_are_kept BEFORE DELETE ON reconciliation_violations
BEGIN
  SELECT RAISE(ABORT, 'guard: a violation is never deleted');
END;

CREATE TRIGGER violations_are_recorded_once BEFORE INSERT ON reconciliation_violations
WHEN NEW.cleared_at IS NOT NULL OR EXISTS (SELECT 1 FROM reconciliation_violations WHERE id = NEW.id)
BEGIN
  SELECT RAISE(ABORT, 'guard: violation exists');
END;

CREATE TABLE refused_movements (
  id TEXT PRIMARY KEY NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TRIGGER movements_are_refused_once BEFORE INSERT ON refused_movements
BEGIN
  SELECT RAISE(ABORT, 'guard: movement exists')
    WHERE EXISTS (SELECT 1 FROM movements WHERE id = NEW.id);
  SELECT RAISE(ABORT, 'guard: refusal exists')
    WHERE EXISTS (SELECT 1 FROM refused_movements WHERE id = NEW.id);
END;

CREATE TRIGGER refusals_are_not_changed BEFORE UPDATE ON refused_movements
BEGIN
  SELECT RAISE(ABORT, 'guard: a refusal is never changed');
END;

CREATE TRIGGER refusals_are_not_deleted BEFORE DELETE ON refused_movements
BEGIN
  SELECT RAISE(ABORT, 'guard: a refusal is never deleted');
END;

CREATE TABLE settings (
  id INTEGER PRIMARY KEY NOT NULL CHECK (id = 1),
  trading_halted INTEGER NOT NULL DEFAULT 0 CHECK (trading_halted IN (0, 1)),
  withdrawals_halted INTEGER NOT NULL DEFAULT 0 CHECK (withdrawals_halted IN (0, 1)),
  allowlist_mode TEXT CHECK (allowlist_mode IN ('off', 'strict')),
  -- A JSON array of networks.
  paused_networks TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(paused_networks)),
  -- In atoms of USDT. Withdrawals that take an account's sum of 24 hours above it wait for a review. NULL: none waits.
  review_threshold INTEGER CHECK (review_threshold >= 0),
  -- JSON objects by asset and network: the amounts, in the asset, that replace those of the asset records.
  fees TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(fees)),
  minimums TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(minimums)),
  spread_bps INTEGER CHECK (spread_bps BETWEEN 0 AND 1000),
  -- The prices that are shown for coins while no source answers, and when the operator set them: a JSON object such as
  -- {"BTC": {"price": "65000", "setAt": 1795241228900}}. A coin that is not in it has the price that ships with Bureau.
  fallback_prices TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(fallback_prices)),
  -- The same for the smallest deposits that are credited.
  deposit_minimums TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(deposit_minimums))
, approval_above TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(approval_above)), revision INTEGER NOT NULL DEFAULT 0 CHECK (revision >= 0), ledger INTEGER NOT NULL DEFAULT 0 CHECK (ledger BETWEEN 0 AND 4095), opening_weights TEXT NOT NULL DEFAULT '{"0":1}' CHECK (json_valid(opening_weights)), has_two_admins INTEGER NOT NULL DEFAULT 0 CHECK (has_two_admins IN (0, 1))) STRICT;

CREATE TRIGGER halts_stay_until_violations_are_cleared BEFORE UPDATE ON settings
WHEN (NEW.trading_halted IS NOT 1 OR NEW.withdrawals_halted IS NOT 1)
  AND EXISTS (SELECT 1 FROM reconciliation_violations WHERE cleared_at IS NULL)
BEGIN
  SELECT RAISE(ABORT, 'guard: violation_stands');
END;

CREATE TRIGGER settings_are_definite BEFORE UPDATE ON settings
WHEN NEW.trading_halted IS NULL OR NEW.withdrawals_halted IS NULL OR NEW.paused_networks IS NULL
  OR NEW.fees IS NULL OR NEW.minimums IS NULL OR NEW.deposit_minimums IS NULL
  OR NEW.fallback_prices IS NULL
BEGIN
  SELECT RAISE(ABORT, 'guard: a setting is never nothing');
END;

CREATE TRIGGER settings_are_kept BEFORE DELETE ON settings
BEGIN
  SELECT RAISE(ABORT, 'guard: the settings are never deleted');
END;

CREATE TRIGGER settings_are_not_overtaken BEFORE UPDATE ON settings
WHEN NEW.revision < OLD.revision
BEGIN
  SELECT RAISE(ABORT, 'guard: settings_overtaken');
END;

CREATE TRIGGER settings_are_one BEFORE INSERT ON settings
WHEN EXISTS (SELECT 1 FROM settings)
BEGIN
  SELECT RAISE(ABORT, 'guard: settings exist');
END;

CREATE TRIGGER settings_change_by_two BEFORE UPDATE ON settings
WHEN (
    (OLD.trading_halted = 1 AND NEW.trading_halted = 0)
    OR (OLD.withdrawals_halted = 1 AND NEW.withdrawals_halted = 0)
    OR NEW.allowlist_mode IS NOT OLD.allowlist_mode
    OR (OLD.review_threshold IS NOT NULL AND (NEW.review_threshold IS NULL OR NEW.review_threshold > OLD.review_threshold))
    OR NEW.approval_above IS NOT OLD.approval_above)
  AND EXISTS (SELECT 1 FROM staff)
  AND EXISTS (SELECT 1 FROM two_admins)
  AND NOT EXISTS (SELECT 1 FROM approved_change WHERE action = 'change_settings')
BEGIN
  SELECT RAISE(ABORT, 'guard: two_people_needed');
END;

CREATE TRIGGER settings_keep_their_ledger BEFORE UPDATE ON settings
WHEN NEW.ledger IS NOT OLD.ledger
BEGIN
  SELECT RAISE(ABORT, 'guard: a ledger takes its number once, before it has an account')
    WHERE OLD.ledger <> 0 OR EXISTS (SELECT 1 FROM accounts) OR EXISTS (SELECT 1 FROM quota_grants);
END;

CREATE TRIGGER settings_number_an_empty_ledger AFTER UPDATE ON settings
WHEN NEW.ledger IS NOT OLD.ledger
BEGIN
  UPDATE balances SET floor = 0 WHERE account IN ('house:liquidity', 'house:custody');
END;

CREATE TABLE settlement_holds (
  account_id TEXT NOT NULL REFERENCES accounts (id),
  id TEXT NOT NULL,
  counterparty TEXT NOT NULL,
  coin TEXT NOT NULL,
  coin_amount INTEGER NOT NULL CHECK (coin_amount > 0),
  usdt_amount INTEGER NOT NULL CHECK (usdt_amount > 0),
  reference TEXT NOT NULL,
  usdt_movement TEXT NOT NULL,
  coin_movement TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('HELD', 'PAID', 'RETURNED')),
  taken_transfer INTEGER NOT NULL,
  returned_transfer INTEGER,
  PRIMARY KEY (account_id, id),
  CHECK (counterparty <> account_id),
  CHECK ((status = 'RETURNED') = (returned_transfer IS NOT NULL))
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX settlement_holds_by_id ON settlement_holds (id);

CREATE UNIQUE INDEX settlement_holds_once_per_reference ON settlement_holds (reference) WHERE status <> 'RETURNED';

CREATE INDEX settlement_holds_open ON settlement_holds (id) WHERE status = 'HELD';

CREATE TRIGGER settlement_holds_are_guarded BEFORE INSERT ON settlement_holds
BEGIN
  SELECT RAISE(ABORT, 'guard: settlement exists')
    WHERE EXISTS (SELECT 1 FROM settlement_holds WHERE id = NEW.id)
      OR EXISTS (SELECT 1 FROM settlement_holds WHERE reference = NEW.reference AND status <> 'RETURNED')
      OR EXISTS (SELECT 1 FROM settlements WHERE reference = NEW.reference AND type <> 'P2P_SELL');
  SELECT RAISE(ABORT, 'guard: account_frozen')
    WHERE NOT EXISTS (SELECT 1 FROM accounts WHERE id = NEW.account_id AND status = 'active');
  SELECT RAISE(ABORT, 'guard: trading_halted')
    WHERE NOT EXISTS (SELECT 1 FROM settings WHERE id = 1 AND trading_halted = 0);
  SELECT RAISE(ABORT, 'guard: no such coin')
    WHERE NEW.coin IS 'USDT' OR NOT EXISTS (SELECT 1 FROM assets WHERE asset = NEW.coin);
  SELECT RAISE(ABORT, 'guard: a hold is for a trade between two ledgers')
    WHERE substr(NEW.usdt_movement, 16, 3) IS substr(NEW.coin_movement, 16, 3);
  SELECT RAISE(ABORT, 'guard: a hold begins with its transfer')
    WHERE NEW.status IS NOT 'HELD' OR NEW.taken_transfer IS NOT (SELECT coalesce(max(id), 0) + 1 FROM transfers);
END;

CREATE TRIGGER settlement_holds_are_kept BEFORE DELETE ON settlement_holds
BEGIN
  SELECT RAISE(ABORT, 'guard: a hold is never deleted');
END;

CREATE TRIGGER settlement_holds_end_once BEFORE UPDATE ON settlement_holds
BEGIN
  SELECT RAISE(ABORT, 'guard: hold_ended') WHERE OLD.status IS NOT 'HELD';
  SELECT RAISE(ABORT, 'guard: a hold keeps what it is')
    WHERE NEW.account_id IS NOT OLD.account_id OR NEW.id IS NOT OLD.id OR NEW.counterparty IS NOT OLD.counterparty
      OR NEW.coin IS NOT OLD.coin OR NEW.coin_amount IS NOT OLD.coin_amount OR NEW.usdt_amount IS NOT OLD.usdt_amount
      OR NEW.reference IS NOT OLD.reference OR NEW.usdt_movement IS NOT OLD.usdt_movement
      OR NEW.coin_movement IS NOT OLD.coin_movement OR NEW.taken_transfer IS NOT OLD.taken_transfer
      OR NEW.status IS NULL OR NEW.status IS 'HELD';
  SELECT RAISE(ABORT, 'guard: a hold names the next transfer')
    WHERE NEW.status IS 'RETURNED' AND NEW.returned_transfer IS NOT (SELECT coalesce(max(id), 0) + 1 FROM transfers);
END;

CREATE TRIGGER settlement_holds_pay AFTER UPDATE ON settlement_holds
WHEN NEW.status = 'PAID'
BEGIN
  INSERT INTO settlements (account_id, id, type, counterparty, coin, coin_amount, usdt_amount, reference, first_transfer,
    usdt_movement, coin_movement)
    SELECT NEW.account_id, NEW.id, 'P2P_BUY', NEW.counterparty, NEW.coin, NEW.coin_amount, NEW.usdt_amount, NEW.reference,
      coalesce(max(id), 0) + 1, NEW.usdt_movement, NEW.coin_movement
    FROM transfers;
END;

CREATE TRIGGER settlement_holds_return_money AFTER UPDATE ON settlement_holds
WHEN NEW.status = 'RETURNED'
BEGIN
  INSERT INTO transfers (id, debit, credit, asset, amount, kind, reference) VALUES (
    NEW.returned_transfer, 'house:payouts', NEW.account_id, 'USDT', NEW.usdt_amount, 'hold', NEW.id);
END;

CREATE TRIGGER settlement_holds_take_money AFTER INSERT ON settlement_holds
BEGIN
  INSERT INTO transfers (id, debit, credit, asset, amount, kind, reference) VALUES (
    NEW.taken_transfer, NEW.account_id, 'house:payouts', 'USDT', NEW.usdt_amount, 'hold', NEW.id);
END;

CREATE TRIGGER trades_are_held_by_two BEFORE INSERT ON settlement_holds
WHEN EXISTS (SELECT 1 FROM two_admins)
  AND NOT EXISTS (SELECT 1 FROM approved_change WHERE action = 'settle_trade' AND target = NEW.id)
BEGIN
  SELECT RAISE(ABORT, 'guard: two_people_needed');
END;

CREATE TABLE settlements (
  account_id TEXT NOT NULL REFERENCES accounts (id),
  id TEXT NOT NULL,
  type TEXT NOT NULL CHECK (type IN ('P2P_BUY', 'P2P_SELL', 'QUICK_BUY', 'QUICK_SELL')),
  -- The other account, or 'house:liquidity'.
  counterparty TEXT NOT NULL,
  coin TEXT NOT NULL,
  coin_amount INTEGER NOT NULL CHECK (coin_amount > 0),
  usdt_amount INTEGER NOT NULL CHECK (usdt_amount > 0),
  -- The operator's own id of the trade.
  reference TEXT NOT NULL,
  -- The number of the transfer that pays the USDT; the next one delivers the coin.
  first_transfer INTEGER NOT NULL, usdt_movement TEXT, coin_movement TEXT,
  PRIMARY KEY (account_id, id),
  CHECK (counterparty <> account_id),
  CHECK ((type IN ('QUICK_BUY', 'QUICK_SELL')) = (counterparty = 'house:liquidity'))
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX settlements_once_per_reference ON settlements (reference) WHERE type <> 'P2P_SELL';

CREATE TRIGGER purchases_move_between_ledgers AFTER INSERT ON settlements
WHEN NEW.type = 'P2P_BUY' AND NEW.usdt_movement IS NOT NULL
BEGIN
  INSERT INTO movements (account_id, id, half, asset, amount, ledger, peer, purpose, transfer, record_id) VALUES (
    'house:payouts', NEW.usdt_movement, 'OUT', 'USDT', NEW.usdt_amount,
    (('0x' || substr(NEW.coin_movement, 16, 3)) ->> '$'), (('0x' || substr(NEW.usdt_movement, 16, 3)) ->> '$'),
    'SETTLEMENT', NEW.first_transfer, NEW.id);
  INSERT INTO movements (account_id, id, half, asset, amount, ledger, peer, purpose, transfer, record_id) VALUES (
    NEW.account_id, NEW.coin_movement, 'IN', NEW.coin, NEW.coin_amount,
    (('0x' || substr(NEW.coin_movement, 16, 3)) ->> '$'), (('0x' || substr(NEW.usdt_movement, 16, 3)) ->> '$'),
    'SETTLEMENT', NEW.first_transfer + 1, NEW.id);
END;

CREATE TRIGGER sales_move_between_ledgers AFTER INSERT ON settlements
WHEN NEW.type = 'P2P_SELL' AND NEW.usdt_movement IS NOT NULL
BEGIN
  INSERT INTO movements (account_id, id, half, asset, amount, ledger, peer, purpose, transfer, record_id) VALUES (
    NEW.account_id, NEW.usdt_movement, 'IN', 'USDT', NEW.usdt_amount,
    (('0x' || substr(NEW.usdt_movement, 16, 3)) ->> '$'), (('0x' || substr(NEW.coin_movement, 16, 3)) ->> '$'),
    'SETTLEMENT', NEW.first_transfer, NEW.id);
  INSERT INTO movements (account_id, id, half, asset, amount, ledger, peer, purpose, transfer, record_id) VALUES (
    NEW.account_id, NEW.coin_movement, 'OUT', NEW.coin, NEW.coin_amount,
    (('0x' || substr(NEW.usdt_movement, 16, 3)) ->> '$'), (('0x' || substr(NEW.coin_movement, 16, 3)) ->> '$'),
    'SETTLEMENT', NEW.first_transfer + 1, NEW.id);
END;

CREATE TRIGGER settlements_are_guarded BEFORE INSERT ON settlements
BEGIN
  SELECT RAISE(ABORT, 'guard: settlement exists')
    WHERE EXISTS (SELECT 1 FROM settlements WHERE account_id = NEW.account_id AND id = NEW.id)
      OR (NEW.type IS NOT 'P2P_SELL' AND (
        EXISTS (SELECT 1 FROM settlements WHERE reference = NEW.reference AND type <> 'P2P_SELL')
        OR EXISTS (
          SELECT 1 FROM settlement_holds
          WHERE reference = NEW.reference AND status <> 'RETURNED' AND id IS NOT NEW.id)));
  SELECT RAISE(ABORT, 'guard: account_frozen')
    WHERE (NEW.type IS NOT 'P2P_BUY' OR NEW.usdt_movement IS NULL)
      AND NOT EXISTS (SELECT 1 FROM accounts WHERE id = NEW.account_id AND status = 'active');
  SELECT RAISE(ABORT, 'guard: trading_halted')
    WHERE (NEW.type IS NOT 'P2P_BUY' OR NEW.usdt_movement IS NULL)
      AND NOT EXISTS (SELECT 1 FROM settings WHERE id = 1 AND trading_halted = 0);
  SELECT RAISE(ABORT, 'guard: no such coin')
    WHERE NEW.coin IS 'USDT' OR NOT EXISTS (SELECT 1 FROM assets WHERE asset = NEW.coin);
  SELECT RAISE(ABORT, 'guard: a settlement names the next transfers')
    WHERE NEW.first_transfer IS NOT (SELECT coalesce(max(id), 0) + 1 FROM transfers);
  SELECT RAISE(ABORT, 'guard: a sale has its purchase')
    WHERE NEW.type IS 'P2P_SELL' AND NEW.usdt_movement IS NULL AND NOT EXISTS (
      SELECT 1 FROM settlements
      WHERE account_id = NEW.counterparty AND id = NEW.id AND type = 'P2P_BUY' AND counterparty = NEW.account_id
        AND coin = NEW.coin AND coin_amount = NEW.coin_amount AND usdt_amount = NEW.usdt_amount
        AND reference = NEW.reference AND first_transfer = NEW.first_transfer);
  SELECT RAISE(ABORT, 'guard: a trade between two ledgers has two movements')
    WHERE (NEW.usdt_movement IS NOT NULL OR NEW.coin_movement IS NOT NULL)
      AND (NEW.type NOT IN ('P2P_BUY', 'P2P_SELL') OR NEW.usdt_movement IS NULL OR NEW.coin_movement IS NULL
        OR substr(NEW.usdt_movement, 16, 3) IS substr(NEW.coin_movement, 16, 3));
  SELECT RAISE(ABORT, 'guard: a purchase from another ledger was held')
    WHERE NEW.type IS 'P2P_BUY' AND NEW.usdt_movement IS NOT NULL AND NOT EXISTS (
      SELECT 1 FROM settlement_holds
      WHERE account_id = NEW.account_id AND id = NEW.id AND status = 'PAID' AND counterparty = NEW.counterparty
        AND coin = NEW.coin AND coin_amount = NEW.coin_amount AND usdt_amount = NEW.usdt_amount
        AND reference = NEW.reference AND usdt_movement = NEW.usdt_movement AND coin_movement = NEW.coin_movement);
END;

CREATE TRIGGER settlements_are_not_changed BEFORE UPDATE ON settlements
BEGIN
  SELECT RAISE(ABORT, 'guard: a settlement is never changed');
END;

CREATE TRIGGER settlements_are_not_deleted BEFORE DELETE ON settlements
BEGIN
  SELECT RAISE(ABORT, 'guard: a settlement is never deleted');
END;

CREATE TRIGGER settlements_move_money AFTER INSERT ON settlements
WHEN NEW.type <> 'P2P_SELL' AND NEW.usdt_movement IS NULL
BEGIN
  INSERT INTO settlements
    (account_id, id, type, counterparty, coin, coin_amount, usdt_amount, reference, first_transfer)
    SELECT NEW.counterparty, NEW.id, 'P2P_SELL', NEW.account_id, NEW.coin, NEW.coin_amount, NEW.usdt_amount,
      NEW.reference, NEW.first_transfer
    WHERE NEW.type = 'P2P_BUY';
  INSERT INTO transfers (id, debit, credit, asset, amount, kind, reference) VALUES (
    NEW.first_transfer, iif(NEW.type = 'QUICK_SELL', NEW.counterparty, NEW.account_id),
    iif(NEW.type = 'QUICK_SELL', NEW.account_id, NEW.counterparty), 'USDT', NEW.usdt_amount, 'settlement', NEW.id);
  INSERT INTO transfers (id, debit, credit, asset, amount, kind, reference) VALUES (
    NEW.first_transfer + 1, iif(NEW.type = 'QUICK_SELL', NEW.account_id, NEW.counterparty),
    iif(NEW.type = 'QUICK_SELL', NEW.counterparty, NEW.account_id), NEW.coin, NEW.coin_amount, 'settlement', NEW.id);
END;

CREATE TRIGGER settlements_tell AFTER INSERT ON settlements
BEGIN
  INSERT INTO events (account_id, sequence, type, subject)
    SELECT account_id, sequence, 'settlement.completed', NEW.id FROM next_events WHERE account_id = NEW.account_id;
END;

CREATE TRIGGER trades_are_settled_by_two BEFORE INSERT ON settlements
WHEN NEW.type <> 'P2P_SELL' AND NEW.usdt_movement IS NULL
  AND EXISTS (SELECT 1 FROM two_admins)
  AND NOT EXISTS (SELECT 1 FROM approved_change WHERE action = 'settle_trade' AND target = NEW.id)
BEGIN
  SELECT RAISE(ABORT, 'guard: two_people_needed');
END;

CREATE TABLE solana_pool (
  address_index INTEGER PRIMARY KEY NOT NULL CHECK (address_index >= 0),
  address TEXT NOT NULL UNIQUE
) STRICT, WITHOUT ROWID;

CREATE TRIGGER solana_pool_is_filled_once BEFORE INSERT ON solana_pool
WHEN EXISTS (SELECT 1 FROM solana_pool WHERE address_index = NEW.address_index OR address = NEW.address)
BEGIN
  SELECT RAISE(ABORT, 'guard: solana address exists');
END;

CREATE TRIGGER solana_pool_is_not_changed BEFORE UPDATE ON solana_pool
BEGIN
  SELECT RAISE(ABORT, 'guard: the solana pool is never changed');
END;

CREATE TRIGGER solana_pool_is_not_deleted BEFORE DELETE ON solana_pool
BEGIN
  SELECT RAISE(ABORT, 'guard: the solana pool is never deleted');
END;

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

CREATE TRIGGER staff_change_by_two BEFORE UPDATE ON staff
WHEN EXISTS (SELECT 1 FROM two_admins)
  AND NOT EXISTS (SELECT 1 FROM approved_change WHERE action = 'set_roles' AND target = NEW.email)
BEGIN
  SELECT RAISE(ABORT, 'guard: two_people_needed');
END;

CREATE TRIGGER staff_join_by_two BEFORE INSERT ON staff
WHEN EXISTS (SELECT 1 FROM two_admins)
  AND NOT EXISTS (SELECT 1 FROM approved_change WHERE action = 'set_roles' AND target = NEW.email)
BEGIN
  SELECT RAISE(ABORT, 'guard: two_people_needed');
END;

CREATE TRIGGER staff_keep_their_email BEFORE UPDATE ON staff
WHEN NEW.email IS NOT OLD.email
BEGIN
  SELECT RAISE(ABORT, 'guard: a person keeps the e-mail');
END;

CREATE TABLE statements (
  account_id TEXT PRIMARY KEY NOT NULL REFERENCES accounts (id),
  made_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE totp (
  account_id TEXT PRIMARY KEY NOT NULL REFERENCES accounts (id),
  -- The shared secret, encrypted. It names the version of the Worker's key that encrypted it. NULL: no second factor.
  sealed_secret TEXT,
  -- When a first correct code showed that the holder has the secret. NULL before that: the second factor is not in force.
  confirmed_at INTEGER,
  -- The newest time step whose code was accepted (RFC 6238). No code of this or an older step is accepted again, not even
  -- after the secret was replaced.
  used_step INTEGER NOT NULL DEFAULT 0,
  -- How many codes were tried since the last correct one; each is counted before it is checked. After too many,
  -- withdrawals are locked until `locked_until`.
  attempts INTEGER NOT NULL DEFAULT 0 CHECK (attempts >= 0),
  locked_until INTEGER NOT NULL DEFAULT 0,
  CHECK (confirmed_at IS NULL OR sealed_secret IS NOT NULL)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER second_factors_go_where_accounts_are BEFORE INSERT ON totp
WHEN EXISTS (SELECT 1 FROM accounts WHERE id = NEW.account_id AND moved_to IS NOT NULL)
BEGIN
  SELECT RAISE(ABORT, 'guard: account_moved');
END;

CREATE TRIGGER second_factors_left_behind_are_not_changed BEFORE UPDATE ON totp
WHEN EXISTS (SELECT 1 FROM accounts WHERE id = OLD.account_id AND moved_to IS NOT NULL)
BEGIN
  SELECT RAISE(ABORT, 'guard: account_moved');
END;

CREATE TRIGGER second_factors_of_holders_end_by_two BEFORE UPDATE ON totp
WHEN OLD.confirmed_at IS NOT NULL
  AND (NEW.confirmed_at IS NULL OR NEW.sealed_secret IS NOT OLD.sealed_secret)
  AND EXISTS (SELECT 1 FROM accounts WHERE id = NEW.account_id AND holder IS NOT NULL)
  AND EXISTS (SELECT 1 FROM two_admins)
  AND NOT EXISTS (SELECT 1 FROM agreed_change WHERE action = 'remove_totp' AND target = NEW.account_id)
BEGIN
  SELECT RAISE(ABORT, 'guard: two_people_needed');
END;

CREATE TRIGGER totp_begins_once BEFORE INSERT ON totp
WHEN EXISTS (SELECT 1 FROM totp WHERE account_id = NEW.account_id)
BEGIN
  SELECT RAISE(ABORT, 'guard: totp exists');
END;

CREATE TRIGGER totp_is_kept BEFORE DELETE ON totp
BEGIN
  SELECT RAISE(ABORT, 'guard: a second factor is switched off, never deleted');
END;

CREATE TRIGGER totp_keeps_its_account BEFORE UPDATE ON totp
WHEN NEW.account_id IS NOT OLD.account_id
BEGIN
  SELECT RAISE(ABORT, 'guard: a second factor keeps its account');
END;

CREATE TRIGGER totp_steps_increase BEFORE UPDATE OF used_step ON totp
WHEN NEW.used_step IS NULL OR NEW.used_step <= OLD.used_step
BEGIN
  SELECT RAISE(ABORT, 'guard: totp_step_used');
END;

CREATE TRIGGER totp_tells AFTER UPDATE OF confirmed_at ON totp
WHEN (NEW.confirmed_at IS NULL) IS NOT (OLD.confirmed_at IS NULL)
 
BEGIN
  INSERT INTO events (account_id, sequence, type, subject)
    SELECT account_id, sequence, iif(NEW.confirmed_at IS NULL, 'security.totp_off', 'security.totp_on'), NEW.account_id
    FROM next_events WHERE account_id = NEW.account_id;
END;

CREATE TABLE transfers (
  id INTEGER PRIMARY KEY NOT NULL,
  debit TEXT NOT NULL,
  credit TEXT NOT NULL,
  asset TEXT NOT NULL,
  amount INTEGER NOT NULL CHECK (amount > 0),
  -- A trigger checks it and not a CHECK constraint, since adding a kind to a CHECK would copy the whole table.
  kind TEXT NOT NULL,
  -- The id of its record.
  reference TEXT NOT NULL,
  -- When it was written, by the database's own clock.
  ts INTEGER NOT NULL DEFAULT (CAST(unixepoch('subsec') * 1000 AS INTEGER)),
  CHECK (debit <> credit)
) STRICT;

CREATE TRIGGER transfers_are_not_changed BEFORE UPDATE ON transfers
BEGIN
  SELECT RAISE(ABORT, 'ledger: a transfer is never changed');
END;

CREATE TRIGGER transfers_are_not_deleted BEFORE DELETE ON transfers
BEGIN
  SELECT RAISE(ABORT, 'ledger: a transfer is never deleted');
END;

CREATE TRIGGER transfers_are_numbered BEFORE INSERT ON transfers
WHEN NEW.id IS NOT (SELECT coalesce(max(id), 0) + 1 FROM transfers)
BEGIN
  SELECT RAISE(ABORT, 'ledger: a transfer takes the next number');
END;

CREATE TRIGGER transfers_have_a_kind BEFORE INSERT ON transfers
WHEN NEW.kind NOT IN ('order', 'deposit', 'withdrawal', 'settlement', 'movement', 'hold')
BEGIN
  SELECT RAISE(ABORT, 'ledger: no such kind of transfer');
END;

CREATE TRIGGER transfers_move_balances AFTER INSERT ON transfers
BEGIN
  SELECT RAISE(ABORT, 'ledger: no such balance ' || NEW.debit || ' ' || NEW.asset)
    WHERE NOT EXISTS (SELECT 1 FROM balances WHERE account = NEW.debit AND asset = NEW.asset);
  SELECT RAISE(ABORT, 'ledger: no such balance ' || NEW.credit || ' ' || NEW.asset)
    WHERE NOT EXISTS (SELECT 1 FROM balances WHERE account = NEW.credit AND asset = NEW.asset);
  UPDATE balances SET amount = amount - NEW.amount, last_transfer = NEW.id,
      price_round = CASE WHEN NEW.kind = 'order' AND NEW.debit = 'house:liquidity' AND NEW.asset <> 'USDT'
        THEN coalesce(
          (SELECT o.price_round FROM orders AS o
           WHERE o.account_id = NEW.credit AND o.id = NEW.reference AND o.coin = NEW.asset),
          price_round)
        ELSE price_round END
    WHERE account = NEW.debit AND asset = NEW.asset;
  UPDATE balances SET amount = amount + NEW.amount, last_transfer = NEW.id,
      price_round = CASE WHEN NEW.kind = 'order' AND NEW.credit = 'house:liquidity' AND NEW.asset <> 'USDT'
        THEN coalesce(
          (SELECT o.price_round FROM orders AS o
           WHERE o.account_id = NEW.debit AND o.id = NEW.reference AND o.coin = NEW.asset),
          price_round)
        ELSE price_round END
    WHERE account = NEW.credit AND asset = NEW.asset;
END;

CREATE TRIGGER transfers_of_deposits_are_explained BEFORE INSERT ON transfers
WHEN NEW.kind = 'deposit'
BEGIN
  SELECT RAISE(ABORT, 'ledger: no deposit explains the transfer')
    WHERE NEW.debit IS NOT 'house:custody' OR NOT EXISTS (
      SELECT 1 FROM deposits
      WHERE account_id = NEW.credit AND id = NEW.reference AND transfer = NEW.id AND asset = NEW.asset
        AND amount = NEW.amount AND withdrawal_id IS NULL);
END;

CREATE TRIGGER transfers_of_holds_are_explained BEFORE INSERT ON transfers
WHEN NEW.kind = 'hold'
BEGIN
  SELECT RAISE(ABORT, 'ledger: no hold explains the transfer')
    WHERE NEW.asset IS NOT 'USDT' OR NOT EXISTS (
      SELECT 1 FROM settlement_holds
      WHERE id = NEW.reference AND usdt_amount = NEW.amount AND (
        (NEW.id = taken_transfer AND NEW.debit = account_id AND NEW.credit = 'house:payouts') OR
        (NEW.id = returned_transfer AND NEW.debit = 'house:payouts' AND NEW.credit = account_id)));
END;

CREATE TRIGGER transfers_of_movements_are_explained BEFORE INSERT ON transfers
WHEN NEW.kind = 'movement'
BEGIN
  SELECT RAISE(ABORT, 'ledger: no movement explains the transfer')
    WHERE NOT EXISTS (
      SELECT 1 FROM movements
      WHERE id = NEW.reference AND transfer = NEW.id AND asset = NEW.asset AND amount = NEW.amount
        AND NEW.debit = iif(half = 'OUT', account_id, 'house:transit')
        AND NEW.credit = iif(half = 'OUT', 'house:transit', account_id));
END;

CREATE TRIGGER transfers_of_orders_are_explained BEFORE INSERT ON transfers
WHEN NEW.kind = 'order'
BEGIN
  SELECT RAISE(ABORT, 'ledger: no order explains the transfer')
    WHERE NOT EXISTS (
      SELECT 1 FROM orders
      WHERE account_id = iif(NEW.debit = 'house:liquidity', NEW.credit, NEW.debit) AND id = NEW.reference AND (
        (NEW.id = first_transfer AND NEW.credit = 'house:liquidity'
          AND NEW.asset = iif(side = 'BUY', 'USDT', coin) AND NEW.amount = iif(side = 'BUY', usdt_amount, coin_amount)) OR
        (NEW.id = first_transfer + 1 AND NEW.debit = 'house:liquidity'
          AND NEW.asset = iif(side = 'BUY', coin, 'USDT') AND NEW.amount = iif(side = 'BUY', coin_amount, usdt_amount))));
END;

CREATE TRIGGER transfers_of_settlements_are_explained BEFORE INSERT ON transfers
WHEN NEW.kind = 'settlement'
BEGIN
  SELECT RAISE(ABORT, 'ledger: no settlement explains the transfer')
    WHERE NEW.debit IS NOT 'house:liquidity' AND NOT EXISTS (
      SELECT 1 FROM settlements
      WHERE account_id = NEW.debit AND id = NEW.reference AND counterparty = NEW.credit AND (
        (type IN ('P2P_BUY', 'QUICK_BUY') AND NEW.id = first_transfer
          AND NEW.asset = 'USDT' AND NEW.amount = usdt_amount) OR
        (type IN ('P2P_SELL', 'QUICK_SELL') AND NEW.id = first_transfer + 1
          AND NEW.asset = coin AND NEW.amount = coin_amount)));
  SELECT RAISE(ABORT, 'ledger: no settlement explains the transfer')
    WHERE NEW.credit IS NOT 'house:liquidity' AND NOT EXISTS (
      SELECT 1 FROM settlements
      WHERE account_id = NEW.credit AND id = NEW.reference AND counterparty = NEW.debit AND (
        (type IN ('P2P_SELL', 'QUICK_SELL') AND NEW.id = first_transfer
          AND NEW.asset = 'USDT' AND NEW.amount = usdt_amount) OR
        (type IN ('P2P_BUY', 'QUICK_BUY') AND NEW.id = first_transfer + 1
          AND NEW.asset = coin AND NEW.amount = coin_amount)));
END;

CREATE TRIGGER transfers_of_withdrawals_are_explained BEFORE INSERT ON transfers
WHEN NEW.kind = 'withdrawal'
BEGIN
  SELECT RAISE(ABORT, 'ledger: no withdrawal explains the transfer')
    WHERE NOT EXISTS (
      SELECT 1 FROM withdrawals
      WHERE id = NEW.reference AND asset = NEW.asset AND (
        (NEW.id = taken_transfer AND NEW.debit = account_id AND NEW.credit = 'house:payouts'
          AND NEW.amount = amount + fee) OR
        (NEW.id = paid_transfer AND NEW.debit = 'house:payouts' AND NEW.credit = coalesce(recipient, 'house:custody')
          AND NEW.amount = amount) OR
        (NEW.id = paid_transfer + 1 AND NEW.debit = 'house:payouts' AND NEW.credit = 'house:fees'
          AND NEW.amount = fee) OR
        (NEW.id = returned_transfer AND NEW.debit = 'house:payouts' AND NEW.credit = account_id
          AND NEW.amount = amount + fee)));
END;

CREATE VIEW two_admins AS
  SELECT 1 AS present WHERE 1 < (
    SELECT count(*) FROM staff, json_each(staff.roles) AS role WHERE role.value = 'admin')
  UNION ALL
  SELECT 1 FROM settings WHERE has_two_admins = 1;

CREATE TABLE webhook_endpoints (
  -- An account's id, or 'operator'.
  account_id TEXT NOT NULL,
  id TEXT NOT NULL,
  url TEXT NOT NULL,
  description TEXT NOT NULL,
  -- A JSON array of the types that are sent; empty: all.
  types TEXT NOT NULL CHECK (json_valid(types)),
  status TEXT NOT NULL DEFAULT 'enabled' CHECK (status IN ('enabled', 'disabled')),
  -- Why the exchange switched it off; NULL where its owner did.
  reason TEXT CHECK (reason IN ('gone', 'failing')),
  -- The secret that signs, encrypted as the secrets of second factors are.
  sealed_secret TEXT NOT NULL,
  -- Earlier secrets, which sign as well for some time: a JSON array such as [{"sealed": "…", "until": 1795241228900}].
  previous_secrets TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(previous_secrets)),
  -- Up to which number the events were delivered, at least. The object of the endpoint knows it exactly; it writes this
  -- column after each run, so that the sweep finds endpoints that are behind.
  delivered INTEGER NOT NULL CHECK (delivered >= 0),
  -- The sweep leaves it alone before this time, because its object has set an alarm.
  due_at INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (account_id, id),
  CHECK (reason IS NULL OR status = 'disabled')
) STRICT, WITHOUT ROWID;

CREATE INDEX webhook_endpoints_due ON webhook_endpoints (due_at) WHERE status = 'enabled';

CREATE UNIQUE INDEX webhook_endpoints_once_per_url ON webhook_endpoints (account_id, url);

CREATE TRIGGER endpoints_go_where_accounts_are BEFORE INSERT ON webhook_endpoints
WHEN EXISTS (SELECT 1 FROM accounts WHERE id = NEW.account_id AND moved_to IS NOT NULL)
BEGIN
  SELECT RAISE(ABORT, 'guard: account_moved');
END;

CREATE TRIGGER endpoints_left_behind_are_kept BEFORE DELETE ON webhook_endpoints
WHEN EXISTS (SELECT 1 FROM accounts WHERE id = OLD.account_id AND moved_to IS NOT NULL)
BEGIN
  SELECT RAISE(ABORT, 'guard: account_moved');
END;

CREATE TRIGGER endpoints_left_behind_are_not_changed BEFORE UPDATE ON webhook_endpoints
WHEN EXISTS (SELECT 1 FROM accounts WHERE id = OLD.account_id AND moved_to IS NOT NULL)
BEGIN
  SELECT RAISE(ABORT, 'guard: account_moved');
END;

CREATE TRIGGER webhook_endpoints_are_guarded BEFORE INSERT ON webhook_endpoints
BEGIN
  SELECT RAISE(ABORT, 'guard: webhook endpoint exists')
    WHERE EXISTS (
      SELECT 1 FROM webhook_endpoints WHERE account_id = NEW.account_id AND (id = NEW.id OR url = NEW.url));
  SELECT RAISE(ABORT, 'guard: too_many_endpoints')
    WHERE 10 <= (SELECT count(*) FROM webhook_endpoints WHERE account_id = NEW.account_id);
  SELECT RAISE(ABORT, 'guard: who has a webhook endpoint listens')
    WHERE NOT EXISTS (SELECT 1 FROM listeners WHERE account_id = NEW.account_id);
END;

CREATE TRIGGER webhook_endpoints_keep_their_account BEFORE UPDATE ON webhook_endpoints
BEGIN
  SELECT RAISE(ABORT, 'guard: a webhook endpoint keeps its account')
    WHERE NEW.account_id IS NOT OLD.account_id OR NEW.id IS NOT OLD.id;
  SELECT RAISE(ABORT, 'guard: webhook endpoint exists')
    WHERE NEW.url IS NOT OLD.url AND EXISTS (
      SELECT 1 FROM webhook_endpoints WHERE account_id = NEW.account_id AND url = NEW.url);
END;

CREATE TRIGGER webhook_endpoints_note_their_end AFTER UPDATE OF status ON webhook_endpoints
WHEN OLD.status = 'enabled' AND NEW.status = 'disabled' AND NEW.reason IS NOT NULL
BEGIN
  INSERT INTO audit (id, ts, role, action, target, detail)
    SELECT coalesce(max(id), 0) + 1, CAST(unixepoch('subsec') * 1000 AS INTEGER), 'exchange', 'disable_endpoint',
      NEW.account_id, json_object('host', host, 'reason', NEW.reason)
    FROM audit, (
      SELECT substr(rest, 1, instr(rest || '/', '/') - 1) AS host
      FROM (SELECT substr(NEW.url, instr(NEW.url, '://') + 3) AS rest));
END;

CREATE TRIGGER webhook_endpoints_tell AFTER UPDATE OF status ON webhook_endpoints
WHEN OLD.status = 'enabled' AND NEW.status = 'disabled' AND NEW.reason IS NOT NULL
BEGIN
  INSERT INTO events (account_id, sequence, type, subject, detail)
    SELECT account_id, sequence, 'endpoint.disabled', NEW.id,
      json_object('url', NEW.url, 'reason', NEW.reason)
    FROM next_events WHERE account_id = NEW.account_id;
END;

CREATE TABLE withdrawals (
  account_id TEXT NOT NULL REFERENCES accounts (id),
  id TEXT NOT NULL,
  type TEXT NOT NULL CHECK (type IN ('ONCHAIN_WITHDRAWAL', 'INTERNAL_WITHDRAWAL')),
  asset TEXT NOT NULL,
  network TEXT NOT NULL,
  -- In its canonical form.
  address TEXT NOT NULL,
  -- What the address receives. The account pays this and the fee.
  amount INTEGER NOT NULL CHECK (amount > 0),
  fee INTEGER NOT NULL CHECK (fee >= 0),
  -- The value of the amount without the fee, in atoms of USDT, at the firm price of the request.
  usd_value INTEGER NOT NULL CHECK (usd_value >= 0),
  status TEXT NOT NULL CHECK (status IN ('PENDING', 'PROCESSING', 'COMPLETED', 'FAILED')),
  -- When the money was taken. The daily limit counts by this time.
  committed_at INTEGER NOT NULL,
  -- The time step of the second factor's code that was sent with it; NULL when the account had no second factor.
  totp_step INTEGER,
  -- Whether the address had to be on the account's allowlist.
  allowlist_required INTEGER NOT NULL CHECK (allowlist_required IN (0, 1)),
  tx_hash TEXT,
  -- Why it failed.
  reason TEXT,
  -- The account's daily limit at that time, in atoms of USDT.
  daily_limit INTEGER NOT NULL CHECK (daily_limit >= 0),
  -- The API key that requested it.
  key_id TEXT NOT NULL,
  -- When it was last released, which means that all checks allowed its payment: in the batch that took the money, at its
  -- approval, and before each later submission to the custodian. NULL while it waits for its review.
  released_at INTEGER,
  -- How often the sweep has looked it up at the custodian, and when it does so next.
  asks INTEGER NOT NULL DEFAULT 0 CHECK (asks >= 0),
  next_ask_at INTEGER,
  -- When the address belongs to another account of this exchange: that account, and the id of its receipt in `deposits`.
  recipient TEXT REFERENCES accounts (id),
  receipt_id TEXT,
  -- The numbers of its transfers: the one that took amount and fee; the one that paid the amount, after which the one of the
  -- fee has the next number; and the one that returned amount and fee.
  taken_transfer INTEGER NOT NULL,
  paid_transfer INTEGER,
  returned_transfer INTEGER, held_reason TEXT, held_since INTEGER
  CHECK ((held_reason IS NULL) = (held_since IS NULL) AND (held_since IS NULL OR status = 'PROCESSING')), peer_recipient TEXT, movement TEXT,
  PRIMARY KEY (account_id, id),
  CHECK ((type = 'INTERNAL_WITHDRAWAL') = (recipient IS NOT NULL)),
  CHECK (recipient <> account_id),
  CHECK ((receipt_id IS NOT NULL) = (status = 'COMPLETED' AND type = 'INTERNAL_WITHDRAWAL')),
  CHECK ((status = 'COMPLETED') = (paid_transfer IS NOT NULL)),
  CHECK ((status = 'FAILED') = (returned_transfer IS NOT NULL)),
  CHECK (type = 'ONCHAIN_WITHDRAWAL' OR (fee = 0 AND tx_hash IS NULL)),
  CHECK (status <> 'COMPLETED' OR type = 'INTERNAL_WITHDRAWAL' OR tx_hash IS NOT NULL),
  CHECK ((status = 'FAILED') = (reason IS NOT NULL))
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX withdrawals_by_id ON withdrawals (id);

CREATE INDEX withdrawals_open ON withdrawals (status, id) WHERE status IN ('PENDING', 'PROCESSING');

CREATE INDEX withdrawals_to_ask ON withdrawals (next_ask_at) WHERE status = 'PROCESSING';

CREATE TRIGGER reviews_wait_after_recovery BEFORE UPDATE OF released_at ON withdrawals
WHEN OLD.status = 'PENDING'
BEGIN
  SELECT RAISE(ABORT, 'guard: account_recovered ' || held_until) FROM accounts
    WHERE id = NEW.account_id AND held_until > NEW.released_at;
END;

CREATE TRIGGER withdrawals_are_guarded BEFORE INSERT ON withdrawals
BEGIN
  SELECT RAISE(ABORT, 'guard: withdrawal exists')
    WHERE EXISTS (SELECT 1 FROM withdrawals WHERE id = NEW.id);
  SELECT RAISE(ABORT, 'guard: key_revoked')
    WHERE NOT EXISTS (
      SELECT 1 FROM api_keys WHERE id = NEW.key_id AND account_id = NEW.account_id AND revoked_at IS NULL);
  SELECT RAISE(ABORT, 'guard: key_expired ' || expires_at) FROM api_keys
    WHERE id = NEW.key_id AND expires_at <= NEW.committed_at;
  SELECT RAISE(ABORT, 'guard: a withdrawal is let out as it is taken')
    WHERE NEW.released_at IS NOT iif(NEW.status = 'PENDING', NULL, NEW.committed_at)
      OR (NEW.next_ask_at IS NULL) IS NOT (NEW.status IS NOT 'PROCESSING');
  -- The threshold is for the sum of 24 hours, so that splitting a withdrawal does not avoid a review. For the range of ids
  -- see the daily limit below.
  SELECT RAISE(ABORT, 'guard: review_required')
    FROM settings
    WHERE NEW.status IS NOT 'PENDING' AND review_threshold IS NOT NULL AND review_threshold < NEW.usd_value + (
      SELECT coalesce(sum(usd_value), 0) FROM withdrawals
      WHERE account_id = NEW.account_id
        AND id > substr(printf('%012x', NEW.committed_at - 172800000), 1, 8) || '-'
          || substr(printf('%012x', NEW.committed_at - 172800000), 9)
        AND committed_at > NEW.committed_at - 86400000 AND status <> 'FAILED');
  -- Without a review, one on a chain goes to the custodian next; one to another account here is paid in the same batch.
  SELECT RAISE(ABORT, 'guard: a withdrawal begins before it ends')
    WHERE NEW.status IS NOT 'PENDING'
      AND NEW.status IS NOT iif(NEW.type = 'INTERNAL_WITHDRAWAL', 'COMPLETED', 'PROCESSING');
  SELECT RAISE(ABORT, 'guard: account_frozen')
    WHERE NOT EXISTS (SELECT 1 FROM accounts WHERE id = NEW.account_id AND status = 'active');
  SELECT RAISE(ABORT, 'guard: withdrawals_suspended')
    WHERE NOT EXISTS (SELECT 1 FROM settings WHERE id = 1 AND withdrawals_halted = 0)
      OR EXISTS (SELECT 1 FROM settings, json_each(settings.paused_networks) AS paused WHERE paused.value = NEW.network);
  -- With the second factor on, the batch has just set `used_step` to the step of the code.
  SELECT RAISE(ABORT, 'guard: totp_required')
    WHERE EXISTS (
      SELECT 1 FROM totp
      WHERE account_id = NEW.account_id AND confirmed_at IS NOT NULL AND used_step IS NOT NEW.totp_step);
  SELECT RAISE(ABORT, 'guard: address_not_allowlisted')
    WHERE (NEW.allowlist_required = 1 OR EXISTS (SELECT 1 FROM settings WHERE allowlist_mode = 'strict'))
      AND NOT EXISTS (
        SELECT 1 FROM allowlist
        WHERE account_id = NEW.account_id AND network = NEW.network AND address = NEW.address
          AND usable_at <= NEW.committed_at);
  -- The 24 hours before `committed_at`. An id is at most a day older than its commit, so ids of 48 hours are enough.
  SELECT RAISE(ABORT, 'guard: daily_limit_exceeded ' || used)
    FROM (
      SELECT coalesce(sum(usd_value), 0) AS used FROM withdrawals
      WHERE account_id = NEW.account_id
        AND id > substr(printf('%012x', NEW.committed_at - 172800000), 1, 8) || '-'
          || substr(printf('%012x', NEW.committed_at - 172800000), 9)
        AND committed_at > NEW.committed_at - 86400000 AND status <> 'FAILED')
    WHERE NEW.usd_value + used > (SELECT daily_withdrawal_limit FROM accounts WHERE id = NEW.account_id);
  SELECT RAISE(ABORT, 'guard: a withdrawal names the daily limit of its account')
    WHERE NEW.daily_limit IS NOT (SELECT daily_withdrawal_limit FROM accounts WHERE id = NEW.account_id);
  SELECT RAISE(ABORT, 'guard: a withdrawal inside is paid to the owner of its address')
    WHERE NEW.recipient IS NOT NULL AND NEW.recipient IS NOT (
      SELECT account_id FROM addresses WHERE network = NEW.network AND address = NEW.address);
  SELECT RAISE(ABORT, 'guard: a withdrawal names the next transfers')
    WHERE NEW.taken_transfer IS NOT (SELECT coalesce(max(id), 0) + 1 FROM transfers)
      OR NEW.paid_transfer IS NOT iif(NEW.status = 'COMPLETED', NEW.taken_transfer + 1, NULL);
END;

CREATE TRIGGER withdrawals_are_let_out BEFORE UPDATE OF released_at ON withdrawals
BEGIN
  SELECT RAISE(ABORT, 'guard: withdrawal_settled') WHERE OLD.status IN ('COMPLETED', 'FAILED');
  SELECT RAISE(ABORT, 'guard: a withdrawal is let out at a time')
    WHERE NEW.released_at IS NULL OR NEW.status NOT IN ('PROCESSING', 'COMPLETED');
  SELECT RAISE(ABORT, 'guard: account_frozen')
    WHERE NOT EXISTS (SELECT 1 FROM accounts WHERE id = NEW.account_id AND status = 'active');
  SELECT RAISE(ABORT, 'guard: withdrawals_suspended')
    WHERE NOT EXISTS (SELECT 1 FROM settings WHERE id = 1 AND withdrawals_halted = 0)
      OR EXISTS (SELECT 1 FROM settings, json_each(settings.paused_networks) AS paused WHERE paused.value = NEW.network);
  SELECT RAISE(ABORT, 'guard: key_revoked')
    WHERE OLD.status = 'PENDING' AND NOT EXISTS (
      SELECT 1 FROM api_keys WHERE id = NEW.key_id AND account_id = NEW.account_id AND revoked_at IS NULL);
  SELECT RAISE(ABORT, 'guard: address_not_allowlisted')
    WHERE OLD.status = 'PENDING'
      AND (NEW.allowlist_required = 1 OR EXISTS (SELECT 1 FROM settings WHERE allowlist_mode = 'strict'))
      AND NOT EXISTS (
        SELECT 1 FROM allowlist
        WHERE account_id = NEW.account_id AND network = NEW.network AND address = NEW.address
          AND usable_at <= NEW.released_at);
END;

CREATE TRIGGER withdrawals_are_not_deleted BEFORE DELETE ON withdrawals
BEGIN
  SELECT RAISE(ABORT, 'guard: a withdrawal is never deleted');
END;

CREATE TRIGGER withdrawals_change_their_status BEFORE UPDATE OF status ON withdrawals
WHEN NEW.status IS OLD.status
BEGIN
  SELECT RAISE(ABORT, 'guard: withdrawal_settled');
END;

CREATE TRIGGER withdrawals_keep_their_movement BEFORE UPDATE ON withdrawals
WHEN NEW.peer_recipient IS NOT OLD.peer_recipient OR NEW.movement IS NOT OLD.movement
  OR (NEW.movement IS NOT NULL AND NEW.tx_hash IS NOT NULL AND NEW.tx_hash IS NOT NEW.movement)
BEGIN
  SELECT RAISE(ABORT, 'guard: a withdrawal keeps its movement');
END;

CREATE TRIGGER withdrawals_move_on BEFORE UPDATE ON withdrawals
BEGIN
  SELECT RAISE(ABORT, 'guard: withdrawal_settled')
    WHERE OLD.status IN ('COMPLETED', 'FAILED') OR (OLD.status = 'PROCESSING' AND NEW.status = 'PENDING');
  -- One on a chain completes only after PROCESSING, when the custodian has it. One to an account here never is PROCESSING.
  SELECT RAISE(ABORT, 'guard: a withdrawal takes the steps of its type')
    WHERE OLD.status = 'PENDING' AND NEW.status NOT IN ('PENDING', 'FAILED')
      AND NEW.status IS NOT iif(NEW.type = 'INTERNAL_WITHDRAWAL', 'COMPLETED', 'PROCESSING');
  SELECT RAISE(ABORT, 'guard: a withdrawal keeps what it is')
    WHERE NEW.account_id IS NOT OLD.account_id OR NEW.id IS NOT OLD.id OR NEW.type IS NOT OLD.type
      OR NEW.asset IS NOT OLD.asset OR NEW.network IS NOT OLD.network OR NEW.address IS NOT OLD.address
      OR NEW.amount IS NOT OLD.amount OR NEW.fee IS NOT OLD.fee OR NEW.usd_value IS NOT OLD.usd_value
      OR NEW.committed_at IS NOT OLD.committed_at OR NEW.totp_step IS NOT OLD.totp_step
      OR NEW.key_id IS NOT OLD.key_id OR NEW.status IS NULL
      OR NEW.daily_limit IS NOT OLD.daily_limit OR NEW.recipient IS NOT OLD.recipient
      OR NEW.taken_transfer IS NOT OLD.taken_transfer;
  -- `tx_hash` and `reason` change only together with the status, and `allowlist_required` only with an approval.
  SELECT RAISE(ABORT, 'guard: a withdrawal keeps what it is')
    WHERE (NEW.status IS OLD.status AND (NEW.tx_hash IS NOT OLD.tx_hash OR NEW.reason IS NOT OLD.reason))
      OR (NEW.allowlist_required IS NOT OLD.allowlist_required AND (OLD.status <> 'PENDING' OR NEW.released_at IS NULL));
  SELECT RAISE(ABORT, 'guard: a withdrawal goes on once it is let out')
    WHERE (OLD.status = 'PENDING' AND NEW.status IN ('PROCESSING', 'COMPLETED') AND NEW.released_at IS NULL)
      OR (NEW.status = 'PROCESSING' AND NEW.next_ask_at IS NULL);
  SELECT RAISE(ABORT, 'guard: a withdrawal names the next transfers')
    WHERE NEW.status IN ('COMPLETED', 'FAILED')
      AND coalesce(NEW.paid_transfer, NEW.returned_transfer) IS NOT (SELECT coalesce(max(id), 0) + 1 FROM transfers);
END;

CREATE TRIGGER withdrawals_pay_money AFTER UPDATE ON withdrawals
WHEN NEW.status = 'COMPLETED' AND NEW.peer_recipient IS NULL
BEGIN
  INSERT INTO transfers (id, debit, credit, asset, amount, kind, reference) VALUES (
    NEW.paid_transfer, 'house:payouts', coalesce(NEW.recipient, 'house:custody'), NEW.asset, NEW.amount, 'withdrawal',
    NEW.id);
  INSERT INTO transfers (id, debit, credit, asset, amount, kind, reference)
    SELECT NEW.paid_transfer + 1, 'house:payouts', 'house:fees', NEW.asset, NEW.fee, 'withdrawal', NEW.id
    WHERE NEW.fee > 0;
  INSERT INTO deposits (account_id, id, type, asset, amount, usd_value, status, withdrawal_id, transfer)
    SELECT NEW.recipient, NEW.receipt_id, 'INTERNAL_DEPOSIT', NEW.asset, NEW.amount, NEW.usd_value, 'COMPLETED', NEW.id,
      NEW.paid_transfer
    WHERE NEW.recipient IS NOT NULL;
END;

CREATE TRIGGER withdrawals_pay_other_ledgers AFTER UPDATE ON withdrawals
WHEN NEW.status = 'COMPLETED' AND NEW.peer_recipient IS NOT NULL
BEGIN
  INSERT INTO movements (account_id, id, half, asset, amount, ledger, peer, purpose, transfer, record_id) VALUES (
    'house:payouts', NEW.movement, 'OUT', NEW.asset, NEW.amount, (('0x' || substr(NEW.id, 16, 3)) ->> '$'),
    (('0x' || substr(NEW.movement, 16, 3)) ->> '$'), 'WITHDRAWAL', NEW.paid_transfer, NEW.id);
END;

CREATE TRIGGER withdrawals_return_money AFTER UPDATE ON withdrawals
WHEN NEW.status = 'FAILED'
BEGIN
  INSERT INTO transfers (id, debit, credit, asset, amount, kind, reference) VALUES (
    NEW.returned_transfer, 'house:payouts', NEW.account_id, NEW.asset, NEW.amount + NEW.fee, 'withdrawal', NEW.id);
END;

CREATE TRIGGER withdrawals_take_money AFTER INSERT ON withdrawals
BEGIN
  INSERT INTO transfers (id, debit, credit, asset, amount, kind, reference) VALUES (
    NEW.taken_transfer, NEW.account_id, 'house:payouts', NEW.asset, NEW.amount + NEW.fee, 'withdrawal', NEW.id);
  INSERT INTO transfers (id, debit, credit, asset, amount, kind, reference)
    SELECT NEW.paid_transfer, 'house:payouts', NEW.recipient, NEW.asset, NEW.amount, 'withdrawal', NEW.id
    WHERE NEW.status = 'COMPLETED';
  -- The receipt of the account that was paid.
  INSERT INTO deposits (account_id, id, type, asset, amount, usd_value, status, withdrawal_id, transfer)
    SELECT NEW.recipient, NEW.receipt_id, 'INTERNAL_DEPOSIT', NEW.asset, NEW.amount, NEW.usd_value, 'COMPLETED', NEW.id,
      NEW.paid_transfer
    WHERE NEW.status = 'COMPLETED';
END;

CREATE TRIGGER withdrawals_tell AFTER INSERT ON withdrawals
BEGIN
  INSERT INTO events (account_id, sequence, type, subject)
    SELECT account_id, sequence, 'withdrawal.' || lower(NEW.status),
      iif(account_id = 'operator', NEW.account_id || '/' || NEW.id, NEW.id)
    FROM next_events WHERE account_id IN (NEW.account_id, 'operator');
END;

CREATE TRIGGER withdrawals_tell_their_steps AFTER UPDATE ON withdrawals
WHEN NEW.status IS NOT OLD.status
BEGIN
  INSERT INTO events (account_id, sequence, type, subject)
    SELECT account_id, sequence, 'withdrawal.' || lower(NEW.status),
      iif(account_id = 'operator', NEW.account_id || '/' || NEW.id, NEW.id)
    FROM next_events WHERE account_id IN (NEW.account_id, 'operator');
END;

CREATE TRIGGER withdrawals_to_other_ledgers_are_guarded BEFORE INSERT ON withdrawals
WHEN NEW.peer_recipient IS NOT NULL OR NEW.movement IS NOT NULL
BEGIN
  SELECT RAISE(ABORT, 'guard: a withdrawal to another ledger has a movement there, and no fee')
    WHERE NEW.peer_recipient IS NULL OR NEW.movement IS NULL OR NEW.type IS NOT 'ONCHAIN_WITHDRAWAL'
      OR NEW.fee IS NOT 0 OR substr(NEW.movement, 16, 3) IS substr(NEW.id, 16, 3);
END;

CREATE TRIGGER withdrawals_wait_after_recovery BEFORE INSERT ON withdrawals
BEGIN
  SELECT RAISE(ABORT, 'guard: account_recovered ' || held_until) FROM accounts
    WHERE id = NEW.account_id AND held_until > NEW.committed_at;
END;
