-- The deposit addresses of accounts, the pool of Solana addresses that were made offline, and the directory.
--
-- Coins can arrive at an address at any later time, so an address is assigned once and forever.
--
-- The directory is what is unique in the whole exchange, whichever ledger holds the rest of it. Only ledger 0's tables are
-- used, but for refused receipts. No order and no read touches them. A row is written before the record that it makes unique,
-- in a batch of its own. A crash between the two leaves a name that its holder may still use, or an index that nobody has. So
-- nothing there is ever changed, deleted or replaced.

CREATE TABLE addresses (
  account_id TEXT NOT NULL REFERENCES accounts (id),
  network TEXT NOT NULL,
  -- In its canonical form (src/addresses/validate-address.ts).
  address TEXT NOT NULL,
  PRIMARY KEY (account_id, network)
) STRICT, WITHOUT ROWID;

-- To find the account of a deposit. An account has the same address on all EVM networks, with a row for each network.
CREATE UNIQUE INDEX addresses_have_one_owner ON addresses (network, address);

CREATE TRIGGER addresses_are_given_once BEFORE INSERT ON addresses
WHEN EXISTS (SELECT 1 FROM addresses WHERE account_id = NEW.account_id AND network = NEW.network)
  OR EXISTS (SELECT 1 FROM addresses WHERE network = NEW.network AND address = NEW.address)
BEGIN
  SELECT RAISE(ABORT, 'guard: address exists');
END;

CREATE TRIGGER addresses_are_not_changed BEFORE UPDATE ON addresses
BEGIN
  SELECT RAISE(ABORT, 'guard: an address is never changed');
END;

CREATE TRIGGER addresses_are_not_deleted BEFORE DELETE ON addresses
BEGIN
  SELECT RAISE(ABORT, 'guard: an address is never deleted');
END;

-- The Solana address of each account index. The operator derives them offline from the seed and uploads them.
CREATE TABLE solana_pool (
  address_index INTEGER PRIMARY KEY NOT NULL CHECK (address_index >= 0),
  address TEXT NOT NULL UNIQUE
) STRICT, WITHOUT ROWID;

CREATE TRIGGER solana_pool_is_filled_once BEFORE INSERT ON solana_pool
WHEN EXISTS (SELECT 1 FROM solana_pool WHERE address_index = NEW.address_index OR address = NEW.address)
BEGIN
  SELECT RAISE(ABORT, 'guard: solana address exists');
END;

CREATE TRIGGER solana_pool_is_not_changed BEFORE UPDATE ON solana_pool
BEGIN
  SELECT RAISE(ABORT, 'guard: the solana pool is never changed');
END;

CREATE TRIGGER solana_pool_is_not_deleted BEFORE DELETE ON solana_pool
BEGIN
  SELECT RAISE(ABORT, 'guard: the solana pool is never deleted');
END;

-- The index of each account, of which its deposit addresses are derived. Never used again, also if no account was opened.
CREATE TABLE address_indexes (
  address_index INTEGER PRIMARY KEY NOT NULL CHECK (address_index >= 0),
  account_id TEXT NOT NULL UNIQUE
) STRICT, WITHOUT ROWID;

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

-- Names that only one holder may have, by kind:
--   address     '<network> <address>', held by the account that receives there
--   output      '<network> <transaction> <output>', held by the ledger that has its deposit, as a number
--   settlement  '<reference>', held by the ledger that settles the trade
--   external_id the operator's own id of an account, held by the ledger of the account, as a number
--   opening     '<caller> <Idempotency-Key>', held by the ledger in which that request opens its account, as a number. Sent
--               again, the request goes to the same ledger, whatever would be drawn then.
--   refused_receipt  its id, held by the account whose it would be: its ledger has refused to write it, also if it arrives
--               late, so that the money may go back in the other ledger
CREATE TABLE claims (
  kind TEXT NOT NULL,
  name TEXT NOT NULL,
  holder TEXT NOT NULL,
  PRIMARY KEY (kind, name)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER claims_are_made_once BEFORE INSERT ON claims
BEGIN
  SELECT RAISE(ABORT, 'guard: claim exists')
    WHERE EXISTS (SELECT 1 FROM claims WHERE kind = NEW.kind AND name = NEW.name);
  SELECT RAISE(ABORT, 'guard: no such kind of claim')
    WHERE NEW.kind IS NULL
      OR NEW.kind NOT IN ('address', 'output', 'settlement', 'external_id', 'opening', 'refused_receipt', 'funding');
  SELECT RAISE(ABORT, 'guard: deposit exists')
    WHERE NEW.kind = 'refused_receipt'
      AND EXISTS (SELECT 1 FROM deposits WHERE account_id = NEW.holder AND id = NEW.name);
END;

CREATE TRIGGER claims_are_not_changed BEFORE UPDATE ON claims
BEGIN
  SELECT RAISE(ABORT, 'guard: a claim is never changed');
END;

CREATE TRIGGER claims_are_not_deleted BEFORE DELETE ON claims
BEGIN
  SELECT RAISE(ABORT, 'guard: a claim is never deleted');
END;
