import { beforeAll, describe, it } from 'vitest';
import { networks } from '../../src/money/networks.ts';
import { INSERTS, UPDATES, expectEachRefused, expectRefused, openFunded } from '../support/db/raw-ledger.ts';
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
  it.each(INSERTS)('is assigned once for an account and network, and to one account: %s', (insert) => {
    const again = [give(owner, 'BTC', 'new', insert), give(owner, 'BTC', 'a', insert), give(other, 'ETH', 'b', insert)];
    return expectEachRefused('guard: address exists', ...again);
  });

  it.each(UPDATES)('is never changed, nor its owner or network: %s', (update) => {
    const changes = ["address = 'new'", "account_id = 'new'", "network = 'LTC'", 'address = NULL', 'address = address'];
    const writes = changes.map((change) => sql(`${update} addresses SET ${change}`));
    return expectEachRefused('guard: an address is never changed', ...writes);
  });

  it('is never deleted, not even to be assigned again', () =>
    expectRefused('guard: an address is never deleted', sql('DELETE FROM addresses'), give(owner, 'BTC', 'new')));

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
  it.each(INSERTS)('has each index once, and each address once: %s', (insert) =>
    expectEachRefused('guard: solana address exists', pool(1, 'new', insert), pool(3, 'x', insert)),
  );

  it.each(UPDATES)('is never changed: %s', (update) => {
    const changes = ["address = 'new'", 'address_index = 9', 'address_index = NULL', 'address = NULL'];
    const writes = changes.map((change) => sql(`${update} solana_pool SET ${change}`));
    return expectEachRefused('guard: the solana pool is never changed', ...writes);
  });

  it.each([
    ['emptied', 'DELETE FROM solana_pool', 'guard: the solana pool is never deleted'],
    ['given a negative index', `INSERT INTO solana_pool VALUES (-1, 'z')`, 'CHECK constraint failed'],
    ['given an index that is no number', `INSERT INTO solana_pool VALUES ('one', 'z')`, 'cannot store TEXT value'],
  ])('is never %s', (_, query, message) => expectRefused(message, sql(query)));
});
