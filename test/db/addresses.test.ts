import { beforeAll, describe, it } from 'vitest';
import { networks } from '../../src/money/networks.ts';
import { INSERTS, UPDATES, expectRefused, openFunded } from '../support/db/raw-ledger.ts';
import { env } from '../support/runtime/test-env.ts';
import { sql } from '../support/db/sql.ts';

let owner: string;
let other: string;
beforeAll(async () => {
  [owner, other] = [await openFunded(), await openFunded()];
  await env.DB.batch([
    give(owner, 'BTC', 'a'),
    give(owner, 'ETH', 'b'),
    give(other, 'BTC', 'c'),
    pool(1, 'x'),
    pool(2, 'y'),
  ]);
});

function give(account: string, network: string, address: string, insert = 'INSERT'): D1PreparedStatement {
  return sql(`${insert} INTO addresses (account_id, network, address) VALUES (?, ?, ?)`, account, network, address);
}

function pool(index: number, address: string, insert = 'INSERT'): D1PreparedStatement {
  return sql(`${insert} INTO solana_pool (address_index, address) VALUES (?, ?)`, index, address);
}

describe('an address', () => {
  it.each(INSERTS)('is assigned once for an account and network, and to one account: %s', async (insert) => {
    await expectRefused('guard: address exists', give(owner, 'BTC', 'new', insert));
    await expectRefused('guard: address exists', give(owner, 'BTC', 'a', insert));
    await expectRefused('guard: address exists', give(other, 'ETH', 'b', insert));
  });

  it.each(UPDATES)('is never changed, nor its owner or network: %s', async (update) => {
    const changes = ["address = 'new'", "account_id = 'new'", "network = 'LTC'", 'address = NULL', 'address = address'];
    for (const change of changes) {
      await expectRefused('guard: an address is never changed', sql(`${update} addresses SET ${change}`));
    }
  });

  it('is never deleted, not even to be assigned again', async () => {
    await expectRefused('guard: an address is never deleted', sql('DELETE FROM addresses'), give(owner, 'BTC', 'new'));
  });

  it('is the same on every EVM network of its owner', async () => {
    const account = await openFunded();
    await env.DB.batch(networks.map((network) => give(account, network, 'one')));
    await expectRefused('guard: address exists', give(other, 'BASE', 'one'));
  });

  it('belongs to an account that exists, and is never NULL', async () => {
    await expectRefused('FOREIGN KEY constraint failed', give('nobody', 'LTC', 'z'));
    await expectRefused('NOT NULL', sql('INSERT INTO addresses VALUES (?, ?, NULL)', owner, 'LTC'));
    await expectRefused('NOT NULL', sql('INSERT OR REPLACE INTO addresses VALUES (?, NULL, ?)', owner, 'z'));
  });
});

describe('the pool of Solana addresses', () => {
  it.each(INSERTS)('has each index once, and each address once: %s', async (insert) => {
    await expectRefused('guard: solana address exists', pool(1, 'new', insert));
    await expectRefused('guard: solana address exists', pool(3, 'x', insert));
  });

  it.each(UPDATES)('is never changed: %s', async (update) => {
    for (const change of ["address = 'new'", 'address_index = 9', 'address_index = NULL', 'address = NULL']) {
      await expectRefused('guard: the solana pool is never changed', sql(`${update} solana_pool SET ${change}`));
    }
  });

  it('is never emptied', async () => {
    await expectRefused('guard: the solana pool is never deleted', sql('DELETE FROM solana_pool'));
  });

  it('has no index that is negative or not a number', async () => {
    await expectRefused('CHECK constraint failed', pool(-1, 'z'));
    await expectRefused('cannot store TEXT value', sql(`INSERT INTO solana_pool VALUES ('one', 'z')`));
  });
});
