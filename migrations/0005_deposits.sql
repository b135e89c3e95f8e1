-- Deposits. There are three sorts: those that the custodian reports from a chain, those that the operator credits by hand,
-- and receipts, by which an account sees a withdrawal of another account that was paid to it. A completed deposit has one
-- transfer. A receipt has none of its own: it names the one that paid the withdrawal. A deposit to an address that belongs
-- to no account has the owner 'house:unowned'.
--
-- A deposit below the minimum is QUARANTINED with the reason 'below_minimum' from its first report on. It takes one row.
-- Later reports of it write nothing, unless it fails. What else is quarantined waits for the operator, who credits it to an
-- account, or keeps it in custody, owed to nobody.
--
-- An inner payment is one that a contract makes within a transaction. Its output index is 2^31 or more. Only a trace shows
-- it, and whether a trace is right depends on the node, so a report never credits it: it is QUARANTINED with the reason
-- 'inner_payment', or 'below_minimum', until the operator decides.

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
  reason TEXT,
  reference TEXT,
  withdrawal_id TEXT,
  -- Of a deposit from a chain: where it was seen, and its exact amount as a decimal.
  network TEXT,
  tx_hash TEXT,
  output_index INTEGER,
  address TEXT,
  exact_amount TEXT,
  confirmations INTEGER,
  transfer INTEGER,
  decision TEXT CHECK (decision IN ('KEPT', 'CREDITED')),
  -- The deposit by which the account received it, which the decision writes, and its value then.
  credit_account TEXT,
  credit_id TEXT,
  credit_usd_value INTEGER
    CHECK ((decision IS 'CREDITED') = (credit_account IS NOT NULL AND credit_id IS NOT NULL AND credit_usd_value IS NOT NULL)
      AND (decision IS 'CREDITED') = (coalesce(credit_account, credit_id, credit_usd_value) IS NOT NULL)),
  -- Of a deposit from a chain that was credited: how many watchers had reported the same, when that was, and the most that
  -- this ledger then credited in 24 hours on the word of one, in atoms. NULL for no bound.
  agreed_by INTEGER CHECK (agreed_by IN (1, 2)),
  credited_at INTEGER,
  single_bound INTEGER,
  PRIMARY KEY (account_id, id),
  CHECK ((type = 'INTERNAL_DEPOSIT') = ((reference IS NOT NULL) <> (withdrawal_id IS NOT NULL))),
  CHECK ((type = 'ONCHAIN_DEPOSIT') = (network IS NOT NULL AND tx_hash IS NOT NULL AND output_index IS NOT NULL
    AND address IS NOT NULL AND exact_amount IS NOT NULL AND confirmations IS NOT NULL)),
  CHECK ((status = 'QUARANTINED') = (reason IS NOT NULL)),
  CHECK ((status = 'COMPLETED') = (transfer IS NOT NULL)),
  CHECK (withdrawal_id IS NULL OR status = 'COMPLETED'),
  CHECK (status <> 'COMPLETED' OR (amount > 0 AND account_id <> 'house:unowned')),
  -- A report never credits an inner payment.
  CHECK (output_index < 2147483648 OR status IN ('QUARANTINED', 'FAILED'))
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX deposits_once_per_reference ON deposits (account_id, reference) WHERE reference IS NOT NULL;
-- Receipts of withdrawals in other ledgers, with which the reconciliation compares them.
CREATE INDEX deposits_from_other_ledgers ON deposits (transfer)
  WHERE substr(withdrawal_id, 16, 3) <> substr(id, 16, 3);
CREATE UNIQUE INDEX deposits_once_per_output ON deposits (network, tx_hash, output_index) WHERE network IS NOT NULL;

