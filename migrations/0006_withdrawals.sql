-- Withdrawals. Each is paid once or not at all. The triggers repeat every check in the batch that takes the money, because
-- what the code read before may have changed. Inserting the row takes the money. The UPDATE to COMPLETED pays it out, and
-- the UPDATE to FAILED returns it.
--
-- For one to an account of another ledger, that ledger's database stands in for the custodian, and its receipt there for the
-- transaction: the withdrawal takes the money into 'house:payouts' and is PROCESSING. The other ledger writes the receipt,
-- out of its 'house:transit', which is the moment at which it is paid. Then the withdrawal is COMPLETED, into 'house:transit'
-- here. So over all ledgers 'house:transit' is zero but for what is on its way.

CREATE TABLE withdrawals (
  account_id TEXT NOT NULL REFERENCES accounts (id),
  id TEXT NOT NULL,
  type TEXT NOT NULL CHECK (type IN ('ONCHAIN_WITHDRAWAL', 'INTERNAL_WITHDRAWAL')),
  asset TEXT NOT NULL,
  network TEXT NOT NULL,
  address TEXT NOT NULL,
  -- What the address receives. The account pays this and the fee.
  amount INTEGER NOT NULL CHECK (amount > 0),
  fee INTEGER NOT NULL CHECK (fee >= 0),
  -- The value of the amount without the fee, in atoms of USDT, at the firm price of the request.
  usd_value INTEGER NOT NULL CHECK (usd_value >= 0),
  status TEXT NOT NULL CHECK (status IN ('PENDING', 'PROCESSING', 'COMPLETED', 'FAILED')),
  -- When the money was taken. The daily limit counts by this time.
  committed_at INTEGER NOT NULL,
  -- The time step of the second factor's code that was sent with it. NULL when the account had no second factor.
  totp_step INTEGER,
  allowlist_required INTEGER NOT NULL CHECK (allowlist_required IN (0, 1)),
  tx_hash TEXT,
  reason TEXT,
  -- What the exchange told the holder about a rejection, if anything.
  note TEXT CHECK (note IS NULL OR (reason IS 'rejected' AND length(note) BETWEEN 1 AND 200)),
  daily_limit INTEGER NOT NULL CHECK (daily_limit >= 0),
  key_id TEXT NOT NULL,
  -- When it was last released, which means that all checks allowed its payment: in the batch that took the money, at its
  -- approval, and before each later submission to the custodian. NULL while it waits for its review.
  released_at INTEGER,
  -- How often the sweep has looked it up at the custodian, and when it does so next.
  asks INTEGER NOT NULL DEFAULT 0 CHECK (asks >= 0),
  next_ask_at INTEGER,
  -- When the address belongs to another account of this exchange: that account, and the id of its receipt in `deposits`. Both
  -- name their ledger. Where that is another one, the receipt's id is drawn with the withdrawal, so it is paid once.
  recipient TEXT,
  receipt_id TEXT,
  -- The numbers of its transfers: took amount and fee, paid the amount, with the next number for the fee, returned both.
  taken_transfer INTEGER NOT NULL,
  paid_transfer INTEGER,
  returned_transfer INTEGER,
  -- Why the custodian waits before it pays, in its own words, and since when Bureau knows it. Only the operator sees it.
  held_reason TEXT,
  held_since INTEGER
    CHECK ((held_reason IS NULL) = (held_since IS NULL) AND (held_since IS NULL OR status = 'PROCESSING')),
  -- Who pays it by hand, where no custodian is configured that pays: the e-mail of a person, or the name of a token.
  claimed_by TEXT,
  claimed_at INTEGER CHECK ((claimed_at IS NULL) = (claimed_by IS NULL)),
  -- The client's own name for it, if it has one. An account uses each once, for good.
  client_order_id TEXT CHECK (length(client_order_id) BETWEEN 1 AND 64),
  PRIMARY KEY (account_id, id),
  CHECK ((type = 'INTERNAL_WITHDRAWAL') = (recipient IS NOT NULL)),
  CHECK (recipient <> account_id),
  CHECK ((receipt_id IS NOT NULL) = (
    recipient IS NOT NULL AND (status = 'COMPLETED' OR substr(recipient, 16, 3) <> substr(id, 16, 3)))),
  CHECK (substr(receipt_id, 16, 3) = substr(recipient, 16, 3)),
  CHECK ((status = 'COMPLETED') = (paid_transfer IS NOT NULL)),
  CHECK ((status = 'FAILED') = (returned_transfer IS NOT NULL)),
  CHECK (type = 'ONCHAIN_WITHDRAWAL' OR (fee = 0 AND tx_hash IS NULL)),
  CHECK (status <> 'COMPLETED' OR type = 'INTERNAL_WITHDRAWAL' OR tx_hash IS NOT NULL),
  CHECK ((status = 'FAILED') = (reason IS NOT NULL))
) STRICT, WITHOUT ROWID;

