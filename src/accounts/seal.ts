import { toBase64Url } from '../platform/digest.ts';

const IV_BYTES = 12;
const encoder = new TextEncoder();

/** Server secrets by version. The highest encrypts; every version decrypts. */
export type SealSecrets = Readonly<Record<string, string>>;

/** What is sealed. A seal of one purpose cannot be opened for another. */
export type SealPurpose = 'totp' | 'webhook';

/** An AES-256-GCM key of a server secret (HKDF, RFC 5869). */
async function deriveKey(secret: string, purpose: SealPurpose): Promise<CryptoKey> {
  const material = await crypto.subtle.importKey('raw', encoder.encode(secret), 'HKDF', false, ['deriveKey']);
  const parameters = {
    name: 'HKDF',
    hash: 'SHA-256',
    salt: new Uint8Array(),
    info: encoder.encode(`bureau ${purpose}`),
  };
  return crypto.subtle.deriveKey(parameters, material, { name: 'AES-GCM', length: 256 }, false, ['encrypt', 'decrypt']);
}

function fromBase64Url(text: string): Uint8Array {
  return Uint8Array.fromBase64(text, { alphabet: 'base64url' });
}

/**
 * Encrypts a secret for storage: `<version>.<iv>.<ciphertext>`. It can be decrypted only for the same `owner`, so a row
 * that is copied to another owner is useless.
 */
export async function seal(
  text: string,
  owner: string,
  secrets: SealSecrets,
  purpose: SealPurpose = 'totp',
): Promise<string> {
  const version = String(Math.max(...Object.keys(secrets).map(Number)));
  const secret = secrets[version];
  if (secret === undefined) throw new Error('no secret to seal with');
  const iv = crypto.getRandomValues(new Uint8Array(IV_BYTES));
  const parameters = { name: 'AES-GCM', iv, additionalData: encoder.encode(owner) };
  const sealed = await crypto.subtle.encrypt(parameters, await deriveKey(secret, purpose), encoder.encode(text));
  return `${version}.${toBase64Url(iv)}.${toBase64Url(new Uint8Array(sealed))}`;
}

/**
 * Decrypts what `seal` made for the same owner. Throws when it was changed, or when the secret of its version is gone.
 */
export async function unseal(
  sealed: string,
  owner: string,
  secrets: SealSecrets,
  purpose: SealPurpose = 'totp',
): Promise<string> {
  const [version = '', iv = '', ciphertext = ''] = sealed.split('.');
  const secret = Object.hasOwn(secrets, version) ? secrets[version] : undefined;
  if (secret === undefined) throw new Error(`no secret of version ${version} to open a seal with`);
  const parameters = { name: 'AES-GCM', iv: fromBase64Url(iv), additionalData: encoder.encode(owner) };
  const text = await crypto.subtle.decrypt(parameters, await deriveKey(secret, purpose), fromBase64Url(ciphertext));
  return new TextDecoder().decode(text);
}
