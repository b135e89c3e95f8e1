import { HDNodeWallet } from 'ethers';
import { expect, test } from 'vitest';
import { Keystore, openKeystore, sealKeystore } from '../../src/signer/keystore.ts';
import { Wallet } from '../../src/signer/wallet.ts';
import { MNEMONIC } from '../support/signing.ts';

const PASSPHRASE = 'correct horse battery staple';
const CHEAP = 10;

const flip = (text: string) => (text.startsWith('A') ? `B${text.slice(1)}` : `A${text.slice(1)}`);

test('a keystore opens with its passphrase and with no other', () => {
  const keystore = Keystore.parse(JSON.parse(JSON.stringify(sealKeystore(` ${MNEMONIC}\n`, PASSPHRASE, CHEAP))));
  expect(openKeystore(keystore, PASSPHRASE)).toBe(MNEMONIC);
  expect(() => openKeystore(keystore, `${PASSPHRASE}.`)).toThrow('does not open');
});

test('a keystore that was changed in any field does not open', () => {
  const keystore = sealKeystore(MNEMONIC, PASSPHRASE, CHEAP);
  for (const field of ['salt', 'nonce', 'ciphertext', 'tag'] as const) {
    expect(() => openKeystore({ ...keystore, [field]: flip(keystore[field]) }, PASSPHRASE)).toThrow('does not open');
  }
  expect(() => openKeystore({ ...keystore, log2Cost: 11 }, PASSPHRASE)).toThrow('does not open');
});

test('two keystores of one mnemonic have nothing in common', () => {
  const [one, other] = [sealKeystore(MNEMONIC, PASSPHRASE, CHEAP), sealKeystore(MNEMONIC, PASSPHRASE, CHEAP)];
  for (const field of ['salt', 'nonce', 'ciphertext', 'tag'] as const) expect(one[field]).not.toBe(other[field]);
});

test('words that are not a mnemonic and a short passphrase are refused, without being repeated in the error', () => {
  expect(() => sealKeystore('abandon abandon', PASSPHRASE, CHEAP)).toThrow('not a BIP-39 mnemonic');
  expect(() => sealKeystore(MNEMONIC, 'short', CHEAP)).toThrow(/^the passphrase is shorter/);
});

test('no customer’s index leads to the hot or the gas key: deposit keys are in account 0, these in account 1', () => {
  const wallet = new Wallet(MNEMONIC);
  // BIP-44 and BIP-84 of the public test mnemonic, as every wallet derives them.
  expect(wallet.evmAddress({ account: 'deposit', index: 0 })).toBe('0x9858EfFD232B4033E47d90003D41EC34EcaEda94');
  expect(wallet.bitcoinAddress('BTC', { account: 'deposit', index: 0 })).toBe(
    'bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu',
  );
  const derive = (path: string) => HDNodeWallet.fromPhrase(MNEMONIC, '', path).address;
  expect(wallet.evmAddress({ account: 'deposit', index: 7 })).toBe(derive("m/44'/60'/0'/0/7"));
  expect(wallet.evmAddress({ account: 'hot', index: 0 })).toBe(derive("m/44'/60'/1'/0/0"));
  expect(wallet.evmAddress({ account: 'gas', index: 0 })).toBe(derive("m/44'/60'/1'/0/1"));
  const names = [
    { account: 'hot', index: 0 },
    { account: 'gas', index: 0 },
    ...Array.from({ length: 20 }, (_, index) => ({ account: 'deposit', index }) as const),
  ] as const;
  expect(new Set(names.map((name) => wallet.evmAddress(name))).size).toBe(names.length);
});
