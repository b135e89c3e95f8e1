import { describe, expect, it } from 'vitest';
import { type ProblemBody, json, openTrader, send } from '../support/exchange.ts';

const from = (ip: string) => ({ headers: { 'CF-Connecting-IP': ip } });
const ask = (ip: string) => send('/api/v1/time', from(ip));

/** Asks once from each address, and gives how many were admitted. */
async function countAdmitted(ips: readonly string[]): Promise<number> {
  const statuses = await Promise.all(ips.map(async (ip) => (await ask(ip)).status));
  expect(new Set(statuses).size, statuses.join()).toBeLessThanOrEqual(2);
  return statuses.filter((status) => status === 200).length;
}

const many = (count: number, ip: (at: number) => string) => Array.from({ length: count }, (_, at) => ip(at));

describe('a call without a key', () => {
  it('is admitted 300 times a minute from one IPv4 address, however it is written', async () => {
    expect(await countAdmitted(many(160, () => '203.0.113.7'))).toBe(160);
    expect(await countAdmitted(many(160, () => '::ffff:203.0.113.7'))).toBe(140);
    const refused = await ask('::ffff:cb00:7107');
    expect([refused.status, (await json<ProblemBody>(refused)).code]).toEqual([429, 'rate_limited']);
    expect(refused.headers.get('Retry-After')).toBe('60');
    expect((await ask('203.0.113.8')).status).toBe(200);
  });

  it('is admitted 300 times a minute from one /64 of IPv6', async () => {
    expect(await countAdmitted(many(320, (at) => `2001:db8:64:1::${at.toString(16)}`))).toBe(300);
    expect((await ask('2001:db8:64:2::1')).status).toBe(200);
  });

  it('is admitted 3,000 times a minute from one /48 of IPv6, from however many /64s', async () => {
    // 330 networks of 64 bits, ten calls each: no one of them is near its own limit.
    const ips = many(3_300, (at) => `2001:db8:48:${(at % 330).toString(16)}::1`);
    expect(await countAdmitted(ips)).toBe(3_000);
    expect((await ask('2001:db8:48:ffff::1')).status).toBe(429);
    expect((await ask('2001:db8:49::1')).status).toBe(200);
  });

  it('that its own /64 is refused counts nothing for the others of its /48', async () => {
    expect(await countAdmitted(many(3_100, () => '2001:db8:50:1::1'))).toBe(300);
    expect(await countAdmitted(many(280, () => '2001:db8:50:2::1'))).toBe(280);
  });

  it('leaves the calls of a key alone, from the same network', async () => {
    await countAdmitted(many(320, () => '203.0.113.9'));
    const trader = await openTrader();
    const keyed = { 'CF-Connecting-IP': '203.0.113.9', Authorization: `Bearer ${trader.token}` };
    expect((await send('/api/v1/time', { headers: keyed })).status).toBe(200);
  });
});
