import { digest, equalDigests, sign, toBase64Url } from '../platform/digest.ts';
import { type Outcome, accept, refuse } from '../http/answer.ts';
import { isRecordId } from '../db/record-id.ts';
import { type Scope, WRITTEN_SCOPES, readScopes, writeScopes } from './rights.ts';

/**
 * An API key as its holder has it:
 *
 *     bk_test_<version>_<key id>_<scopes>_<secret>_<tag>
 *
 * The secret is 256 random bits. The tag is an HMAC of all before it under the server secret that the version names,
 * so that a forged key, or one whose scopes were rewritten, ends at the edge without any I/O, and the server secret
 * can be rotated while older keys live on. Only a hash of the token is stored.
 */
const TOKEN_SYNTAX = new RegExp(
  `^(bk_(?:live|test)_(\\d{1,3})_([0-9a-f-]{36})_(${WRITTEN_SCOPES})_[A-Za-z0-9_-]{43})_([A-Za-z0-9_-]{43})$`,
);

const SECRET_BYTES = 32;

/** The server secrets by version; the highest signs new keys. */
export type TokenSecrets = Readonly<Record<string, string>>;

/** Keys of the sandbox do not work in production, nor the other way round. */
export type TokenPrefix = 'bk_live' | 'bk_test';

/** A key with a valid tag: it was made here, with these scopes. Its record says whether it is still valid. */
export interface PresentedKey {
  readonly keyId: string;
  readonly scopes: readonly Scope[];
  readonly tokenHash: string;
}

/** Makes the token of a new key, and the hash that is stored of it. */
export async function mintToken(
  keyId: string,
  scopes: readonly Scope[],
  prefix: TokenPrefix,
  secrets: TokenSecrets,
  secret: string = toBase64Url(crypto.getRandomValues(new Uint8Array(SECRET_BYTES))),
): Promise<{ readonly token: string; readonly tokenHash: string }> {
  const version = String(Math.max(...Object.keys(secrets).map(Number)));
  const serverSecret = secrets[version];
  if (serverSecret === undefined) throw new Error('no secret to sign API keys with');
  const signed = `${prefix}_${version}_${keyId}_${writeScopes(scopes)}_${secret}`;
  const token = `${signed}_${await sign(signed, serverSecret)}`;
  return { token, tokenHash: await digest(token) };
}

/** Reads a token and checks its tag, in constant time and without I/O. Refuses with `invalid_api_key`. */
export async function verifyToken(
  token: string,
  prefix: TokenPrefix,
  secrets: TokenSecrets,
): Promise<Outcome<PresentedKey>> {
  const invalid = refuse('invalid_api_key', 'The API key is not valid. Check that it was copied whole.');
  const [, signed, version, keyId, scopes, tag] = TOKEN_SYNTAX.exec(token) ?? [];
  if (!signed || !version || !keyId || !scopes || !tag) return invalid;
  const serverSecret = Object.hasOwn(secrets, version) ? secrets[version] : undefined;
  if (serverSecret === undefined || !signed.startsWith(`${prefix}_`) || !isRecordId(keyId)) {
    return invalid;
  }
  if (!equalDigests(await sign(signed, serverSecret), tag)) return invalid;
  return accept({ keyId, scopes: readScopes(scopes), tokenHash: await digest(token) });
}