-- A receipt whose id and withdrawal name different ledgers is of a withdrawal in another ledger, out of reach here: it has a
-- transfer of its own, out of 'house:transit'. None comes in while withdrawals are halted here, nor one that was refused.
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
    WHERE NEW.withdrawal_id IS NOT NULL
      AND NOT (length(NEW.id) = 36 AND length(NEW.withdrawal_id) = 36
        AND substr(NEW.withdrawal_id, 16, 3) <> substr(NEW.id, 16, 3))
      AND NOT EXISTS (
        SELECT 1 FROM withdrawals
        WHERE id = NEW.withdrawal_id AND recipient = NEW.account_id AND receipt_id = NEW.id AND asset = NEW.asset
          AND amount = NEW.amount AND usd_value = NEW.usd_value AND paid_transfer = NEW.transfer);
  SELECT RAISE(ABORT, 'guard: withdrawals_suspended')
    WHERE substr(NEW.withdrawal_id, 16, 3) <> substr(NEW.id, 16, 3)
      AND NOT EXISTS (SELECT 1 FROM settings WHERE withdrawals_halted = 0);
  SELECT RAISE(ABORT, 'guard: receipt_refused')
    WHERE EXISTS (SELECT 1 FROM claims WHERE kind = 'refused_receipt' AND name = NEW.id);
  SELECT RAISE(ABORT, 'guard: a deposit begins undecided') WHERE NEW.decision IS NOT NULL;
  SELECT RAISE(ABORT, 'guard: no decision explains the credit')
    WHERE NEW.reference GLOB 'quarantine *' AND NOT EXISTS (
      SELECT 1 FROM deposits
      WHERE credit_account = NEW.account_id AND credit_id = NEW.id AND 'quarantine ' || id = NEW.reference
        AND asset = NEW.asset AND amount = NEW.amount AND decision = 'CREDITED');
END;

-- A deposit never goes back to an earlier status, and one that was credited or failed never changes. An UPDATE selects a
-- deposit by its id alone and not by its status, so that a repeated UPDATE is refused here instead of matching no row.
CREATE TRIGGER deposits_move_on BEFORE UPDATE ON deposits
BEGIN
  SELECT RAISE(ABORT, 'guard: deposit_settled') WHERE OLD.status IN ('COMPLETED', 'FAILED');
  SELECT RAISE(ABORT, 'guard: a deposit keeps what it is')
    WHERE (NEW.account_id, NEW.id, NEW.type, NEW.asset, NEW.amount, NEW.usd_value, NEW.reference, NEW.withdrawal_id,
        NEW.network, NEW.tx_hash, NEW.output_index, NEW.address, NEW.exact_amount)
      IS NOT (OLD.account_id, OLD.id, OLD.type, OLD.asset, OLD.amount, OLD.usd_value, OLD.reference, OLD.withdrawal_id,
        OLD.network, OLD.tx_hash, OLD.output_index, OLD.address, OLD.exact_amount)
      OR NEW.status IS NULL OR (OLD.status = 'QUARANTINED' AND NEW.status = 'PENDING');
END;

