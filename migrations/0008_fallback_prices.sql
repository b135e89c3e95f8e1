-- The prices that the operator would have shown of a coin while no source answers, and when each was set: a JSON object
-- of {"BTC": {"price": "65000", "setAt": 1795241228900}}. What is not in it has the price that ships with Bureau.

ALTER TABLE settings ADD COLUMN fallback_prices TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(fallback_prices));

CREATE TRIGGER fallback_prices_are_definite BEFORE UPDATE ON settings
WHEN NEW.fallback_prices IS NULL
BEGIN
  SELECT RAISE(ABORT, 'guard: a setting is never nothing');
END;
