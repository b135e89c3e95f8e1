-- The operator's settings, and the audit of all changes by operators.
--
-- The database itself enforces the rules about money. Amounts are whole atoms in 64-bit INTEGER columns of STRICT tables,
-- so that an overflow is an error. Times are milliseconds since 1970. Every message of a RAISE begins with 'ledger:' or
-- 'guard:'. src/db/commit.ts parses them. Triggers compare with IS NOT and not with <>, because a comparison by <> with
-- NULL is NULL, which fires no trigger: UPDATE OR REPLACE replaces a NULL by the column's default only after the triggers.

-- What the operator sets while the exchange runs: one row. NULL: the configuration applies, unless the column says otherwise.
CREATE TABLE settings (
  id INTEGER PRIMARY KEY NOT NULL CHECK (id = 1),
  trading_halted INTEGER NOT NULL DEFAULT 0 CHECK (trading_halted IN (0, 1)),
  withdrawals_halted INTEGER NOT NULL DEFAULT 0 CHECK (withdrawals_halted IN (0, 1)),
  allowlist_mode TEXT CHECK (allowlist_mode IN ('off', 'strict')),
  paused_networks TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(paused_networks)),
  -- Where deposits are switched off: a JSON object of networks and assets, such as {"networks": ["SOL"], "assets": []}.
  paused_deposits TEXT NOT NULL DEFAULT '{"networks":[],"assets":[]}' CHECK (json_valid(paused_deposits)),
  -- In atoms of USDT. Withdrawals that take an account's sum of 24 hours above it wait for a review. NULL: none waits.
  review_threshold INTEGER CHECK (review_threshold >= 0),
  -- JSON objects by asset and network: the amounts, in the asset, that replace those of the asset records.
  fees TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(fees)),
  minimums TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(minimums)),
  spread_bps INTEGER CHECK (spread_bps BETWEEN 0 AND 1000),
  -- What is shown for coins while no source answers, instead of the prices that ship with Bureau, and when it was set: a JSON
  -- object such as {"BTC": {"price": "65000", "setAt": 1795241228900}}.
  fallback_prices TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(fallback_prices)),
  -- The same for the smallest deposits that are credited.
  deposit_minimums TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(deposit_minimums)),
  -- Above so much of an asset a credit or a deposit by hand needs two people: a JSON object by asset, in atoms.
  approval_above TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(approval_above)),
  -- In ledger 0 each change by the operator takes the next number. In a copy it is the number of what was copied last.
  revision INTEGER NOT NULL DEFAULT 0 CHECK (revision >= 0),
  -- Which ledger this database is. Another than 0 takes its number once, before it has an account.
  ledger INTEGER NOT NULL DEFAULT 0 CHECK (ledger BETWEEN 0 AND 4095),
  -- Each ledger's share of the supply caps, under 'house:custody', and of the exposures, under 'house:liquidity': for each
  -- asset an array of atoms in the order of the ledgers' numbers. Their sum is the limit of the exchange.
  shares TEXT NOT NULL CHECK (json_valid(shares)),
  -- Weights by ledger: {"0": 1, "2": 3} opens one account of four in ledger 0. One that is not named, as a new one, gets none.
  opening_weights TEXT NOT NULL DEFAULT '{"0":1}' CHECK (json_valid(opening_weights)),
  -- The coins of which no order is filled: a JSON array.
  halted_coins TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(halted_coins)),
  -- What holds of single coins: a JSON object by coin, of which src/db/coin-terms.ts says what each member means.
  coin_terms TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(coin_terms)),
  -- 1: no hedge is planned. What is open already is looked up and ended.
  hedging_halted INTEGER NOT NULL DEFAULT 0 CHECK (hedging_halted IN (0, 1)),
  -- In atoms of USDT: the value of all hedges of a day, the loss of a day that halts trading, and the value at venues. NULL:
  -- no bound, but for what is at venues: that is the house's own capital.
  daily_hedge_volume INTEGER CHECK (daily_hedge_volume >= 0),
  daily_loss INTEGER CHECK (daily_loss >= 0),
  max_at_venues INTEGER CHECK (max_at_venues >= 0),
  -- What all holders are told: null, or a JSON object such as {"text": "…", "from": "2026-11-21T00:00:00Z", "until": "…"}.
  notice TEXT NOT NULL DEFAULT 'null' CHECK (json_valid(notice)),
  -- Two people in every ledger. The staff is in ledger 0 alone. Every other ledger has a copy of whether two of them are admins.
  has_two_admins INTEGER NOT NULL DEFAULT 0 CHECK (has_two_admins IN (0, 1))
) STRICT;

