-- The directory: what is unique in the whole exchange, whichever ledger holds the rest of it. Only ledger 0's tables are
-- used. No order and no read touches them.
--
-- A row is written before the record that it makes unique, in a batch of its own. A crash between the two leaves a name
-- that its holder may still use, or an index that nobody has. So nothing here is ever changed, deleted or replaced.

-- The index of each account, of which its deposit addresses are derived. Never used again, also when the account that
-- took it was not opened after all.
CREATE TABLE address_indexes (
  address_index INTEGER PRIMARY KEY NOT NULL CHECK (address_index >= 0),
  account_id TEXT NOT NULL UNIQUE
) STRICT, WITHOUT ROWID;

-- Names that only one holder may have, by kind:
--   address     '<network> <address>', held by the account that receives there
--   output      '<network> <transaction> <output>', held by the ledger that has its deposit, as a number
--   settlement  '<reference>', held by the ledger that settles the trade
CREATE TABLE claims (
  kind TEXT NOT NULL,
  name TEXT NOT NULL,
  holder TEXT NOT NULL,
  PRIMARY KEY (kind, name)
) STRICT, WITHOUT ROWID;

-- What stands already was made in ledger 0.
INSERT INTO address_indexes (address_index, account_id) SELECT address_index, id FROM accounts;
INSERT INTO claims (kind, name, holder) SELECT 'address', network || ' ' || address, account_id FROM addresses;
INSERT INTO claims (kind, name, holder)
  SELECT 'output', network || ' ' || tx_hash || ' ' || output_index, '0' FROM deposits WHERE network IS NOT NULL;
INSERT INTO claims (kind, name, holder)
  SELECT 'settlement', reference, '0' FROM settlements WHERE type <> 'P2P_SELL';

CREATE TRIGGER address_indexes_are_taken_in_order BEFORE INSERT ON address_indexes
BEGIN
  SELECT RAISE(ABORT, 'guard: account exists')
    WHERE EXISTS (SELECT 1 FROM address_indexes WHERE account_id = NEW.account_id);
  SELECT RAISE(ABORT, 'guard: an account takes the next index')
    WHERE NEW.address_index IS NOT (SELECT coalesce(max(address_index) + 1, 0) FROM address_indexes);
END;

CREATE TRIGGER address_indexes_are_not_changed BEFORE UPDATE ON address_indexes
BEGIN
  SELECT RAISE(ABORT, 'guard: an address index is never changed');
END;

CREATE TRIGGER address_indexes_are_not_deleted BEFORE DELETE ON address_indexes
BEGIN
  SELECT RAISE(ABORT, 'guard: an address index is never deleted');
END;

CREATE TRIGGER claims_are_made_once BEFORE INSERT ON claims
BEGIN
  SELECT RAISE(ABORT, 'guard: claim exists')
    WHERE EXISTS (SELECT 1 FROM claims WHERE kind = NEW.kind AND name = NEW.name);
  SELECT RAISE(ABORT, 'guard: no such kind of claim')
    WHERE NEW.kind IS NULL OR NEW.kind NOT IN ('address', 'output', 'settlement');
END;

CREATE TRIGGER claims_are_not_changed BEFORE UPDATE ON claims
BEGIN
  SELECT RAISE(ABORT, 'guard: a claim is never changed');
END;

CREATE TRIGGER claims_are_not_deleted BEFORE DELETE ON claims
BEGIN
  SELECT RAISE(ABORT, 'guard: a claim is never deleted');
END;
