import ipaddr from 'ipaddr.js';

/** A connection gets one /64 of IPv6. A site gets a /48 with 65,536 of them, and anyone can rent one (RFC 6177). */
const CALLER_BITS = 64;
const NETWORK_BITS = 48;

/** An address has eight parts of this size. */
const PART_BITS = 16;

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
  const address = parseAddress(ip);
  if (!address) return { caller: 'unknown', network: undefined };
  if (address instanceof ipaddr.IPv4) return { caller: address.toString(), network: undefined };
  const prefixOf = (bits: number) =>
    new ipaddr.IPv6(address.parts.map((part, place) => (place * PART_BITS < bits ? part : 0))).toString();
  return { caller: prefixOf(CALLER_BITS), network: prefixOf(NETWORK_BITS) };
}

/**
 * Counts a call of an address, and says whether it is within its limits, which wrangler.toml sets. A network's count
 * includes only calls that were admitted, so that one caller cannot use it up for the others.
 */
export async function countAnonymousCaller(ip: string, callers: RateLimit, networks: RateLimit): Promise<boolean> {
  const { caller, network } = nameAnonymousCaller(ip);
  const own = await callers.limit({ key: caller });
  if (!own.success || network === undefined) return own.success;
  return (await networks.limit({ key: network })).success;
}

/** An address, IPv4 also where it is written as IPv6; `undefined` for an invalid one. */
function parseAddress(ip: string): ipaddr.IPv4 | ipaddr.IPv6 | undefined {
  try {
    return ipaddr.process(ip);
  } catch {
    return undefined;
  }
}
