import { hex } from '@scure/base';
import { digestInHex } from '../platform/digest.ts';

/** PKCS #8 of an Ed25519 key (RFC 8410), up to its 32 bytes. */
const PKCS8_HEAD = '302e020100300506032b657004220420';

/** Resolved keys only: a promise shared between requests can hang those that follow. */
const importedKeys = new Map<string, CryptoKey>();

async function importKey(seedHex: string): Promise<CryptoKey> {
  const known = importedKeys.get(seedHex);
  if (known) return known;
  const bytes = hex.decode(PKCS8_HEAD + seedHex);
  const key = await crypto.subtle.importKey('pkcs8', bytes, { name: 'Ed25519' }, false, ['sign']);
  importedKeys.set(seedHex, key);
  return key;
}

/**
 * Bureau's own signature of a payout's body, Ed25519 (RFC 8032) in hex: docs/custody.md, "The payout's own signature".
 * The custodian's signer checks it with a public key, which cannot sign. The same body has the same signature.
 */
export async function signOrder(body: string, seedHex: string): Promise<string> {
  const text = new TextEncoder().encode(`bureau-payout-v1.${await digestInHex(body)}`);
  return hex.encode(new Uint8Array(await crypto.subtle.sign('Ed25519', await importKey(seedHex), text)));
}
