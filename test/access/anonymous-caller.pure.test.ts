import { describe, expect, it } from 'vitest';
import { nameAnonymousCaller } from '../../src/access/anonymous-caller.ts';

describe('the name under which a caller without a key is counted', () => {
  it.each([
    ['an IPv4 address', '203.0.113.7', '203.0.113.7'],
    ['an IPv4 address that arrives as IPv6', '::ffff:203.0.113.7', '203.0.113.7'],
    ['the same in hexadecimal', '::FFFF:cb00:7107', '203.0.113.7'],
    ['text that is no address', 'unknown', 'unknown'],
    ['nothing', '', 'unknown'],
  ])(
    'is for %s the address itself, or one name for all callers without an address, and has no network',
    (_, ip, caller) => {
      expect(nameAnonymousCaller(ip)).toEqual({ caller, network: undefined });
    },
  );

  it('is the same for a whole /64 of IPv6, which one customer holds', () => {
    const names = ['2001:db8:1:2::1', '2001:db8:1:2:ffff:ffff:ffff:ffff', '2001:0DB8:0001:0002::'].map(
      (ip) => nameAnonymousCaller(ip).caller,
    );
    expect(new Set(names)).toEqual(new Set(['2001:db8:1:2::']));
  });

  it('differs for the next /64, in the same network up to the end of its /48', () => {
    const [one, next, last, beyond] = ['2001:db8:1:2::1', '2001:db8:1:3::1', '2001:db8:1:ffff::1', '2001:db8:2::1'].map(
      nameAnonymousCaller,
    );
    expect(next?.caller).not.toBe(one?.caller);
    expect([one, next, last].map((name) => name?.network)).toEqual(Array(3).fill('2001:db8:1::'));
    expect(beyond?.network).toBe('2001:db8:2::');
  });
});
