-- The deposit addresses of accounts, and the pool of Solana addresses that were made offline.
--
-- Coins can arrive at an address at any later time, so an address is assigned once and forever: no row is changed, deleted
-- or replaced, and no address has two owners. The BEFORE INSERT triggers refuse INSERT OR REPLACE, which deletes a row without
-- firing a DELETE trigger.

CREATE TABLE addresses (
  account_id TEXT NOT NULL REFERENCES accounts (id),
  network TEXT NOT NULL,
  -- In its canonical form (src/wallet/addresses/validate-address.ts).
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
