import { describe, expect, it } from 'vitest';
import type { Scope } from '../../src/keys/rights.ts';
import { type TokenSecrets, mintToken, verifyToken } from '../../src/keys/token.ts';
import { newRecordId } from '../../src/db/record-id.ts';
import { atOnce } from '../support/at-once.ts';

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
const secrets: TokenSecrets = { '1': 'first-server-secret-of-at-least-32-characters' };
const rotated: TokenSecrets = { ...secrets, '2': 'second-server-secret-of-at-least-32-characters' };

const newKeyId = () => newRecordId(Date.UTC(2026, 10, 21));

async function mint(scopes: readonly Scope[] = ['read'], from: TokenSecrets = secrets): Promise<string> {
  return (await mintToken(newKeyId(), scopes, 'bk_test', from)).token;
}

/** The code with which a token is refused, or `undefined` when it is accepted. */
async function refusalOf(token: string, known: TokenSecrets = secrets): Promise<string | undefined> {
  const verified = await verifyToken(token, 'bk_test', known);
  return verified.ok ? undefined : verified.code;
}

describe('a token', () => {
  it('contains its key’s id and its scopes, and is stored only as its SHA-256', async () => {
    const keyId = newKeyId();
    const { token, tokenHash } = await mintToken(keyId, ['read', 'withdraw'], 'bk_test', secrets);
    const bytes = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(token)));
    expect(tokenHash).toBe(bytes.toBase64({ alphabet: 'base64url', omitPadding: true }));
    expect(await verifyToken(token, 'bk_test', secrets)).toEqual({
      ok: true,
      value: { keyId, scopes: ['read', 'withdraw'], tokenHash },
    });
  });

  it('consists of characters that need no quoting anywhere', async () => {
    for (let time = 0; time < 20; time += 1)
      expect(await mint(['read', 'trade', 'withdraw'])).toMatch(/^[A-Za-z0-9_-]+$/);
  });

  it('contains a random secret of 256 bits', async () => {
    const keyId = newKeyId();
    const minted = await atOnce(50, () => mintToken(keyId, ['read'], 'bk_test', secrets));
    const made = minted.map(({ token }) => token.slice(`bk_test_1_${keyId}_r_`.length, -44));
    expect(new Set(made).size).toBe(50);
    for (const secret of made) expect(Uint8Array.fromBase64(secret, { alphabet: 'base64url' })).toHaveLength(32);
  });
});

describe('a forged token', () => {
  it('is refused when any single character was changed', async () => {
    const token = await mint(['read', 'trade', 'withdraw']);
    const taken: number[] = [];
    for (let index = 0; index < token.length; index += 1) {
      const at = ALPHABET.indexOf(token.charAt(index));
      const other = ALPHABET.charAt((at + 1) % ALPHABET.length);
      const forged = token.slice(0, index) + other + token.slice(index + 1);
      if ((await refusalOf(forged)) !== 'invalid_api_key') taken.push(index);
    }
    expect(taken).toEqual([]);
  });

  it('is refused with any other last character, even one that decodes to the same bytes', async () => {
    const token = await mint();
    const last = token.charAt(token.length - 1);
    const decode = (text: string) => Uint8Array.fromBase64(text.slice(-43), { alphabet: 'base64url' }).toString();
    const others = [...ALPHABET].filter((char) => char !== last).map((char) => token.slice(0, -1) + char);
    expect(others.filter((other) => decode(other) === decode(token))).toHaveLength(3);
    for (const other of others) expect(await refusalOf(other)).toBe('invalid_api_key');
  });

  it.each([
    ['more scopes', '_rtw_'],
    ['other scopes', '_w_'],
    ['no scopes', '__'],
    ['scopes in another order', '_wr_'],
    ['a scope twice', '_rr_'],
  ])('is refused with %s', async (_, rewritten) => {
    const token = await mint(['read']);
    expect(await refusalOf(token.replace('_r_', rewritten))).toBe('invalid_api_key');
  });

  it('is refused with the id of another key', async () => {
    const keyId = newKeyId();
    const { token } = await mintToken(keyId, ['read'], 'bk_test', secrets);
    expect(await refusalOf(token.replace(keyId, newKeyId()))).toBe('invalid_api_key');
  });

  it('is refused with the tag of another token', async () => {
    const [one, other] = [await mint(), await mint()];
    expect(await refusalOf(one.slice(0, -43) + other.slice(-43))).toBe('invalid_api_key');
  });

  it('is refused when it was signed with another secret', async () => {
    expect(await refusalOf(await mint(['read'], { '1': 'somebody-elses-secret-of-32-characters' }))).toBe(
      'invalid_api_key',
    );
  });

  it.each([
    ['empty', () => ''],
    ['cut short', (token: string) => token.slice(0, -1)],
    ['longer', (token: string) => `${token}A`],
    ['with a blank', (token: string) => `${token} `],
    ['with a line break', (token: string) => `${token}\n`],
    ['in capitals', (token: string) => token.toUpperCase()],
    ['padded', (token: string) => `${token}=`],
    ['very long', (token: string) => token.repeat(1_000)],
  ])('is refused %s', async (_, change) => {
    expect(await refusalOf(change(await mint()))).toBe('invalid_api_key');
  });
});

describe('the environment of a token', () => {
  it('is fixed: production refuses a sandbox key, and the sandbox a production key', async () => {
    const { token: live } = await mintToken(newKeyId(), ['read'], 'bk_live', secrets);
    expect(await refusalOf(live)).toBe('invalid_api_key');
    expect(await verifyToken(await mint(), 'bk_live', secrets)).toMatchObject({ ok: false });
  });

  it('cannot be rewritten', async () => {
    const token = await mint();
    const verified = await verifyToken(token.replace('bk_test', 'bk_live'), 'bk_live', secrets);
    expect(verified).toMatchObject({ ok: false, code: 'invalid_api_key' });
  });
});

describe('the rotation of the server’s secret', () => {
  it('leaves tokens of an older version valid', async () => {
    expect(await refusalOf(await mint(), rotated)).toBeUndefined();
  });

  it('signs new tokens with the highest version, by number', async () => {
    const all: TokenSecrets = { '10': 'tenth-server-secret-of-32-characters', ...rotated };
    const token = await mint(['read'], all);
    expect(token.startsWith('bk_test_10_')).toBe(true);
    expect(await refusalOf(token, all)).toBeUndefined();
  });

  it('refuses a version that is unknown or no longer known', async () => {
    expect(await refusalOf(await mint(['read'], rotated))).toBe('invalid_api_key');
    expect(await refusalOf(await mint(), { '2': rotated['2'] ?? '' })).toBe('invalid_api_key');
  });

  it('refuses a version that was rewritten or is written in another way', async () => {
    const token = await mint(['read'], rotated);
    for (const version of ['1', '02', '002', '0', '3', '999']) {
      expect(await refusalOf(token.replace('bk_test_2_', `bk_test_${version}_`), rotated)).toBe('invalid_api_key');
    }
  });

  it('refuses to sign without a secret', async () => {
    await expect(mint(['read'], {})).rejects.toThrow('no secret');
  });
});
