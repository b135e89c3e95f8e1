import { ed25519 } from '@noble/curves/ed25519.js';
import { hmac } from '@noble/hashes/hmac.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { base58, hex } from '@scure/base';
import { HDKey } from '@scure/bip32';
import { SANDBOX_SEED_HEX } from '../../../src/addresses/sandbox-wallet.ts';

export interface SignedEntry {
  readonly index: number;
  readonly address: string;
  readonly signature: string;
}

const encode = (text: string) => new TextEncoder().encode(text);

/** The key of the signer that has the public test mnemonic, made as docs/custody.md says and not by its code. */
const signerSeed = hmac(sha256, hex.decode(SANDBOX_SEED_HEX), encode('bureau-burnt-v1'));

/** The public key of the signer that signs entries here: CUSTODY_SIGNER_KEY of a runtime with a pool. */
export const TEST_SIGNER_KEY = hex.encode(ed25519.getPublicKey(signerSeed));

/** The exchange of the tests, as entries name it. */
export const TEST_EXCHANGE = HDKey.fromMasterSeed(hex.decode(SANDBOX_SEED_HEX)).derive(
  "m/44'/60'/0'",
).publicExtendedKey;

/** An entry for the pool, signed by the signer of the tests or as a test says. */
export function signEntry(
  index: number,
  address: string,
  changes: { text?: string; seed?: Uint8Array } = {},
): SignedEntry {
  const { text = `bureau-address-v1.${TEST_EXCHANGE}.SOL.${index}.${address}`, seed = signerSeed } = changes;
  return { index, address, signature: hex.encode(ed25519.sign(encode(text), seed)) };
}

/** Signed entries of addresses whose keys nobody has: points of the curve in a row, each at its index. */
export function inventEntries(from: number, count: number): SignedEntry[] {
  const { BASE } = ed25519.Point;
  let point = BASE.multiply(BigInt(from + 1));
  return Array.from({ length: count }, (_, at) => {
    const address = base58.encode(point.toBytes());
    point = point.add(BASE);
    return signEntry(from + at, address);
  });
}
