-- Deposits that are too small to credit, and rows that change with their state alone.
--
-- A deposit below the smallest that is credited stands in `deposits` as QUARANTINED, with the reason 'below_minimum',
-- from its first report on. Its sender pays for one row; nothing that is reported of it later writes anything.

-- A JSON object of what differs from the asset records, by asset and network, in the asset.
ALTER TABLE settings ADD COLUMN deposit_minimums TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(deposit_minimums));

-- UPDATE OR REPLACE turns a NULL into the column's default.
CREATE TRIGGER settings_name_deposit_minimums BEFORE UPDATE ON settings
WHEN NEW.deposit_minimums IS NULL
BEGIN
  SELECT RAISE(ABORT, 'guard: a setting is never nothing');
END;

-- What the deposits below the minimum come to, so that reading it takes as long however many there are. A row for each
-- asset and network. The sum is of the exact amounts. A 64-bit number does not hold 18 decimals, so it stands in three:
-- whole units, billionths of one (10^-9), and billionths of these (10^-18). None carries over into another.
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

-- A deposit that reverts after all brought nothing.
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

-- The first report decides whether a deposit is too small; a minimum that is set later changes nothing of it.
CREATE TRIGGER deposits_are_judged_once BEFORE UPDATE OF status, reason, confirmations ON deposits
BEGIN
  SELECT RAISE(ABORT, 'guard: a deposit below the minimum is never credited')
    WHERE OLD.reason IS 'below_minimum' AND NEW.status IS NOT 'FAILED';
  SELECT RAISE(ABORT, 'guard: a deposit is below the minimum from its first report on')
    WHERE OLD.reason IS NOT 'below_minimum' AND NEW.reason IS 'below_minimum';
  -- What says nothing new is not written, and of two reports that say the same the second meets this guard.
  SELECT RAISE(ABORT, 'guard: deposit_unchanged')
    WHERE NEW.status IS OLD.status AND NEW.reason IS OLD.reason;
END;