CREATE INDEX withdrawals_open ON withdrawals (status, id) WHERE status IN ('PENDING', 'PROCESSING');

-- For the sweep, which looks up the withdrawals that have been due longest.
CREATE INDEX withdrawals_to_ask ON withdrawals (next_ask_at) WHERE status = 'PROCESSING';

-- Those to accounts of other ledgers, which the reconciliation compares with their receipts there.
CREATE INDEX withdrawals_to_other_ledgers ON withdrawals (paid_transfer)
  WHERE substr(recipient, 16, 3) <> substr(id, 16, 3);

-- To find the withdrawal of a transfer: a transfer out of house:payouts does not always name the account.
CREATE UNIQUE INDEX withdrawals_by_id ON withdrawals (id);

CREATE UNIQUE INDEX withdrawals_by_client_id ON withdrawals (account_id, client_order_id)
  WHERE client_order_id IS NOT NULL;

-- Where no withdrawal goes out: '*' while all are halted, and each paused network.
CREATE VIEW suspended_networks AS
  SELECT '*' AS network WHERE NOT EXISTS (SELECT 1 FROM settings WHERE withdrawals_halted = 0)
  UNION ALL
  SELECT value FROM settings, json_each(settings.paused_networks);

CREATE TRIGGER withdrawals_are_guarded BEFORE INSERT ON withdrawals
BEGIN
  SELECT RAISE(ABORT, 'guard: withdrawal exists')
    WHERE EXISTS (SELECT 1 FROM withdrawals WHERE id = NEW.id);
  SELECT RAISE(ABORT, 'guard: client_order_id_reused')
    WHERE EXISTS (
      SELECT 1 FROM withdrawals WHERE account_id = NEW.account_id AND client_order_id = NEW.client_order_id);
  SELECT (CASE
      WHEN key.id IS NULL OR key.revoked_at IS NOT NULL THEN RAISE(ABORT, 'guard: key_revoked')
      WHEN key.expires_at <= NEW.committed_at THEN RAISE(ABORT, 'guard: key_expired ' || key.expires_at) END)
    FROM (SELECT 1) LEFT JOIN api_keys AS key ON key.id = NEW.key_id AND key.account_id = NEW.account_id;
  SELECT RAISE(ABORT, 'guard: a withdrawal is let out as it is taken')
    WHERE NEW.claimed_by IS NOT NULL OR NEW.released_at IS NOT iif(NEW.status = 'PENDING', NULL, NEW.committed_at)
      OR (NEW.next_ask_at IS NULL) IS NOT (NEW.status IS NOT 'PROCESSING');
  -- Without a review, one on a chain goes to the custodian next, and one to another ledger to that. One to another account
  -- here is paid in the same batch.
  SELECT RAISE(ABORT, 'guard: a withdrawal begins before it ends')
    WHERE NEW.status IS NOT 'PENDING'
      AND NEW.status IS NOT iif(substr(NEW.recipient, 16, 3) IS substr(NEW.id, 16, 3), 'COMPLETED', 'PROCESSING');
  SELECT (CASE
      WHEN status <> 'active' THEN RAISE(ABORT, 'guard: account_frozen')
      WHEN held_until > NEW.committed_at THEN RAISE(ABORT, 'guard: account_recovered ' || held_until) END)
    FROM accounts WHERE id = NEW.account_id;
  SELECT RAISE(ABORT, 'guard: withdrawals_suspended') FROM suspended_networks WHERE network IN (NEW.network, '*');
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
  -- The limit and the threshold are for the sum of the 24 hours before `committed_at`, so that splitting a withdrawal avoids
  -- neither. An id is at most a day older than its commit, so ids of 48 hours are enough.
  SELECT (CASE
      WHEN NEW.usd_value + used > NEW.daily_limit THEN RAISE(ABORT, 'guard: daily_limit_exceeded ' || used)
      WHEN NEW.status IS NOT 'PENDING' AND NEW.usd_value + used > (SELECT review_threshold FROM settings)
        THEN RAISE(ABORT, 'guard: review_required') END)
    FROM (
      SELECT coalesce(sum(usd_value), 0) AS used FROM withdrawals
      WHERE account_id = NEW.account_id
        AND id > printf('%08x-%04x', NEW.committed_at - 172800000 >> 16, NEW.committed_at - 172800000 & 65535)
        AND committed_at > NEW.committed_at - 86400000 AND status <> 'FAILED');
  SELECT RAISE(ABORT, 'guard: a withdrawal names the daily limit of its account')
    WHERE NEW.daily_limit IS NOT (SELECT daily_withdrawal_limit FROM accounts WHERE id = NEW.account_id);
  SELECT RAISE(ABORT, 'guard: a withdrawal inside is paid to the owner of its address')
    WHERE substr(NEW.recipient, 16, 3) IS substr(NEW.id, 16, 3) AND NEW.recipient IS NOT (
      SELECT account_id FROM addresses WHERE network = NEW.network AND address = NEW.address);
