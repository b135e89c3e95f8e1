import { describe, expect, it } from 'vitest';
import { type Admission, decideAdmission, decideEffect, type KeyRecord } from '../../src/keys/record.ts';

const NOON_MS = Date.UTC(2026, 10, 21, 12);

const record: KeyRecord = {
  id: 'key',
  accountId: 'account',
  accountStatus: 'active',
  kind: 'standing',
  hasWebhooks: false,
  hasStream: false,
  label: 'bot',
  scopes: ['read', 'trade'],
  tokenHash: 'hash',
  ipAllowlist: ['203.0.113.0/24'],
  rateLimits: {},
  createdAt: NOON_MS - 1,
  expiresAt: NOON_MS + 1,
  revokedAt: null,
  number: NOON_MS,
};

const admission: Admission = { keyId: 'key', tokenHash: 'hash', scope: 'trade', ip: '203.0.113.7' };

/** The code of the refusal, or `undefined` when the request is admitted. */
function refusalOf(known: KeyRecord | undefined, asked: Admission, now_ms = NOON_MS): string | undefined {
  const decided = decideAdmission(known, asked, now_ms);
  return decided.ok ? undefined : decided.code;
}

describe('admission', () => {
  it('admits a valid key to what it may do, and returns its record', () => {
    expect(decideAdmission(record, admission, NOON_MS)).toEqual({ ok: true, value: record });
  });

  it.each([
    ['there is no such key', undefined, {}, 'invalid_api_key'],
    ['the token is another one with a right tag', record, { tokenHash: 'other' }, 'invalid_api_key'],
    ['the token’s hash is longer', record, { tokenHash: 'hash2' }, 'invalid_api_key'],
    ['the key was revoked', { ...record, revokedAt: NOON_MS - 1 }, {}, 'invalid_api_key'],
    [
      'the key was revoked at a time that is in the future here',
      { ...record, revokedAt: NOON_MS + 1 },
      {},
      'invalid_api_key',
    ],
    ['the key expired', { ...record, expiresAt: NOON_MS - 1 }, {}, 'api_key_expired'],
    ['the key expires at this very moment', { ...record, expiresAt: NOON_MS }, {}, 'api_key_expired'],
    ['the scope is missing', record, { scope: 'withdraw' }, 'insufficient_scope'],
    ['the key has no scope at all', { ...record, scopes: [] }, {}, 'insufficient_scope'],
    ['the address is not listed', record, { ip: '198.51.100.1' }, 'ip_not_allowed'],
    ['the address is unknown', record, { ip: 'unknown' }, 'ip_not_allowed'],
  ] satisfies [string, KeyRecord | undefined, Partial<Admission>, string][])(
    'refuses when %s',
    (_, known, asked, code) => {
      expect(refusalOf(known, { ...admission, ...asked })).toBe(code);
    },
  );

  it('gives the first reason when there are several: key, expiry, scope, address', () => {
    const asked: Admission = { ...admission, scope: 'withdraw', ip: '198.51.100.1' };
    const worst: KeyRecord = { ...record, revokedAt: 1, expiresAt: 1, accountStatus: 'frozen' };
    const mended = [
      [worst, asked],
      [{ ...worst, revokedAt: null }, asked],
      [{ ...worst, revokedAt: null, expiresAt: null }, asked],
      [
        { ...worst, revokedAt: null, expiresAt: null },
        { ...asked, scope: 'trade' },
      ],
      [{ ...worst, revokedAt: null, expiresAt: null }, admission],
      [{ ...record, expiresAt: null }, admission],
    ] satisfies [KeyRecord, Admission][];
    expect(mended.map(([known, wanted]) => refusalOf(known, wanted))).toEqual([
      'invalid_api_key',
      'api_key_expired',
      'insufficient_scope',
      'ip_not_allowed',
      undefined,
      undefined,
    ]);
  });

  it('admits a key without an expiry for ever, and a key without a list of addresses from everywhere', () => {
    const open: KeyRecord = { ...record, expiresAt: null, ipAllowlist: null };
    expect(refusalOf(open, { ...admission, ip: 'unknown' }, NOON_MS + 1e12)).toBeUndefined();
  });

  it('admits a frozen account to reads and replays, and refuses it a new effect', () => {
    const frozen: KeyRecord = { ...record, accountStatus: 'frozen', scopes: ['read', 'trade', 'withdraw'] };
    for (const scope of ['read', null, 'trade', 'withdraw'] as const) {
      expect(refusalOf(frozen, { ...admission, scope })).toBeUndefined();
    }
    expect(decideEffect(frozen)).toMatchObject({ ok: false, code: 'account_frozen' });
    expect(decideEffect(record)).toEqual({ ok: true, value: record });
  });

  it('accepts any scope for a public operation, but only a valid key', () => {
    const asked: Admission = { ...admission, scope: null };
    expect(refusalOf({ ...record, scopes: ['withdraw'] }, asked)).toBeUndefined();
    expect(refusalOf({ ...record, revokedAt: 1 }, asked)).toBe('invalid_api_key');
    expect(refusalOf(record, { ...asked, ip: '198.51.100.1' })).toBe('ip_not_allowed');
  });
});
