import type { ConsoleContext } from './context.ts';

/** What the platform calls the network that hides a country. */
const TOR = 'T1';

/** An IPv6 address is no longer. */
const MAX_ADDRESS_LENGTH = 45;

/** The address that a request comes from. */
export function readCallerIp(c: Pick<ConsoleContext, 'req'>): string {
  return c.req.header('CF-Connecting-IP') ?? 'unknown';
}

const countries = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });

/**
 * Where a request comes from, as the platform says it, in words: `Germany, 203.0.113.7`. The address alone where the
 * country is not known; `null` where nothing is.
 */
export function namePlace(c: Pick<ConsoleContext, 'req'>): string | null {
  const address = c.req.header('CF-Connecting-IP')?.slice(0, MAX_ADDRESS_LENGTH);
  if (address === undefined) return null;
  const code = c.req.header('CF-IPCountry') ?? '';
  if (code === TOR) return `the Tor network, ${address}`;
  const country = /^[A-Z]{2}$/.test(code) ? countries.of(code) : undefined;
  return country === undefined ? address : `${country}, ${address}`;
}
