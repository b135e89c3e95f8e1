import { describe, expect, it } from 'vitest';
import { tokenSettings } from '../../src/access/authenticate.ts';
import { mintToken } from '../../src/keys/token.ts';
import { isRecordId, newRecordId, timeOfRecord } from '../../src/db/record-id.ts';
import { asOperator, openTrader, send, expectCode, ORDER } from '../support/exchange.ts';

/** The same id with the number of another ledger. */
function elsewhere(id: string): string {
  return `${id.slice(0, 15)}001${id.slice(18)}`;
}

describe('the id of a record', () => {
  it('is a UUIDv7 with its time, and with the number of its ledger in the twelve bits after the version', () => {
    const time_ms = Date.UTC(2026, 10, 22);
    const ids = Array.from({ length: 1_000 }, () => newRecordId(time_ms));
    expect(new Set(ids).size).toBe(ids.length);
    for (const id of ids) {
      expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7000-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
      expect(timeOfRecord(id)).toBe(time_ms);
      expect(isRecordId(id)).toBe(true);
    }
    expect(newRecordId(time_ms, 0xabc)).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7abc-/);
  });

  it('of a ledger that does not exist is refused', async () => {
    const trader = await openTrader({ USDT: '100' });
    for (const id of [trader.accountId, trader.keyId]) expect(isRecordId(id)).toBe(true);
    const { id } = await trader.trade(ORDER);
    expect((await trader.get(`/api/v1/orders/${id}`)).status).toBe(200);
    for (const path of [`/api/v1/orders/${elsewhere(id)}`, `/api/v1/wallet/withdrawals/${elsewhere(id)}`]) {
      const refused = await trader.get(path);
      await expectCode(refused, '404 not_found');
    }
    const keyId = elsewhere(trader.keyId);
    const { token } = await mintToken(keyId, ['read'], tokenSettings.prefix, tokenSettings.secrets);
    const refused = await send('/api/v1/orders', { headers: { Authorization: `Bearer ${token}` } });
    await expectCode(refused, '401 invalid_api_key');
  });

  it.each([
    ['GET', '', undefined],
    ['PATCH', '', { status: 'frozen' }],
    ['POST', '/api-keys', { label: 'bot', scopes: ['read'] }],
    ['DELETE', '/api-keys/01a1fcca-895a-7000-b43c-11f474a4f8d5', undefined],
    ['POST', '/credits', { asset: 'BTC', amount: '1', reference: 'r' }],
    ['POST', '/totp', undefined],
    ['POST', '/totp/confirm', { totpCode: '123456' }],
    ['DELETE', '/totp', undefined],
    ['GET', '/allowlist', undefined],
    ['POST', '/allowlist', { network: 'BTC', address: 'x', label: 'x' }],
    ['DELETE', '/allowlist/01a1fcca-895a-7000-b43c-11f474a4f8d5', undefined],
    ['GET', '/withdrawals/01a1fcca-895a-7001-b43c-11f474a4f8d5', undefined],
    ['POST', '/withdrawals/01a1fcca-895a-7001-b43c-11f474a4f8d5/approve', { reason: 'x' }],
    ['POST', '/withdrawals/01a1fcca-895a-7001-b43c-11f474a4f8d5/reject', { reason: 'x' }],
    ['POST', '/withdrawals/01a1fcca-895a-7001-b43c-11f474a4f8d5/settle', { outcome: 'failed', reason: 'x' }],
  ])('of a ledger that does not exist is not found by the operator: %s …%s', async (method, path, body) => {
    const trader = await openTrader();
    const refused = await asOperator(method, `/accounts/${elsewhere(trader.accountId)}${path}`, body);
    await expectCode(refused, '404 not_found');
  });

  it('of a withdrawal in a ledger that does not exist is not found by the custodian', async () => {
    const refused = await asOperator('POST', `/withdrawals/${newRecordId(Date.now(), 1)}/look`);
    await expectCode(refused, '404 not_found');
  });
});
