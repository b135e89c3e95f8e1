import { describe, expect, it } from 'vitest';
import { deriveDepositKeys, readSeed } from '../../scripts/offline-wallet.ts';
import { config } from '../../src/env.ts';
import { chooseAddressSources } from '../../src/providers.ts';
import { networks } from '../../src/money/networks.ts';
import { DepositKeys } from '../../src/addresses/deposit-keys.ts';
import { MAX_ADDRESS_INDEX, deriveAddresses } from '../../src/addresses/derive-addresses.ts';
import { deriveSandboxSolanaAddress } from '../../src/addresses/sandbox-wallet.ts';
import { TEST_MNEMONIC, addressVectors } from '../support/addresses/address-vectors.ts';
import { deriveIndependently } from '../support/addresses/independent-derivation.ts';

const { keys: sandboxKeys } = chooseAddressSources(config);

const OTHER_MNEMONIC = 'legal winner thank year wave sausage worth useful legal winner thank yellow';

function derive(index: number, keys: DepositKeys = sandboxKeys): Record<string, string> {
  return { ...Object.fromEntries(deriveAddresses(keys, index)), SOL: deriveSandboxSolanaAddress(index) };
}

describe('the addresses of an account index', () => {
  it.each(addressVectors)(
    'match the standard’s test vector, $standard: $network $index',
    ({ network, index, address }) => {
      expect(derive(index)[network]).toBe(address);
    },
  );

  it.each([0, 1, 2, 7, 1_000_003, MAX_ADDRESS_INDEX])(
    'equal those that other libraries derive from the mnemonic with private keys: %i',
    async (index) => {
      expect(derive(index)).toEqual(await deriveIndependently(TEST_MNEMONIC, index));
    },
  );

  it('are those of the wallet that the public keys belong to', async () => {
    const keys = DepositKeys.parse(deriveDepositKeys(readSeed(OTHER_MNEMONIC)));
    const { SOL: _solana, ...expected } = await deriveIndependently(OTHER_MNEMONIC, 3);
    expect(Object.fromEntries(deriveAddresses(keys, 3))).toEqual(expected);
  });

  it('are one for each network with public derivation, and the same one for all EVM networks', () => {
    const derived = deriveAddresses(sandboxKeys, 5);
    expect([...derived.keys()]).toEqual(networks.filter((network) => network !== 'SOL'));
    expect(new Set(derived.values()).size).toBe(5);
  });

  it('differ from those of every other index, on every network', () => {
    const sets = Array.from({ length: 12 }, (_, index) => derive(index));
    for (const network of networks) expect(new Set(sets.map((set) => set[network])).size, network).toBe(12);
  });

  it.each([-1, 0.5, NaN, MAX_ADDRESS_INDEX + 1])('do not exist for %d', (index) => {
    expect(() => deriveAddresses(sandboxKeys, index)).toThrow('no such address index');
  });
});
