import { hex } from '@scure/base';
import { HDKey } from '@scure/bip32';
import { HDKey as HardenedKey } from 'micro-key-producer/slip10.js';
import { type DepositKeys, identifyKey } from './deposit-keys.ts';
import { encodeSolanaAddress, solanaPath } from './solana-address.ts';

/**
 * The seed of the public test mnemonic, `abandon` eleven times and `about`, without a passphrase (BIP-39). It is no
 * secret: everyone has its keys. Never fund an address of it; production refuses every key made of it.
 */
export const SANDBOX_SEED_HEX =
  '5eb00bbddcf069084889a8ab9155568165f5c453ccb85e70811aaed6f6da5fc1' +
  '9a5ac40b389cd370d086206dec8aa6c43daea6690f20ad3d8d48b2d2ce9e38e4';

/** The account keys of that seed, as wrangler.toml gives them to the sandbox. */
const sandboxKeys = [
  'xpub6CatWdiZiodmUeTDp8LT5or8nmbKNcuyvz7WyksVFkKB4RHwCD3XyuvPEbvqAQY3rAPshWcMLoP2fMFMKHPJ4ZeZXYVUhLv1VMrjPC7PW6V',
  'xpub6CjGURuDpczf6uNrCCwfhVizn5J3hsWcvZ2m6GAdmAjZnoWJPrx6TFPjGSftc2o5fvox6ubQjSXmjjaHZjwYMH7SGFpHHb9Jg24zBf66mbE',
  'xpub6Bxse8AT19u9HExKtP1EAudLi9CpLxPpxDvanL2fFtM7UFE2Q7TTWRg4bnMnmT4KcyN6GQkSgZmPWDtyUywSii3MDpMNfXSTuzH7gvZywLU',
  'xpub6DCoCpSuQZB2jawqnGMEPS63ePKWkwWPH4TU45Q7LPXWuNd8TMtVxRrgjtEshuqpK3mdhaWHPFsBngh5GFZaM6si3yZdUsT8ddYM3PwnATt',
  'xpub6D1AabNHCupeiLM65ZR9UStMhJ1vCpyV4XbZdyhMZBiJXALQtmn9p42VTQckoHVn8WNqS7dqnJokZHAHcHGoaQgmv8D45oNUKx6DZMNZBCd',
];

/** Whether one of these keys belongs to the test mnemonic, under any name and in any spelling of the key. */
export function holdsSandboxKey(keys: DepositKeys): boolean {
  const known = new Set(sandboxKeys.map((text) => identifyKey(HDKey.fromExtendedKey(text))));
  return Object.values(keys).some((key) => known.has(identifyKey(key)));
}

export function deriveSandboxSolanaAddress(index: number): string {
  const key = HardenedKey.fromMasterSeed(hex.decode(SANDBOX_SEED_HEX)).derive(solanaPath(index));
  return encodeSolanaAddress(key.publicKeyRaw);
}