CREATE TRIGGER settings_are_one BEFORE INSERT ON settings
BEGIN
  SELECT RAISE(ABORT, 'guard: settings exist') WHERE EXISTS (SELECT 1 FROM settings);
END;

-- Of two copies under way at once the older one may arrive last. Shares are planned by those before them. Two people agree
-- where the staff is: a copy follows ledger 0.
CREATE TRIGGER settings_are_guarded BEFORE UPDATE ON settings
BEGIN
  SELECT RAISE(ABORT, 'guard: violation_stands')
    WHERE (NEW.trading_halted IS NOT 1 OR NEW.withdrawals_halted IS NOT 1)
      AND EXISTS (SELECT 1 FROM reconciliation_violations WHERE cleared_at IS NULL);
  INSERT INTO changes_by_two VALUES (iif(
    (NEW.trading_halted < OLD.trading_halted
      OR NEW.withdrawals_halted < OLD.withdrawals_halted
      OR NEW.allowlist_mode IS NOT OLD.allowlist_mode
      OR (OLD.review_threshold IS NOT NULL
        AND (NEW.review_threshold IS NULL OR NEW.review_threshold > OLD.review_threshold))
      OR NEW.approval_above IS NOT OLD.approval_above
      OR NEW.coin_terms IS NOT OLD.coin_terms
      OR (NEW.notice IS NOT 'null' AND NEW.notice IS NOT OLD.notice)
      OR NEW.hedging_halted < OLD.hedging_halted
      OR EXISTS (
        SELECT 1 FROM json_each(OLD.halted_coins) WHERE value NOT IN (SELECT value FROM json_each(NEW.halted_coins)))
      OR coalesce(NEW.daily_hedge_volume > OLD.daily_hedge_volume, OLD.daily_hedge_volume IS NOT NULL)
      OR coalesce(NEW.daily_loss > OLD.daily_loss, OLD.daily_loss IS NOT NULL)
      OR coalesce(NEW.max_at_venues > OLD.max_at_venues, NEW.max_at_venues IS NOT OLD.max_at_venues)
      OR EXISTS (
        SELECT 1 FROM json_each(NEW.shares) AS owner, json_each(owner.value) AS asset
        WHERE (SELECT sum(CAST(value AS INTEGER)) FROM json_each(asset.value)) > coalesce((
          SELECT sum(CAST(value AS INTEGER))
          FROM json_each(OLD.shares, '$."' || owner.key || '"."' || asset.key || '"')), 0)))
      AND EXISTS (SELECT 1 FROM staff), 'change_settings', NULL), 'settings');
  SELECT RAISE(ABORT, 'guard: a setting is never nothing')
    WHERE NEW.trading_halted || NEW.withdrawals_halted || NEW.paused_networks || NEW.paused_deposits || NEW.fees
      || NEW.minimums || NEW.deposit_minimums || NEW.fallback_prices || NEW.shares || NEW.revision || NEW.halted_coins
      || NEW.coin_terms || NEW.hedging_halted || NEW.notice IS NULL;
  SELECT RAISE(ABORT, 'guard: settings_overtaken')
    WHERE NEW.revision < OLD.revision OR (NEW.shares IS NOT OLD.shares AND NEW.revision = OLD.revision);
  SELECT RAISE(ABORT, 'guard: a ledger takes its number once, before it has an account')
    WHERE NEW.ledger IS NOT OLD.ledger AND (OLD.ledger <> 0 OR EXISTS (SELECT 1 FROM accounts));
  SELECT RAISE(ABORT, 'guard: no audit row names the shares')
    WHERE NEW.shares IS NOT OLD.shares AND NOT EXISTS (
      SELECT 1 FROM newest_audit
      WHERE action IN ('change_settings', 'change_shares', 'share_limits', 'copy_settings', 'add_asset'));
