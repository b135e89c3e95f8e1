-- A ledger gives inventory away only as far as the house is not short there by more than half of the ledger's exposure.
-- A half that is written already was decided before.
CREATE TRIGGER inventory_is_kept_to_half BEFORE INSERT ON movements
WHEN NEW.purpose = 'INVENTORY' AND NEW.half = 'OUT'
  AND NOT EXISTS (SELECT 1 FROM movements WHERE id = NEW.id)
  AND EXISTS (
    SELECT 1 FROM balances
    WHERE account = 'house:liquidity' AND asset = NEW.asset AND 2 * (amount - NEW.amount) < floor)
BEGIN
  SELECT RAISE(ABORT, 'guard: inventory_needed');
END;
