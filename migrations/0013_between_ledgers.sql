-- Movements between ledgers. A movement takes one amount of one asset out of one ledger and into another. In each of the
-- two it has one row, its half, under the same id: the out half moves the amount from an owner to 'house:transit', the in
-- half from 'house:transit' to an owner. So the balance of 'house:transit' is what has come out and not gone in, or the
-- other way round, and over all ledgers it is zero unless a half is missing. The database of the other ledger is out of
-- reach here: the reconciliation compares the halves.
--
-- For a withdrawal to an account of another ledger, the other ledger's database stands in for the custodian, and a movement
-- for the transaction: the withdrawal takes the money into 'house:payouts' and is PROCESSING; the other ledger writes the
-- receipt and the in half, which is the moment at which it is paid; then the withdrawal is COMPLETED, which writes the out
-- half. The movement's id is made for the ledger that it goes to, and is the receipt's id there.

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
  -- What it is for: INVENTORY, WITHDRAWAL or SETTLEMENT. A trigger checks it.
  purpose TEXT NOT NULL,
  -- The number of its transfer.
  transfer INTEGER NOT NULL,
  -- The record that it is for.
  record_id TEXT,
  PRIMARY KEY (account_id, id),
  CHECK (ledger <> peer)
) STRICT, WITHOUT ROWID;

-- A ledger has one half of a movement, whoever gives or receives it.
CREATE UNIQUE INDEX movements_by_id ON movements (id);

-- The reconciliation compares new halves with those of each other ledger, in the order of their transfers.
CREATE UNIQUE INDEX movements_by_peer ON movements (peer, transfer);

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
      ELSE 0
    END;
  SELECT RAISE(ABORT, 'guard: the halves of a ledger have its number')
    WHERE NEW.ledger <> (SELECT ledger FROM movements LIMIT 1);
  SELECT RAISE(ABORT, 'guard: a movement names the next transfer')
    WHERE NEW.transfer IS NOT (SELECT coalesce(max(id), 0) + 1 FROM transfers);
END;

CREATE TRIGGER movements_move_money AFTER INSERT ON movements
BEGIN
  INSERT INTO transfers (id, debit, credit, asset, amount, kind, reference) VALUES (
    NEW.transfer, iif(NEW.half = 'OUT', NEW.account_id, 'house:transit'),
    iif(NEW.half = 'OUT', 'house:transit', NEW.account_id), NEW.asset, NEW.amount, 'movement', NEW.id);
END;

CREATE TRIGGER movements_are_not_changed BEFORE UPDATE ON movements
BEGIN
  SELECT RAISE(ABORT, 'guard: a movement is never changed');
END;

CREATE TRIGGER movements_are_not_deleted BEFORE DELETE ON movements
BEGIN
  SELECT RAISE(ABORT, 'guard: a movement is never deleted');
END;

-- A transfer of the kind 'movement' must be exactly what its half says, under the half's number.
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

CREATE TRIGGER withdrawals_pay_other_ledgers AFTER UPDATE ON withdrawals
WHEN NEW.status = 'COMPLETED' AND NEW.peer_recipient IS NOT NULL
BEGIN
  INSERT INTO movements (account_id, id, half, asset, amount, ledger, peer, purpose, transfer, record_id) VALUES (
    'house:payouts', NEW.movement, 'OUT', NEW.asset, NEW.amount, (('0x' || substr(NEW.id, 16, 3)) ->> '$'),
    (('0x' || substr(NEW.movement, 16, 3)) ->> '$'), 'WITHDRAWAL', NEW.paid_transfer, NEW.id);
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

CREATE TRIGGER inventory_is_kept_to_half BEFORE INSERT ON movements
WHEN NEW.purpose = 'INVENTORY' AND NEW.half = 'OUT'
  AND NOT EXISTS (SELECT 1 FROM movements WHERE id = NEW.id)
  AND EXISTS (
    SELECT 1 FROM balances
    WHERE account = 'house:liquidity' AND asset = NEW.asset AND 2 * (amount - NEW.amount) < floor)
BEGIN
  SELECT RAISE(ABORT, 'guard: inventory_needed');
END;