END;

CREATE TRIGGER settings_are_kept BEFORE DELETE ON settings
BEGIN
  SELECT RAISE(ABORT, 'guard: the settings are never deleted');
END;

-- Who changed what, and when: a row for every change by an operator or halt by the reconciliation, in the change's batch.
CREATE TABLE audit (
  id INTEGER PRIMARY KEY NOT NULL,
  ts INTEGER NOT NULL,
  role TEXT NOT NULL,
  action TEXT NOT NULL,
  target TEXT NOT NULL,
  -- A JSON object that describes the change. It never contains a secret.
  detail TEXT NOT NULL CHECK (json_valid(detail)),
  -- The e-mail of the person who acted. NULL where a token did, or the exchange itself: then the role names it.
  actor TEXT,
  -- The row of the audit that a change names its proposal in, and the digest of the request that made the change.
  proposal TEXT,
  request TEXT CHECK ((request IS NULL) = (proposal IS NULL))
) STRICT;

-- The custodian's answer ends a withdrawal without a row here, and the dealer's a hedge, so what a person decides of
-- one needs two people by its row.
-- The row of a recovery is written first in its batch: so of two at once one takes effect.
CREATE TRIGGER audit_is_guarded BEFORE INSERT ON audit
BEGIN
  SELECT RAISE(ABORT, 'guard: an audit row takes the next number')
    WHERE NEW.id IS NOT (SELECT coalesce(max(id), 0) + 1 FROM audit);
  SELECT RAISE(ABORT, 'guard: two_people_needed') FROM two_admins
    WHERE NEW.action = 'settle_withdrawal' AND NEW.proposal IS NULL AND NEW.detail ->> 'reason' IS NOT 'rejected';
  SELECT RAISE(ABORT, 'guard: two_people_needed') FROM two_admins
    WHERE NEW.action = 'end_hedge' AND NEW.proposal IS NULL;
  SELECT RAISE(ABORT, 'guard: recovery_not_allowed')
    WHERE NEW.action = 'recover_account' AND NEW.detail ->> 'proof' = 'allowed' AND NOT EXISTS (
      SELECT 1 FROM allowed_recoveries WHERE account_id = NEW.target AND expires_at > NEW.ts);
END;

CREATE TRIGGER audit_is_not_changed BEFORE UPDATE ON audit
BEGIN
  SELECT RAISE(ABORT, 'guard: an audit row is never changed');
END;

CREATE TRIGGER audit_is_not_deleted BEFORE DELETE ON audit
BEGIN
  SELECT RAISE(ABORT, 'guard: an audit row is never deleted');
END;

CREATE INDEX audit_of_target ON audit (target);

-- The change that is made in this batch: every batch that needs it begins with its row.
CREATE VIEW newest_audit AS
  SELECT * FROM audit ORDER BY id DESC LIMIT 1;

-- The limits at first: how much may be owed to clients, and how much the house may be short or long. Within 2^53, as all numbers
-- of the schema, so that tools which read numbers as doubles take them exactly.
INSERT INTO settings (id, shares) VALUES (1, '{
  "house:custody": {
    "USDT": ["1000000000000000"], "USDC": ["1000000000000000"], "BTC": ["1000000000000"], "ETH": ["50000000000000"],
    "AVAX": ["5000000000000000"], "MATIC": ["9000000000000000"], "BNB": ["100000000000000"],
    "LTC": ["1000000000000000"], "DOGE": ["9000000000000000"]
  },
  "house:liquidity": {
    "USDT": ["10000000000000"], "USDC": ["10000000000000"], "BTC": ["10000000000"], "ETH": ["500000000000"],
    "AVAX": ["70000000000000"], "MATIC": ["5000000000000000"], "BNB": ["2000000000000"],
    "LTC": ["15000000000000"], "DOGE": ["5000000000000000"]
  }
}');
