-- Withdrawals to accounts of other ledgers.
--
-- The database of the other ledger stands in for the custodian, and a movement for the transaction: the withdrawal takes
-- the money into 'house:payouts' and is PROCESSING; the other ledger writes the receipt and the in half, which is the
-- moment at which it is paid; then the withdrawal is COMPLETED, which writes the out half. The movement's id is made for
-- the ledger that it goes to, and is the receipt's id there.

ALTER TABLE movements ADD COLUMN record_id TEXT;

-- The account in another ledger that is paid, and the movement that pays it. `recipient` is of this ledger. Such a row
-- takes the steps of an ONCHAIN_WITHDRAWAL and is shown as an INTERNAL_WITHDRAWAL: a CHECK ties that type to
-- `recipient`, and changing a CHECK would copy the whole table.
ALTER TABLE withdrawals ADD COLUMN peer_recipient TEXT;
ALTER TABLE withdrawals ADD COLUMN movement TEXT;

-- Movements that this ledger has refused to receive, for good: one that arrives late is refused as well. So the money may
-- go back in the other ledger.
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

DROP TRIGGER movements_are_guarded;

-- Each half has its reason: the inventory's own, or a record that names it.
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
      ELSE 0
    END;
  SELECT RAISE(ABORT, 'guard: the halves of a ledger have its number')
    WHERE NEW.ledger <> (SELECT ledger FROM movements LIMIT 1);
  SELECT RAISE(ABORT, 'guard: a movement names the next transfer')
    WHERE NEW.transfer IS NOT (SELECT coalesce(max(id), 0) + 1 FROM transfers);
END;

CREATE TRIGGER withdrawals_to_other_ledgers_are_guarded BEFORE INSERT ON withdrawals
WHEN NEW.peer_recipient IS NOT NULL OR NEW.movement IS NOT NULL
BEGIN
  SELECT RAISE(ABORT, 'guard: a withdrawal to another ledger has a movement there, and no fee')
    WHERE NEW.peer_recipient IS NULL OR NEW.movement IS NULL OR NEW.type IS NOT 'ONCHAIN_WITHDRAWAL'
      OR NEW.fee IS NOT 0 OR substr(NEW.movement, 16, 3) IS substr(NEW.id, 16, 3);
END;

CREATE TRIGGER withdrawals_keep_their_movement BEFORE UPDATE ON withdrawals
WHEN NEW.peer_recipient IS NOT OLD.peer_recipient OR NEW.movement IS NOT OLD.movement
  OR (NEW.movement IS NOT NULL AND NEW.tx_hash IS NOT NULL AND NEW.tx_hash IS NOT NEW.movement)
BEGIN
  SELECT RAISE(ABORT, 'guard: a withdrawal keeps its movement');
END;

-- Nobody pays such a withdrawal by hand.
CREATE TRIGGER payout_claims_are_for_the_custodian BEFORE INSERT ON payout_claims
WHEN EXISTS (
  SELECT 1 FROM withdrawals
  WHERE account_id = NEW.account_id AND id = NEW.withdrawal_id AND peer_recipient IS NOT NULL)
BEGIN
  SELECT RAISE(ABORT, 'guard: withdrawal_settled');
END;

DROP TRIGGER withdrawals_pay_money;

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

-- A receipt whose id and withdrawal name different ledgers is of a withdrawal in another ledger, which is out of reach
-- here. It has a transfer of its own, that of its movement. Nothing comes in while withdrawals are halted here.

DROP TRIGGER deposits_are_recorded_once;

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
