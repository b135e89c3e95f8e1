-- What an order earned the house: the market's middle price at which it was planned, beside the price at which it filled.

-- USDT per coin, 8 decimals, as `executed_price`. NULL for orders that are older than this column.
ALTER TABLE orders ADD COLUMN middle_price INTEGER;

-- No client buys below the market's middle or sells above it.
CREATE TRIGGER orders_fill_beside_the_middle BEFORE INSERT ON orders
WHEN NEW.middle_price IS NOT NULL
BEGIN
  SELECT RAISE(ABORT, 'guard: an order fills on the house''s side of the middle price')
    WHERE NEW.middle_price <= 0
      OR NEW.executed_price < iif(NEW.side = 'BUY', NEW.middle_price, 0)
      OR NEW.executed_price > iif(NEW.side = 'BUY', NEW.executed_price, NEW.middle_price);
END;
