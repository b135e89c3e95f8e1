import ipaddr from 'ipaddr.js';

/** A connection gets one /64 of IPv6. A site gets a /48 with 65,536 of them, and anyone can rent one (RFC 6177). */
const CALLER_BITS = 64;
const NETWORK_BITS = 48;

/** The names under which a call without a key is counted. */
export interface AnonymousCaller {
  /** The IPv4 address, or the /64 of IPv6. */
  readonly caller: string;
  /** The /48 of IPv6 around it; `undefined` for IPv4. */
  readonly network: string | undefined;
}

/**
 * Names the caller behind an address. An IPv4 address written as IPv6 is the same caller. All invalid addresses share
 * one name.
 */
export function nameAnonymousCaller(ip: string): AnonymousCaller {
  if (!ipaddr.isValid(ip)) return { caller: 'unknown', network: undefined };
  const address = ipaddr.process(ip);
  if (address.kind() === 'ipv4') return { caller: address.toString(), network: undefined };
  const prefixOf = (bits: number) => ipaddr.IPv6.networkAddressFromCIDR(`${address.toString()}/${bits}`).toString();
  return { caller: prefixOf(CALLER_BITS), network: prefixOf(NETWORK_BITS) };
}
