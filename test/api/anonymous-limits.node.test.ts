import { describe, expect, it } from 'vitest';
import { unstable_readConfig } from 'wrangler';
import { openExchange } from '../support/node/exchange/open-exchange.ts';

/** Small limits, so that a few calls reach them. The real limits are configuration; what is counted is tested here. */
const limits = { ANONYMOUS_READS: 4, ANONYMOUS_NETWORKS: 10 };

/** The part of wrangler.toml that the test reads. Wrangler's own type needs a package that it does not bring along. */
type RateLimit = Readonly<{ name: string; simple: unknown }>;

const MINUTE_MS = 60_000;
const MAX_TRIES = 5;

const { origin } = await openExchange({ rateLimits: limits });

function ask(ip: string, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`${origin}/api/v1/time`, { headers: { 'CF-Connecting-IP': ip, ...headers } });
}

/** Calls once from each address, one after the other, and returns how many calls were admitted. */
async function countAdmitted(ips: readonly string[]): Promise<number> {
  let admitted = 0;
  for (const ip of ips) {
    const response = await ask(ip);
    await response.arrayBuffer();
    expect([200, 429]).toContain(response.status);
    if (response.ok) admitted += 1;
  }
  return admitted;
}

const many = (count: number, ip: (at: number) => string) => Array.from({ length: count }, (_, at) => ip(at));

/**
 * Runs `work` within one minute of the clock, because the local binding starts counting anew at each full minute. When
 * a minute ends during the work, the work runs again with a new number, which gives it addresses that were not counted
 * yet.
 */
async function inOneMinute(work: (fresh: number) => Promise<void>): Promise<void> {
  const minuteOf = () => Math.floor(Date.now() / MINUTE_MS);
  for (let fresh = 1; fresh <= MAX_TRIES; fresh += 1) {
    const minute = minuteOf();
    const fault: unknown = await work(fresh).then(
      () => undefined,
      (error: unknown) => error,
    );
    if (minuteOf() !== minute) continue;
    if (fault !== undefined) throw fault;
    return;
  }
  throw new Error('the work takes longer than a minute');
}

describe('a call without a key', () => {
  it('is counted by its IPv4 address, in whichever form the address is written', () =>
    inOneMinute(async (fresh) => {
      const ip = `203.0.113.${fresh}`;
      expect(await countAdmitted([ip, `::ffff:${ip}`, ip, `::ffff:cb00:710${fresh}`, ip, `::FFFF:${ip}`])).toBe(4);
      const refused = await ask(ip);
      expect(refused.headers.get('Retry-After')).toBe('60');
      expect(await refused.json()).toMatchObject({ status: 429, code: 'rate_limited' });
      expect(await countAdmitted([`198.51.100.${fresh}`])).toBe(1);
    }));

  it('is counted by the /64 network of its IPv6 address', () =>
    inOneMinute(async (fresh) => {
      expect(await countAdmitted(many(6, (at) => `2001:db8:${fresh}:1::${at}`))).toBe(4);
      expect(await countAdmitted([`2001:db8:${fresh}:2::1`])).toBe(1);
    }));

  it('is counted by the /48 network of its IPv6 address as well, so many /64 networks in it share one limit', () =>
    inOneMinute(async (fresh) => {
      expect(await countAdmitted(many(30, (at) => `2001:db8:4${fresh}:${at.toString(16)}::1`))).toBe(10);
      expect(await countAdmitted([`2001:db8:5${fresh}::1`])).toBe(1);
    }));

  it('does not count against its /48 when the limit of its /64 refuses it', () =>
    inOneMinute(async (fresh) => {
      expect(await countAdmitted(many(20, () => `2001:db8:6${fresh}:1::1`))).toBe(4);
      expect(await countAdmitted(many(4, () => `2001:db8:6${fresh}:2::1`))).toBe(4);
    }));

  it('is counted apart from calls with a key from the same address', () =>
    inOneMinute(async (fresh) => {
      const ip = `192.0.2.${fresh}`;
      expect(await countAdmitted(many(6, () => ip))).toBe(4);
      expect((await ask(ip, { Authorization: 'Bearer nonsense' })).status).toBe(401);
    }));
});

it.each([undefined, 'production'])(
  'the limits for calls without a key are 300 and 3,000 a minute in the environment %s',
  (environment) => {
    const { ratelimits } = unstable_readConfig({ config: 'wrangler.toml', ...(environment && { env: environment }) });
    expect(ratelimits.map(({ name, simple }: RateLimit) => [name, simple])).toEqual([
      ['ANONYMOUS_READS', { limit: 300, period: 60 }],
      ['ANONYMOUS_NETWORKS', { limit: 3_000, period: 60 }],
    ]);
  },
);
