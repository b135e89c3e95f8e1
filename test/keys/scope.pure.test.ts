import { describe, expect, it } from 'vitest';
import { Scope, readScopes, writeScopes } from '../../src/keys/rights.ts';

const subsets: { scopes: Scope[]; written: string }[] = [
  { scopes: [], written: '' },
  { scopes: ['read'], written: 'r' },
  { scopes: ['trade'], written: 't' },
  { scopes: ['withdraw'], written: 'w' },
  { scopes: ['read', 'trade'], written: 'rt' },
  { scopes: ['read', 'withdraw'], written: 'rw' },
  { scopes: ['trade', 'withdraw'], written: 'tw' },
  { scopes: ['read', 'trade', 'withdraw'], written: 'rtw' },
  { scopes: ['read', 'webhooks'], written: 'rh' },
];

describe('the scopes of a key', () => {
  it('are the three of the specification, and webhooks', () => {
    expect(Scope.options).toEqual(['read', 'trade', 'withdraw', 'webhooks']);
  });

  it.each(subsets)('are written as "$written" and read back without loss or gain', ({ scopes, written }) => {
    expect(writeScopes(scopes)).toBe(written);
    expect(readScopes(written)).toEqual(scopes);
  });

  it('are written once each and in one order, however they were listed', () => {
    expect(writeScopes(['withdraw', 'read', 'trade', 'read'])).toBe('rtw');
  });

  it('ignore letters that stand for no scope', () => {
    expect(readScopes('RTWax*')).toEqual([]);
  });

  it.each(['admin', 'Read', '*', ''])('do not include "%s"', (scope) => {
    expect(Scope.safeParse(scope).success).toBe(false);
  });
});
