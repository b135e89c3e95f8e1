-- Withdrawals: paid once or not at all. Every check that must hold when the money is taken stands here, in the batch
-- that takes it, whatever was read before.

CREATE TABLE withdrawals (
  account_id TEXT NOT NULL REFERENCES accounts (id),
  id TEXT NOT NULL,
  type TEXT NOT NULL CHECK (type IN ('ONCHAIN_WITHDRAWAL', 'INTERNAL_WITHDRAWAL')),
  asset TEXT NOT NULL,
  network TEXT NOT NULL,
  -- In its canonical form.
  address TEXT NOT NULL,
  -- What the address receives; the account is debited this and the fee.
  amount INTEGER NOT NULL CHECK (amount > 0),
  fee INTEGER NOT NULL CHECK (fee >= 0),
  -- Of the amount, without the fee, in atoms of USDT, at the firm price of the request.
  usd_value INTEGER NOT NULL CHECK (usd_value >= 0),
  status TEXT NOT NULL CHECK (status IN ('PENDING', 'PROCESSING', 'COMPLETED', 'FAILED')),
  -- When the money was taken, which the daily limit counts by.
  committed_at INTEGER NOT NULL,
  -- The step of the code that approved it; NULL where the account had no second factor.
  totp_step INTEGER,
  -- Whether the address had to be on the account's allowlist.
  allowlist_required INTEGER NOT NULL CHECK (allowlist_required IN (0, 1)),
  tx_hash TEXT,
  -- Why it failed.
  reason TEXT,
  PRIMARY KEY (account_id, id),
  CHECK (type = 'ONCHAIN_WITHDRAWAL' OR (fee = 0 AND tx_hash IS NULL)),
  CHECK (status <> 'COMPLETED' OR type = 'INTERNAL_WITHDRAWAL' OR tx_hash IS NOT NULL),
  CHECK ((status = 'FAILED') = (reason IS NOT NULL))
) STRICT, WITHOUT ROWID;

-- What is still to be paid, or waits for a review.
CREATE INDEX withdrawals_open ON withdrawals (status, committed_at) WHERE status IN ('PENDING', 'PROCESSING');

CREATE TRIGGER withdrawals_are_guarded BEFORE INSERT ON withdrawals
BEGIN
  SELECT RAISE(ABORT, 'guard: withdrawal exists')
    WHERE EXISTS (SELECT 1 FROM withdrawals WHERE account_id = NEW.account_id AND id = NEW.id);
  SELECT RAISE(ABORT, 'guard: account_frozen')
    WHERE NOT EXISTS (SELECT 1 FROM accounts WHERE id = NEW.account_id AND status = 'active');
  SELECT RAISE(ABORT, 'guard: withdrawals_suspended')
    WHERE NOT EXISTS (SELECT 1 FROM settings WHERE id = 1 AND withdrawals_halted = 0)
      OR EXISTS (SELECT 1 FROM settings, json_each(settings.paused_networks) AS paused WHERE paused.value = NEW.network);
  -- Where the second factor is on, the batch has just spent the step of the code.
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
  -- A rolling day by the time of commit. An id is at most a day older than its commit, so 48 hours of ids hold it.
  SELECT RAISE(ABORT, 'guard: daily_limit_exceeded ' || used)
    FROM (
      SELECT coalesce(sum(usd_value), 0) AS used FROM withdrawals
      WHERE account_id = NEW.account_id
        AND id > substr(printf('%012x', NEW.committed_at - 172800000), 1, 8) || '-'
          || substr(printf('%012x', NEW.committed_at - 172800000), 9)
        AND committed_at > NEW.committed_at - 86400000 AND status <> 'FAILED')
    WHERE NEW.usd_value + used > (SELECT daily_withdrawal_limit FROM accounts WHERE id = NEW.account_id);
END;

-- A withdrawal moves on and never back. An UPDATE names the withdrawal alone, so that a second one of the same step
-- meets this guard instead of matching nothing.
CREATE TRIGGER withdrawals_move_on BEFORE UPDATE ON withdrawals
BEGIN
  SELECT RAISE(ABORT, 'guard: withdrawal_settled')
    WHERE OLD.status IN ('COMPLETED', 'FAILED') OR NEW.status IS OLD.status
      OR (OLD.status = 'PROCESSING' AND NEW.status NOT IN ('COMPLETED', 'FAILED'));
  SELECT RAISE(ABORT, 'guard: a withdrawal keeps what it is')
    WHERE NEW.account_id IS NOT OLD.account_id OR NEW.id IS NOT OLD.id OR NEW.type IS NOT OLD.type
      OR NEW.asset IS NOT OLD.asset OR NEW.network IS NOT OLD.network OR NEW.address IS NOT OLD.address
      OR NEW.amount IS NOT OLD.amount OR NEW.fee IS NOT OLD.fee OR NEW.usd_value IS NOT OLD.usd_value
      OR NEW.committed_at IS NOT OLD.committed_at OR NEW.totp_step IS NOT OLD.totp_step
      OR NEW.allowlist_required IS NOT OLD.allowlist_required OR NEW.status IS NULL;
END;

CREATE TRIGGER withdrawals_are_not_deleted BEFORE DELETE ON withdrawals
BEGIN
  SELECT RAISE(ABORT, 'guard: a withdrawal is never deleted');
END;

-- Money leaves an account for a withdrawal only as that withdrawal's row says, and comes back only when it failed.
CREATE TRIGGER transfers_of_withdrawals_are_explained BEFORE INSERT ON transfers
WHEN NEW.kind = 'withdrawal'
BEGIN
  SELECT RAISE(ABORT, 'guard: no withdrawal explains the transfer')
    WHERE NEW.debit NOT LIKE 'house:%' AND NOT EXISTS (
      SELECT 1 FROM withdrawals
      WHERE account_id = NEW.debit AND id = NEW.reference AND asset = NEW.asset AND amount + fee = NEW.amount
        AND (NEW.credit = 'house:payouts' OR type = 'INTERNAL_WITHDRAWAL'));
  -- Out of the house's hands it goes outside, to the fees, back to an account whose withdrawal failed, or to the
  -- account inside that has the receipt of it.
  SELECT RAISE(ABORT, 'guard: no withdrawal explains the transfer')
    WHERE NEW.debit LIKE 'house:%' AND (
      NEW.debit <> 'house:payouts'
      OR (NEW.credit NOT LIKE 'house:%' AND NOT EXISTS (
        SELECT 1 FROM withdrawals
        WHERE account_id = NEW.credit AND id = NEW.reference AND asset = NEW.asset AND amount + fee = NEW.amount
          AND status = 'FAILED') AND NOT EXISTS (
        SELECT 1 FROM deposits
        WHERE account_id = NEW.credit AND reference = 'withdrawal ' || NEW.reference AND asset = NEW.asset
          AND amount = NEW.amount)));
END;
