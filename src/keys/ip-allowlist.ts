import ipaddr from 'ipaddr.js';
import { z } from '@hono/zod-openapi';

function parseRange(text: string): [ipaddr.IPv4 | ipaddr.IPv6, number] {
  const [written = '', prefix] = text.split('/');
  const address = ipaddr.process(written);
  const bits = address.toByteArray().length * 8;
  if (prefix === undefined) return [address, bits];
  // An IPv4 range written as IPv6 counts its prefix from the longer address.
  return [address, Number(prefix) - (written.includes(':') && address.kind() === 'ipv4' ? 96 : 0)];
}

/** An IPv4 or IPv6 address, or a range of them in CIDR notation (RFC 4632), in full and without a zone. */
export const IpRange = z
  .union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()], { error: 'is neither an IP address nor a CIDR range' })
  .refine((text) => parseRange(text)[1] >= 0, 'is wider than the IPv4 addresses it is written for')
  .openapi({ type: 'string', example: '192.0.2.0/24' });

/** Whether an address is in one of the ranges. An IPv4 address written as IPv6 is the same address. */
export function isIpListed(ip: string, ranges: readonly string[]): boolean {
  if (!ipaddr.isValid(ip)) return false;
  const address = ipaddr.process(ip);
  return ranges.some((range) => {
    const [network, bits] = parseRange(range);
    return network.kind() === address.kind() && address.match(network, bits);
  });
}