END;

CREATE TRIGGER withdrawals_take_money AFTER INSERT ON withdrawals
BEGIN
  INSERT INTO transfers (id, debit, credit, asset, amount, kind, reference) VALUES (
    NEW.taken_transfer, NEW.account_id, 'house:payouts', NEW.asset, NEW.amount + NEW.fee, 'withdrawal', NEW.id);
  INSERT INTO transfers (id, debit, credit, asset, amount, kind, reference)
    SELECT NEW.paid_transfer, 'house:payouts', NEW.recipient, NEW.asset, NEW.amount, 'withdrawal', NEW.id
    WHERE NEW.status = 'COMPLETED';
  INSERT INTO deposits (account_id, id, type, asset, amount, usd_value, status, withdrawal_id, transfer)
    SELECT NEW.recipient, NEW.receipt_id, 'INTERNAL_DEPOSIT', NEW.asset, NEW.amount, NEW.usd_value, 'COMPLETED', NEW.id,
      NEW.paid_transfer
    WHERE NEW.status = 'COMPLETED';
  INSERT INTO happenings VALUES (NEW.account_id, 'withdrawal.' || lower(NEW.status), NEW.id, NULL);
END;

-- A withdrawal never goes back to an earlier status. An UPDATE selects it by its id alone and not by its status, so that a
-- repeated UPDATE is refused here instead of matching no row.
CREATE TRIGGER withdrawals_move_on BEFORE UPDATE ON withdrawals
BEGIN
  SELECT RAISE(ABORT, 'guard: withdrawal_settled')
    WHERE OLD.status IN ('COMPLETED', 'FAILED') OR (OLD.status = 'PROCESSING' AND NEW.status = 'PENDING');
  -- One on a chain completes only after PROCESSING, when the custodian has it, and one to another ledger when that has it.
  -- One to an account here never is PROCESSING.
  SELECT RAISE(ABORT, 'guard: a withdrawal takes the steps of its type')
    WHERE OLD.status = 'PENDING' AND NEW.status NOT IN ('PENDING', 'FAILED')
      AND NEW.status IS NOT iif(substr(NEW.recipient, 16, 3) IS substr(NEW.id, 16, 3), 'COMPLETED', 'PROCESSING');
  SELECT RAISE(ABORT, 'guard: a withdrawal keeps what it is')
    WHERE (NEW.account_id, NEW.id, NEW.type, NEW.asset, NEW.network, NEW.address, NEW.amount, NEW.fee, NEW.usd_value,
        NEW.committed_at, NEW.totp_step, NEW.key_id, NEW.daily_limit, NEW.recipient, NEW.taken_transfer,
        NEW.client_order_id)
      IS NOT (OLD.account_id, OLD.id, OLD.type, OLD.asset, OLD.network, OLD.address, OLD.amount, OLD.fee, OLD.usd_value,
        OLD.committed_at, OLD.totp_step, OLD.key_id, OLD.daily_limit, OLD.recipient, OLD.taken_transfer,
        OLD.client_order_id)
      OR NEW.status IS NULL OR (OLD.receipt_id IS NOT NULL AND NEW.receipt_id IS NOT OLD.receipt_id)
      -- `tx_hash` and `reason` change only together with the status, `note` only with a rejection, and
      -- `allowlist_required` only with an approval.
      OR (NEW.status IS OLD.status AND (NEW.tx_hash IS NOT OLD.tx_hash OR NEW.reason IS NOT OLD.reason))
      OR (NEW.note IS NOT OLD.note AND (OLD.status <> 'PENDING' OR NEW.status IS NOT 'FAILED'))
      OR (NEW.allowlist_required IS NOT OLD.allowlist_required AND (OLD.status <> 'PENDING' OR NEW.released_at IS NULL));
  SELECT RAISE(ABORT, 'guard: a withdrawal goes on once it is let out')
    WHERE (OLD.status = 'PENDING' AND NEW.status IN ('PROCESSING', 'COMPLETED') AND NEW.released_at IS NULL)
      OR (NEW.status = 'PROCESSING' AND NEW.next_ask_at IS NULL);
END;

CREATE TRIGGER withdrawals_change_their_status BEFORE UPDATE OF status ON withdrawals
BEGIN
  SELECT RAISE(ABORT, 'guard: withdrawal_settled') WHERE NEW.status IS OLD.status;
END;

