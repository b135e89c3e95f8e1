import { HARDENED_OFFSET, HDKey } from '@scure/bip32';
import { describe, expect, it } from 'vitest';
import { deriveDepositKeys, readSeed } from '../../scripts/offline-wallet.ts';
import { config } from '../../src/env.ts';
import { chooseAddressSources } from '../../src/providers.ts';
import { DepositKeys } from '../../src/addresses/deposit-keys.ts';
import { holdsSandboxKey } from '../../src/addresses/sandbox-wallet.ts';
import { TEST_MNEMONIC } from '../support/addresses/address-vectors.ts';

const { keys: sandboxKeys } = chooseAddressSources(config);

const seed = new Uint8Array(64).fill(7);
const root = HDKey.fromMasterSeed(seed);
const keys = deriveDepositKeys(seed);
const account = root.derive("m/84'/0'/0'");

describe('the extended public keys for deposits', () => {
  it('are five, each under its own name', () => {
    const parsed = DepositKeys.parse(keys);
    expect(Object.entries(parsed).map(([name, key]) => [name, key.publicExtendedKey])).toEqual(Object.entries(keys));
  });

  const versions = { private: 0x04b2430c, public: 0x04b24746 };
  it.each([
    ['a private key', account.privateExtendedKey],
    ['the key of the wallet', HDKey.fromMasterSeed(seed).publicExtendedKey],
    ['the key of the coin', root.derive("m/84'/0'").publicExtendedKey],
    ['the key of the receiving branch', account.deriveChild(0).publicExtendedKey],
    ['the key of the second account', root.derive("m/84'/0'/1'").publicExtendedKey],
    ['a key of a path that is not hardened', root.derive("m/84'/0'/0").publicExtendedKey],
    ['a zpub (SLIP-132)', HDKey.fromMasterSeed(seed, versions).derive("m/84'/0'/0'").publicExtendedKey],
    ['a key with a typing error', `${keys.BTC.slice(0, -1)}${keys.BTC.endsWith('1') ? '2' : '1'}`],
    ['an address', 'bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu'],
    ['nothing', ''],
    ['a number', 5],
  ])('are never %s', (_name, value) => {
    expect(DepositKeys.safeParse({ ...keys, BTC: value }).success).toBe(false);
  });

  it('are required under all five names and under no others', () => {
    for (const name of Object.keys(keys)) {
      expect(DepositKeys.safeParse({ ...keys, [name]: undefined }).success, name).toBe(false);
    }
    expect(DepositKeys.safeParse({ ...keys, SOL: keys.BTC }).success).toBe(false);
  });

  it('are refused when one key has two names, because one coin would get the addresses of another', () => {
    expect(DepositKeys.safeParse({ ...keys, LTC: keys.BTC }).success).toBe(false);
  });
});

describe('the public test mnemonic', () => {
  it('is the source of the sandbox’s keys', () => {
    const texts = Object.entries(sandboxKeys).map(([name, key]) => [name, key.publicExtendedKey]);
    expect(Object.fromEntries(texts)).toEqual(deriveDepositKeys(readSeed(TEST_MNEMONIC)));
  });

  it('is recognised in each of its keys, under any name', () => {
    const ours = DepositKeys.parse(keys);
    expect(holdsSandboxKey(ours)).toBe(false);
    for (const key of Object.values(sandboxKeys)) expect(holdsSandboxKey({ ...ours, DOGE: key })).toBe(true);
  });

  it('is recognised when only the part of a key was changed that no address depends on', () => {
    const { publicKey, chainCode } = sandboxKeys.EVM;
    if (!publicKey || !chainCode) throw new Error('the key is not whole');
    const dressed = new HDKey({ depth: 3, index: HARDENED_OFFSET, parentFingerprint: 12345, chainCode, publicKey });
    const parsed = DepositKeys.parse({ ...keys, EVM: dressed.publicExtendedKey });
    expect(parsed.EVM.publicExtendedKey).not.toBe(sandboxKeys.EVM.publicExtendedKey);
    expect(holdsSandboxKey(parsed)).toBe(true);
  });
});
