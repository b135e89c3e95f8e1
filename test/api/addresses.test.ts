import { describe, expect, it } from 'vitest';
import { networks } from '../../src/money/networks.ts';
import { type ClaimedName, findHolders, nameAddress } from '../../src/db/directory.ts';
import { openDatabase } from '../../src/db/database.ts';
import {
  ADDRESSES_PATH,
  type AddressesAnswer,
  indexOf,
  keptAddresses,
  readAddresses,
} from '../support/addresses/addresses.ts';
import { TEST_MNEMONIC } from '../support/addresses/address-vectors.ts';
import { createKey, json, openTrader } from '../support/exchange.ts';
import { type Moment, CONNECTION_LOST, OVERLOADED, aroundBatches, fail } from '../support/runtime/faults.ts';
import { deriveIndependently } from '../support/addresses/independent-derivation.ts';
import { env } from '../support/runtime/test-env.ts';
import { databaseOfId } from '../support/db/open-in-ledger.ts';

describe('GET /api/v1/wallet/addresses', () => {
  it('lists one address per network, in the order of the specification, each with the network’s primary asset', async () => {
    const trader = await openTrader();
    const response = await trader.get(ADDRESSES_PATH);
    expect(response.status).toBe(200);
    expect(response.headers.get('RateLimit')).toContain('"read-minute"');
    const { addresses, ...rest } = await json<AddressesAnswer>(response);
    expect(rest).toEqual({});
    expect(addresses.map(({ network, primaryAsset }) => [network, primaryAsset])).toEqual([
      ['BTC', 'BTC'],
      ['BEP20', 'USDT'],
      ['TRC20', 'USDT'],
      ['SOL', 'USDC'],
      ['ETH', 'ETH'],
      ['ARBITRUM', 'USDC'],
      ['OPTIMISM', 'USDC'],
      ['BASE', 'USDC'],
      ['AVAX', 'AVAX'],
      ['POLYGON', 'MATIC'],
      ['LTC', 'LTC'],
      ['DOGE', 'DOGE'],
    ]);
    for (const address of addresses) {
      expect(Object.keys(address).toSorted()).toEqual(['address', 'network', 'primaryAsset']);
    }
  });

  it('gives two accounts different addresses on every network, each derived from the account’s own index', async () => {
    const traders = [await openTrader(), await openTrader()] as const;
    const [one, other] = [await readAddresses(traders[0]), await readAddresses(traders[1])];
    for (const network of networks) expect(one[network], network).not.toBe(other[network]);
    expect(one).toEqual(await deriveIndependently(TEST_MNEMONIC, await indexOf(traders[0].accountId)));
    expect(other).toEqual(await deriveIndependently(TEST_MNEMONIC, await indexOf(traders[1].accountId)));
  });

  it('gives the same answer at every call and to every key of the account, and stores it', async () => {
    const trader = await openTrader();
    const second = await createKey(trader.accountId);
    const first = await (await trader.get(ADDRESSES_PATH)).text();
    expect(await (await trader.get(ADDRESSES_PATH)).text()).toBe(first);
    expect(await (await second.get(ADDRESSES_PATH)).text()).toBe(first);
    expect(await keptAddresses(trader.accountId)).toEqual(await readAddresses(trader));
  });

  it('makes one set of addresses when 50 first reads over two keys run in parallel, with one row per address', async () => {
    const trader = await openTrader();
    const second = await createKey(trader.accountId);
    const responses = await Promise.all(
      Array.from({ length: 50 }, (_, call) => (call % 2 === 0 ? trader : second).get(ADDRESSES_PATH)),
    );
    expect(responses.map(({ status }) => status)).toEqual(Array.from({ length: 50 }, () => 200));
    expect(new Set(await Promise.all(responses.map((response) => response.text()))).size).toBe(1);
    const rows = await databaseOfId(trader.accountId)
      .prepare('SELECT count(*) AS n FROM addresses WHERE account_id = ?')
      .bind(trader.accountId)
      .first<{ n: number }>();
    expect(rows?.n).toBe(12);
    expect(await keptAddresses(trader.accountId)).toEqual(
      await deriveIndependently(TEST_MNEMONIC, await indexOf(trader.accountId)),
    );
  });

  it('finds the account of a deposit by network and address together', async () => {
    const [trader, other] = [await openTrader(), await openTrader()];
    const [own, others] = [await readAddresses(trader), await readAddresses(other)];
    const database = openDatabase(env.DB);
    for (const network of networks) {
      const names = [own, others].map((held) => nameAddress(network, held[network] ?? ''));
      expect(await findHolders(database, names as [ClaimedName, ...ClaimedName[]])).toEqual([
        trader.accountId,
        other.accountId,
      ]);
    }
    expect(await findHolders(database, [nameAddress('BTC', own['ETH'] ?? '')])).toEqual([undefined]);
  });

  it.each<[string, 'claims' | 'addresses', Moment, string, number]>([
    ['claim is turned away', 'claims', 'before', OVERLOADED, 0],
    ['claim is lost before it arrived', 'claims', 'before', CONNECTION_LOST, 0],
    ['claim is lost after it was written', 'claims', 'after', CONNECTION_LOST, 0],
    ['write is turned away', 'addresses', 'before', OVERLOADED, 0],
    ['write is lost before it arrived', 'addresses', 'before', CONNECTION_LOST, 0],
    ['write is lost after it was written', 'addresses', 'after', CONNECTION_LOST, 12],
  ])(
    'stores all addresses or none when the %s, and the next read returns all of them',
    async (_name, table, moment, message, kept) => {
      const trader = await openTrader();
      await trader.balances();
      const fault = aroundBatches(moment, 1, fail(message), (text) => text.includes(`insert into \\"${table}\\"`));
      const response = await trader.get(ADDRESSES_PATH);
      expect(fault.state.injected).toBe(1);
      expect(response.status).toBe(kept === 12 ? 200 : 503);
      if (kept === 0) expect(response.headers.get('Retry-After')).toBe('1');
      expect(Object.keys(await keptAddresses(trader.accountId))).toHaveLength(kept);
      expect(await readAddresses(trader)).toEqual(
        await deriveIndependently(TEST_MNEMONIC, await indexOf(trader.accountId)),
      );
    },
  );
});
