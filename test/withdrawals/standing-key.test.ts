import { describe, expect, it, vi } from 'vitest';
import { sandboxCustody } from '../../src/custody/sandbox.ts';
import { type Trader, asOperator, createKey, openAccount, openTrader, expectCode } from '../support/exchange.ts';
import { aroundBatch } from '../support/runtime/faults.ts';
import { listOwn, readHoldings, setSettings, review } from '../support/withdrawals/withdrawals.ts';
import { databaseOfId } from '../support/db/open-in-ledger.ts';

/** Withdraws, and changes the key with the query after its lane has admitted the request. */
async function withdrawWhile(trader: Trader, query: string): Promise<Response> {
  const fault = aroundBatch('debit', 'before', 1, async () => {
    await databaseOfId(trader.keyId).prepare(query).bind(trader.keyId).run();
  });
  const response = await trader.withdraw({}, 'k');
  expect(fault.state.injected).toBe(1);
  return response;
}

describe('the key of a withdrawal', () => {
  it.each([
    ['revoked', 'UPDATE api_keys SET revoked_at = 1 WHERE id = ?', 'invalid_api_key'],
    ['expired', 'UPDATE api_keys SET expires_at = 1 WHERE id = ?', 'api_key_expired'],
  ])(
    'is checked again in the batch: a key that was %s after admission is refused, and nothing changes',
    async (_, query, code) => {
      const trader = await openTrader({ USDT: '100' });
      await trader.balances();
      const before = await readHoldings(trader.accountId);
      const response = await withdrawWhile(trader, query);
      expect(response.headers.get('WWW-Authenticate')).toBe('Bearer error="invalid_token"');
      await expectCode(response, `401 ${code}`);
      expect(await readHoldings(trader.accountId)).toEqual(before);
    },
  );

  it('is shown to every key of the account in the answer, by id, in the list and in the feed', async () => {
    const accountId = await openAccount({ USDT: '200' });
    const [one, other] = [await createKey(accountId), await createKey(accountId)];
    const withdrawal = await one.takeOut();
    expect(withdrawal.keyId).toBe(one.keyId);
    expect((await other.readWithdrawal(withdrawal.id)).keyId).toBe(one.keyId);
    expect((await listOwn(other)).map(({ keyId }) => keyId)).toEqual([one.keyId]);
    expect((await other.feed()).map(({ keyId }) => keyId)).toEqual([one.keyId, null]);
  });
});

describe('the reason of a failed withdrawal', () => {
  it('is shown to its holder in Bureau’s words, and in the custodian’s words to the operator only', async () => {
    const secret = 'case 4711: analyst J. Doe, hot-wallet-3';
    vi.spyOn(sandboxCustody, 'submit').mockResolvedValueOnce({ kind: 'refused', reason: secret });
    const trader = await openTrader({ USDT: '100' });
    const withdrawal = await trader.takeOut();
    expect(withdrawal).toMatchObject({ status: 'FAILED', reason: 'refused' });
    expect(await trader.readWithdrawal(withdrawal.id)).toEqual(withdrawal);
    expect((await trader.feed())[0]).toMatchObject({ status: 'FAILED', reason: 'refused' });
    const seen = await asOperator('GET', `/accounts/${trader.accountId}/withdrawals/${withdrawal.id}`);
    expect(await seen.json()).toMatchObject({ withdrawal: { reason: secret } });
  });

  it('is the review when the operator rejected it', async () => {
    await setSettings({ reviewThreshold: '10' });
    const trader = await openTrader({ USDT: '100' });
    const { id, reason } = await trader.takeOut();
    expect(reason).toBeNull();
    await review(trader, id, 'reject');
    expect(await trader.readWithdrawal(id)).toMatchObject({ status: 'FAILED', reason: 'rejected' });
  });
});
