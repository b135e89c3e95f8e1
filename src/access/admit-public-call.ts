import ipaddr from 'ipaddr.js';
import type { MiddlewareHandler } from 'hono';
import { sendProblem, type AppEnvironment, type RequestContext } from '../http/area.ts';
import { type Refusal, refuse } from '../http/answer.ts';
import { laneOf } from '../lane/key-lane.ts';
import { describeAdmission, reportRate } from './admit.ts';
import { presentKey, readCallerIp } from './authenticate.ts';
import type { PresentedKey } from '../keys/token.ts';

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

/** The window of the bindings that count callers without a key, in seconds. */
const ANONYMOUS_WINDOW_S = 60;

/**
 * Counts a call of a public endpoint. With a key, whatever its scopes, the key is checked and its read bucket counts
 * (spec, "Authentication" 3); without one, the address counts. An answer to a keyed call is private: it carries that
 * key's rate-limit headers. If the lane cannot be reached, the public answer is given all the same.
 */
export const admitPublicCall: MiddlewareHandler<AppEnvironment> = async (c, next) => {
  if (c.req.header('Authorization') === undefined) {
    return (await countAnonymous(c)) ? next() : sendProblem(c, tooManyAnonymous);
  }
  const key = await presentKey(c);
  if (!key.ok) return sendProblem(c, key);
  c.set('caller', key.value.keyId);
  const refusal = await countKeyed(c, key.value);
  if (refusal) return sendProblem(c, refusal);
  await next();
  const shared = c.res.headers.get('Cache-Control');
  if (shared) c.header('Cache-Control', shared.replace('public', 'private'));
};

function countAnonymous(c: RequestContext): Promise<boolean> {
  return countAnonymousCaller(readCallerIp(c), c.env.ANONYMOUS_READS, c.env.ANONYMOUS_NETWORKS);
}

const tooManyAnonymous = refuse(
  'rate_limited',
  'Too many requests from this address or its network in a minute. Use an API key, or wait.',
  { retryAfterSeconds: ANONYMOUS_WINDOW_S },
);

async function countKeyed(c: RequestContext, key: PresentedKey): Promise<Refusal | undefined> {
  try {
    const reply = await laneOf(c.env, key.keyId).admit({ admission: describeAdmission(c, key, null), bucket: 'read' });
    reportRate(c, reply.rate);
    return reply.outcome.ok || reply.outcome.code === 'service_unavailable' ? undefined : reply.outcome;
  } catch {
    return undefined;
  }
}
