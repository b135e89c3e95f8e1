import { describe, expect, it } from 'vitest';
import { deriveDepositKeys, deriveSolanaUpload, isPublicSeed, readSeed } from '../../scripts/offline-wallet.ts';
import { Wallet } from '../../custodian/src/signer/wallet.ts';
import { DepositKeys } from '../../src/addresses/deposit-keys.ts';
import { TEST_MNEMONIC } from '../support/addresses/address-vectors.ts';
import { signEntry } from '../support/addresses/pool-entries.ts';
import { deriveIndependently } from '../support/addresses/independent-derivation.ts';

describe('the output of make:addresses', () => {
  it('depends on the mnemonic, with any white space around its words', () => {
    expect(readSeed(`\n ${TEST_MNEMONIC.replaceAll(' ', '  \n')}\n`)).toEqual(readSeed(TEST_MNEMONIC));
    expect(isPublicSeed(readSeed(TEST_MNEMONIC))).toBe(true);
  });

  it.each(['', 'abandon', TEST_MNEMONIC.replace('about', 'abandon'), `${TEST_MNEMONIC} about`])(
    'is never of words with a wrong checksum, which are not repeated: %j',
    (words) => {
      expect(() => readSeed(words)).toThrow('these words are not a BIP-39 mnemonic');
    },
  );

  it('contains the public keys that the Worker accepts, and nothing private', () => {
    const text = JSON.stringify(deriveDepositKeys(new Uint8Array(64).fill(9)));
    expect(DepositKeys.safeParse(JSON.parse(text)).success).toBe(true);
    expect(text).not.toContain('xprv');
  });

  it('contains Solana addresses by account index, as other libraries derive them', async () => {
    const { addresses } = deriveSolanaUpload(new Wallet(TEST_MNEMONIC), 4, 3);
    const expected = [4, 5, 6].map(async (index) => {
      const { SOL: address } = await deriveIndependently(TEST_MNEMONIC, index);
      return signEntry(index, address);
    });
    expect(addresses).toEqual(await Promise.all(expected));
  });
});
