-- Deposits. There are three sorts: those that the custodian reports from a chain, those that the operator credits by hand,
-- and receipts, by which an account sees a withdrawal of another account that was paid to it. A completed deposit has one
-- transfer. A receipt has none of its own: it names the one that paid the withdrawal. A deposit to an address that belongs
-- to no account has the owner 'house:unowned'.

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
  transfer INTEGER,
  PRIMARY KEY (account_id, id),
  CHECK ((type = 'INTERNAL_DEPOSIT') = ((reference IS NOT NULL) <> (withdrawal_id IS NOT NULL))),
  CHECK ((type = 'ONCHAIN_DEPOSIT') = (network IS NOT NULL AND tx_hash IS NOT NULL AND output_index IS NOT NULL
    AND address IS NOT NULL AND exact_amount IS NOT NULL AND confirmations IS NOT NULL)),
  CHECK ((status = 'QUARANTINED') = (reason IS NOT NULL)),
  CHECK ((status = 'COMPLETED') = (transfer IS NOT NULL)),
  CHECK (withdrawal_id IS NULL OR status = 'COMPLETED'),
  CHECK (status <> 'COMPLETED' OR (amount > 0 AND account_id <> 'house:unowned'))
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX deposits_once_per_reference ON deposits (account_id, reference) WHERE reference IS NOT NULL;
CREATE UNIQUE INDEX deposits_once_per_output ON deposits (network, tx_hash, output_index) WHERE network IS NOT NULL;

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
    WHERE NEW.withdrawal_id IS NOT NULL AND NOT EXISTS (
      SELECT 1 FROM withdrawals
      WHERE id = NEW.withdrawal_id AND recipient = NEW.account_id AND receipt_id = NEW.id AND asset = NEW.asset
        AND amount = NEW.amount AND usd_value = NEW.usd_value AND paid_transfer = NEW.transfer);
  SELECT RAISE(ABORT, 'guard: a deposit names the next transfer')
    WHERE NEW.status = 'COMPLETED' AND NEW.withdrawal_id IS NULL
      AND NEW.transfer IS NOT (SELECT coalesce(max(id), 0) + 1 FROM transfers);
END;

-- A deposit never goes back to an earlier status, and one that was credited or failed never changes. An UPDATE selects a
-- deposit by its id alone and not by its status, so that a repeated UPDATE is refused here instead of matching no row.
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

CREATE TRIGGER deposits_are_not_deleted BEFORE DELETE ON deposits
BEGIN
  SELECT RAISE(ABORT, 'guard: a deposit is never deleted');
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

-- A deposit below the minimum is QUARANTINED with the reason 'below_minimum' from its first report on. It takes one row;
-- later reports of it write nothing, unless it fails.
--
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

-- A deposit below the minimum that fails, because its transaction was reverted, leaves the sum again.
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

-- The first report decides whether a deposit is below the minimum. A minimum that is set later does not change that.
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
