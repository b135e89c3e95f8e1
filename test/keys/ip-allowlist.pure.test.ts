import { describe, expect, it } from 'vitest';
import { IpRange, isIpListed } from '../../src/keys/record.ts';

describe('a list of addresses', () => {
  it.each([
    ['an IPv4 address', '203.0.113.7', ['203.0.113.7']],
    ['one of several', '203.0.113.7', ['198.51.100.1', '203.0.113.0/24']],
    ['the first of a range', '203.0.113.0', ['203.0.113.0/24']],
    ['the last of a range', '203.0.113.255', ['203.0.113.0/24']],
    ['a range written with host bits', '203.0.113.1', ['203.0.113.77/24']],
    ['every IPv4 address', '8.8.8.8', ['0.0.0.0/0']],
    ['an IPv6 address', '2001:db8::1', ['2001:db8::1']],
    ['an IPv6 address written out', '2001:0db8:0:0:0:0:0:1', ['2001:db8::1']],
    ['an IPv6 address in capitals', '2001:DB8::1', ['2001:db8::1']],
    ['the last of an IPv6 range', '2001:db8:0:0:ffff:ffff:ffff:ffff', ['2001:db8::/64']],
    ['an IPv4 address that arrives as IPv6', '::ffff:203.0.113.7', ['203.0.113.7']],
    ['the same in hexadecimal', '::ffff:cb00:7107', ['203.0.113.0/24']],
    ['an IPv4 address that is listed as IPv6', '203.0.113.7', ['::ffff:203.0.113.7']],
  ])('admits %s', (_, ip, ranges) => {
    expect(isIpListed(ip, ranges)).toBe(true);
  });

  it.each([
    ['another address', '203.0.113.8', ['203.0.113.7']],
    ['the address below a range', '203.0.112.255', ['203.0.113.0/24']],
    ['the address above a range', '203.0.114.0', ['203.0.113.0/24']],
    ['an IPv6 address in a list of IPv4', '2001:db8::1', ['0.0.0.0/0']],
    ['an IPv4 address in a list of IPv6', '203.0.113.7', ['2001:db8::/32']],
    ['the next /64', '2001:db8:0:1::', ['2001:db8::/64']],
    ['any address when the list is empty', '203.0.113.7', []],
    ['an address that is unknown', 'unknown', ['0.0.0.0/0', '::/0']],
    ['an empty address', '', ['0.0.0.0/0']],
    ['two addresses at once', '203.0.113.7, 198.51.100.1', ['203.0.113.7']],
  ])('does not admit %s', (_, ip, ranges) => {
    expect(isIpListed(ip, ranges)).toBe(false);
  });
});

describe('an entry of the list', () => {
  it.each(['203.0.113.7', '203.0.113.0/24', '0.0.0.0/0', '203.0.113.7/32', '2001:db8::1', '2001:db8::/32', '::1/128'])(
    'may be %s',
    (entry) => {
      expect(IpRange.safeParse(entry).success).toBe(true);
    },
  );

  it.each([
    ['nothing', ''],
    ['a name', 'example.com'],
    ['a blank before', ' 203.0.113.7'],
    ['a prefix too long for IPv4', '203.0.113.0/33'],
    ['a prefix too long for IPv6', '2001:db8::/129'],
    ['a prefix below zero', '203.0.113.0/-1'],
    ['no prefix after the slash', '203.0.113.0/'],
    ['a number out of a byte', '203.0.113.256'],
    ['five bytes', '203.0.113.7.1'],
    ['a wildcard', '203.0.113.*'],
    ['a span', '203.0.113.1-203.0.113.9'],
    ['a port', '203.0.113.7:443'],
    ['a single number, which some read as an address', '1'],
    ['two numbers', '127.1'],
    ['a hexadecimal number', '0x7f000001'],
    ['an octal byte, which some read as decimal', '010.0.0.1'],
    ['a range of one number', '10/8'],
    ['an IPv6 address with a zone', 'fe80::1%eth0'],
  ])('may not be %s', (_, entry) => {
    expect(IpRange.safeParse(entry).success).toBe(false);
  });
});
