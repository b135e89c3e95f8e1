import { describe, expect, it } from 'vitest';
import { RecordId, newRecordId, timeOfRecord } from '../../src/ledger/record-id.ts';
import { type ProblemBody, json, openTrader, send } from '../support/exchange.ts';

const ORDER = { coin: 'BTC', side: 'BUY', mode: 'USDT_AMOUNT', value: '10' };

/** The same id in another ledger. */
function elsewhere(id: string): string {
  return `${id.slice(0, 15)}001${id.slice(18)}`;
}

describe('an id', () => {
  it('is a UUIDv7 that names its ledger in the twelve bits after its version, and its time before', () => {
    const time_ms = Date.UTC(2026, 10, 22);
    const ids = Array.from({ length: 1_000 }, () => newRecordId(time_ms));
    expect(new Set(ids).size).toBe(ids.length);
    for (const id of ids) {
      expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7000-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
      expect(timeOfRecord(id)).toBe(time_ms);
      expect(RecordId.safeParse(id).success).toBe(true);
      expect(RecordId.safeParse(elsewhere(id)).success).toBe(false);
    }
  });

  it('of a ledger that does not exist is refused', async () => {
    const trader = await openTrader({ USDT: '100' });
    for (const id of [trader.accountId, trader.keyId]) expect(RecordId.safeParse(id).success).toBe(true);
    const { id } = await trader.trade(ORDER);
    expect((await trader.get(`/api/v1/orders/${id}`)).status).toBe(200);
    for (const path of [`/api/v1/orders/${elsewhere(id)}`, `/api/v1/wallet/withdrawals/${elsewhere(id)}`]) {
      const refused = await trader.get(path);
      expect([refused.status, (await json<ProblemBody>(refused)).code]).toEqual([404, 'not_found']);
    }
    const token = trader.token.replace(trader.keyId, elsewhere(trader.keyId));
    const refused = await send('/api/v1/orders', { headers: { Authorization: `Bearer ${token}` } });
    expect([refused.status, (await json<ProblemBody>(refused)).code]).toEqual([401, 'invalid_api_key']);
  });
});
