import { hex } from '@scure/base';

/**
 * Whether an Ed25519 signature (RFC 8032) of a text is that of a public key; both in hex. What is no key, or no signature,
 * proves nothing.
 */
export async function verifySignature(publicKey: string, signature: string, text: string): Promise<boolean> {
  try {
    const key = await crypto.subtle.importKey('raw', hex.decode(publicKey), { name: 'Ed25519' }, false, ['verify']);
    return await crypto.subtle.verify('Ed25519', key, hex.decode(signature), new TextEncoder().encode(text));
  } catch {
    return false;
  }
}