-- What the second watcher has seen. It credits nothing by itself.
CREATE TABLE witnessed_deposits (
  network TEXT NOT NULL,
  tx_hash TEXT NOT NULL,
  output_index INTEGER NOT NULL,
  address TEXT NOT NULL,
  asset TEXT NOT NULL,
  exact_amount TEXT NOT NULL,
  confirmations INTEGER NOT NULL,
  PRIMARY KEY (network, tx_hash, output_index)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER deposits_are_not_deleted BEFORE DELETE ON deposits
BEGIN
  SELECT RAISE(ABORT, 'guard: a deposit is never deleted');
END;

-- The number and the sum of the deposits below the minimum, one row for each asset and network, so that reading them takes
-- the same time however many there are. The sum is of the exact amounts. A 64-bit number has no room for 18 decimals, so
-- the sum has three parts: whole units, 10^-9 and 10^-18 of a unit. No part carries over into another.
CREATE TABLE dust (
  asset TEXT NOT NULL,
  network TEXT NOT NULL,
  deposits INTEGER NOT NULL DEFAULT 0 CHECK (deposits >= 0),
  units INTEGER NOT NULL DEFAULT 0 CHECK (units >= 0),
  billionths INTEGER NOT NULL DEFAULT 0 CHECK (billionths >= 0),
  quintillionths INTEGER NOT NULL DEFAULT 0 CHECK (quintillionths >= 0),
  PRIMARY KEY (asset, network)
) STRICT, WITHOUT ROWID;

-- The parts of each exact amount.
CREATE VIEW exact_deposits AS
  SELECT account_id, id, asset, network, CAST(exact_amount AS INTEGER) AS units,
    CAST(substr(fraction, 1, 9) AS INTEGER) AS billionths, CAST(substr(fraction, 10, 9) AS INTEGER) AS quintillionths
  FROM (
    SELECT *, substr(exact_amount || '000000000000000000', instr(exact_amount || '.', '.') + 1) AS fraction FROM deposits);

-- A receipt of a withdrawal in this ledger has no transfer of its own.
CREATE TRIGGER deposits_take_effect AFTER INSERT ON deposits
BEGIN
  INSERT INTO transfers (id, debit, credit, asset, amount, kind, reference)
    SELECT NEW.transfer, iif(NEW.withdrawal_id IS NULL, 'house:custody', 'house:transit'), NEW.account_id, NEW.asset,
      NEW.amount, 'deposit', NEW.id
    WHERE NEW.status = 'COMPLETED' AND substr(NEW.withdrawal_id, 16, 3) IS NOT substr(NEW.id, 16, 3);
  INSERT INTO dust SELECT asset, network, 1, units, billionths, quintillionths FROM exact_deposits
    WHERE NEW.reason IS 'below_minimum' AND account_id = NEW.account_id AND id = NEW.id
    ON CONFLICT DO UPDATE SET deposits = deposits + 1, units = units + excluded.units,
      billionths = billionths + excluded.billionths, quintillionths = quintillionths + excluded.quintillionths;
  INSERT INTO happenings VALUES (
    NEW.account_id, iif(NEW.reason IS 'below_minimum', NULL, 'deposit.' || lower(NEW.status)), NEW.id, NULL);
END;

-- One below the minimum leaves the sum when its transaction was reverted.
CREATE TRIGGER deposits_take_their_next_effect AFTER UPDATE ON deposits
BEGIN
  INSERT INTO transfers (id, debit, credit, asset, amount, kind, reference)
    SELECT NEW.transfer, 'house:custody', NEW.account_id, NEW.asset, NEW.amount, 'deposit', NEW.id
    WHERE NEW.status = 'COMPLETED';
  UPDATE dust SET deposits = deposits - 1, units = dust.units - exact.units,
      billionths = dust.billionths - exact.billionths, quintillionths = dust.quintillionths - exact.quintillionths
    FROM exact_deposits AS exact
    WHERE OLD.reason IS 'below_minimum' AND NEW.reason IS NOT 'below_minimum'
      AND exact.account_id = OLD.account_id AND exact.id = OLD.id AND dust.asset = OLD.asset AND dust.network = OLD.network;
  INSERT INTO happenings VALUES (
    NEW.account_id, iif(NEW.status IS OLD.status, NULL, 'deposit.' || lower(NEW.status)), NEW.id, NULL);
END;

-- The first report decides whether a deposit is below the minimum. A minimum that is set later does not change that. And a
-- later report credits none that was decided: one that was kept can still fail on its chain.
CREATE TRIGGER deposits_are_judged_once BEFORE UPDATE OF status, reason, confirmations ON deposits
BEGIN
  SELECT RAISE(ABORT, 'guard: a deposit below the minimum is never credited')
    WHERE OLD.reason IS 'below_minimum' AND NEW.status IS NOT 'FAILED';
  SELECT RAISE(ABORT, 'guard: a deposit is below the minimum from its first report on')
    WHERE OLD.reason IS NOT 'below_minimum' AND NEW.reason IS 'below_minimum';
  SELECT RAISE(ABORT, 'guard: quarantine_decided')
    WHERE OLD.decision IS NOT NULL AND NEW.status IS NOT OLD.status
      AND (OLD.decision IS 'CREDITED' OR NEW.status IS NOT 'FAILED');
  -- A report with nothing new writes nothing. Of two equal reports at the same time, this refuses the second.
  SELECT RAISE(ABORT, 'guard: deposit_unchanged') WHERE NEW.status IS OLD.status AND NEW.reason IS OLD.reason;
END;

-- Those that are decided no longer wait for the operator.
CREATE INDEX deposits_open ON deposits (status, id)
  WHERE status IN ('PENDING', 'QUARANTINED') AND reason IS NOT 'below_minimum' AND decision IS NULL;
CREATE INDEX deposits_decided ON deposits (decision, id) WHERE decision IS NOT NULL;
CREATE INDEX deposits_credited ON deposits (credit_account, credit_id) WHERE credit_id IS NOT NULL;

-- One that was kept may still be credited, when its owner is found. A credit is final. The audit says who decided what, and
-- to whom it went, in the same batch.
CREATE TRIGGER deposits_are_decided_once BEFORE UPDATE ON deposits
WHEN (NEW.decision, NEW.credit_account, NEW.credit_id, NEW.credit_usd_value)
  IS NOT (OLD.decision, OLD.credit_account, OLD.credit_id, OLD.credit_usd_value)
BEGIN
  SELECT RAISE(ABORT, 'guard: quarantine_decided')
    WHERE OLD.decision IS 'CREDITED' OR (OLD.decision IS 'KEPT' AND NEW.decision IS NOT 'CREDITED')
      OR OLD.status IS NOT 'QUARANTINED' OR NEW.status IS NOT 'QUARANTINED';
  SELECT RAISE(ABORT, 'guard: a deposit below the minimum is never credited') WHERE OLD.reason IS 'below_minimum';
  SELECT RAISE(ABORT, 'guard: no audit row names the decision')
    WHERE NOT EXISTS (
      SELECT 1 FROM newest_audit
      WHERE target = NEW.id AND (
        (NEW.decision = 'KEPT' AND action = 'keep_deposit') OR
        (NEW.decision = 'CREDITED' AND action = 'credit_deposit' AND detail ->> 'accountId' = NEW.credit_account)));
  INSERT INTO changes_by_two VALUES (iif(NEW.decision IS 'CREDITED', 'credit_deposit', NULL), NEW.id);
END;

CREATE TRIGGER deposits_are_credited_by_decision AFTER UPDATE OF decision ON deposits
WHEN NEW.decision = 'CREDITED'
BEGIN
  INSERT INTO deposits (account_id, id, type, asset, amount, usd_value, status, reference, transfer) VALUES (
    NEW.credit_account, NEW.credit_id, 'INTERNAL_DEPOSIT', NEW.asset, NEW.amount, NEW.credit_usd_value, 'COMPLETED',
    'quarantine ' || NEW.id, (SELECT coalesce(max(id), 0) + 1 FROM transfers));
END;

CREATE INDEX deposits_of_one_watcher ON deposits (asset, credited_at) WHERE agreed_by = 1;

-- Whoever has taken over the one watcher's process could report what never was. Above the bound a second one must have
-- reported the same, with its own node and token. The transfer is where each deposit is credited, at once or later.
CREATE TRIGGER transfers_of_deposits_are_explained BEFORE INSERT ON transfers
WHEN NEW.kind = 'deposit'
BEGIN
  SELECT (CASE
      WHEN reported.id IS NULL THEN RAISE(ABORT, 'ledger: no deposit explains the transfer')
      WHEN agreed_by = 1 AND single_bound < NEW.amount + (
        SELECT coalesce(sum(amount), 0) FROM deposits
        WHERE agreed_by = 1 AND asset = NEW.asset AND credited_at > reported.credited_at - 86400000
          AND (account_id, id) IS NOT (NEW.credit, NEW.reference))
        THEN RAISE(ABORT, 'guard: second_watcher_needed') END)
    FROM (SELECT 1) LEFT JOIN deposits AS reported
      ON account_id = NEW.credit AND id = NEW.reference AND transfer = NEW.id AND asset = NEW.asset
        AND amount = NEW.amount AND iif(withdrawal_id IS NULL, NEW.debit = 'house:custody',
          substr(withdrawal_id, 16, 3) <> substr(id, 16, 3) AND NEW.debit = 'house:transit');
END;
