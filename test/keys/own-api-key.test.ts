import { describe, expect, it } from 'vitest';
import { OwnApiKey } from '../../src/keys/api-key.ts';
import type { KeyOptions } from '../support/client.ts';
import { createKey, json, openAccount } from '../support/exchange.ts';

async function readOwnKey(options: KeyOptions = {}) {
  const trader = await createKey(await openAccount(), options);
  const response = await trader.get('/api/v1/account/api-key', { 'CF-Connecting-IP': '192.0.2.7' });
  expect(response.status).toBe(200);
  return { trader, response, apiKey: OwnApiKey.parse((await json<{ apiKey: unknown }>(response)).apiKey) };
}

describe('GET /api/v1/account/api-key', () => {
  it('shows the key of the request, and nothing of its token', async () => {
    const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
    const { trader, response, apiKey } = await readOwnKey({
      scopes: ['withdraw'],
      ipAllowlist: ['192.0.2.0/24'],
      expiresAt,
    });
    expect(apiKey).toMatchObject({
      id: trader.keyId,
      label: 'test',
      scopes: ['withdraw'],
      ipAllowlist: ['192.0.2.0/24'],
      expiresAt,
    });
    expect(response.headers.get('Cache-Control')).toBe('no-store');
    expect(response.headers.get('RateLimit')).toContain('"read-minute"');
  });

  it('shows the limits in force: the key’s own, otherwise the defaults', async () => {
    const { apiKey } = await readOwnKey({ rateLimits: { trade: { perMinute: 7, perDay: 70 } } });
    expect(apiKey.limits).toEqual({
      read: { perMinute: 120, perDay: 5_000 },
      trade: { perMinute: 7, perDay: 70 },
      withdraw: { perMinute: 30, perDay: 200 },
    });
    expect([apiKey.ipAllowlist, apiKey.expiresAt]).toEqual([null, null]);
  });
});