-- Every UPDATE that names `released_at` is checked here, whichever time it sets. An approval may come days after the
-- request, so it also checks the key, the address and a recovery again. Payouts that were released before a recovery go on.
-- A key that has only expired since then is accepted: it was valid at the time of the request.
CREATE TRIGGER withdrawals_are_let_out BEFORE UPDATE OF released_at ON withdrawals
BEGIN
  SELECT RAISE(ABORT, 'guard: withdrawal_settled') WHERE OLD.status IN ('COMPLETED', 'FAILED');
  SELECT RAISE(ABORT, 'guard: a withdrawal is let out at a time')
    WHERE NEW.released_at IS NULL OR NEW.status NOT IN ('PROCESSING', 'COMPLETED');
  SELECT (CASE
      WHEN status <> 'active' THEN RAISE(ABORT, 'guard: account_frozen')
      WHEN OLD.status = 'PENDING' AND held_until > NEW.released_at
        THEN RAISE(ABORT, 'guard: account_recovered ' || held_until) END)
    FROM accounts WHERE id = NEW.account_id;
  SELECT RAISE(ABORT, 'guard: withdrawals_suspended') FROM suspended_networks WHERE network IN (NEW.network, '*');
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

CREATE TRIGGER withdrawals_pay_or_return_money AFTER UPDATE OF status ON withdrawals
BEGIN
  INSERT INTO transfers (id, debit, credit, asset, amount, kind, reference)
    SELECT NEW.paid_transfer, 'house:payouts', iif(NEW.recipient IS NULL, 'house:custody',
      iif(substr(NEW.recipient, 16, 3) = substr(NEW.id, 16, 3), NEW.recipient, 'house:transit')),
      NEW.asset, NEW.amount, 'withdrawal', NEW.id
    WHERE NEW.status = 'COMPLETED';
  INSERT INTO transfers (id, debit, credit, asset, amount, kind, reference)
    SELECT NEW.paid_transfer + 1, 'house:payouts', 'house:fees', NEW.asset, NEW.fee, 'withdrawal', NEW.id
    WHERE NEW.status = 'COMPLETED' AND NEW.fee > 0;
  INSERT INTO deposits (account_id, id, type, asset, amount, usd_value, status, withdrawal_id, transfer)
    SELECT NEW.recipient, NEW.receipt_id, 'INTERNAL_DEPOSIT', NEW.asset, NEW.amount, NEW.usd_value, 'COMPLETED', NEW.id,
      NEW.paid_transfer
    WHERE NEW.status = 'COMPLETED' AND substr(NEW.recipient, 16, 3) IS substr(NEW.id, 16, 3);
  INSERT INTO transfers (id, debit, credit, asset, amount, kind, reference)
    SELECT NEW.returned_transfer, 'house:payouts', NEW.account_id, NEW.asset, NEW.amount + NEW.fee, 'withdrawal', NEW.id
    WHERE NEW.status = 'FAILED';
  INSERT INTO happenings VALUES (NEW.account_id, 'withdrawal.' || lower(NEW.status), NEW.id, NULL);
END;

CREATE TRIGGER withdrawals_are_not_deleted BEFORE DELETE ON withdrawals
BEGIN
  SELECT RAISE(ABORT, 'guard: a withdrawal is never deleted');
END;

-- Only what may be paid is claimed. A claim is given back before the withdrawal has ended. After that it says who paid.
CREATE TRIGGER withdrawals_are_claimed_once BEFORE UPDATE OF claimed_by, claimed_at ON withdrawals
BEGIN
  SELECT RAISE(ABORT, 'guard: payout claim exists') WHERE OLD.claimed_by IS NOT NULL AND NEW.claimed_by IS NOT NULL;
  SELECT RAISE(ABORT, 'guard: withdrawal_settled')
    WHERE OLD.status <> 'PROCESSING' OR NEW.status <> 'PROCESSING' OR NEW.type <> 'ONCHAIN_WITHDRAWAL';
  SELECT RAISE(ABORT, 'guard: account_frozen')
    WHERE NEW.claimed_by IS NOT NULL
      AND NOT EXISTS (SELECT 1 FROM accounts WHERE id = NEW.account_id AND status = 'active');
  SELECT RAISE(ABORT, 'guard: withdrawals_suspended') FROM suspended_networks
    WHERE NEW.claimed_by IS NOT NULL AND network IN (NEW.network, '*');
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
        (NEW.id = paid_transfer AND NEW.debit = 'house:payouts' AND NEW.amount = amount
          AND NEW.credit = iif(recipient IS NULL, 'house:custody',
            iif(substr(recipient, 16, 3) = substr(id, 16, 3), recipient, 'house:transit'))) OR
        (NEW.id = paid_transfer + 1 AND NEW.debit = 'house:payouts' AND NEW.credit = 'house:fees'
          AND NEW.amount = fee) OR
        (NEW.id = returned_transfer AND NEW.debit = 'house:payouts' AND NEW.credit = account_id
          AND NEW.amount = amount + fee)));
END;
