import { describe, expect, it, vi } from 'vitest';
import { sandboxCustody } from '../../src/custody/sandbox.ts';
import { readAddresses } from '../support/addresses/addresses.ts';
import { type Trader, asOperator, createKey, openAccount, openTrader, expectCode } from '../support/exchange.ts';
import { aroundBatch } from '../support/runtime/faults.ts';
import {
  houseHolds,
  meetingOf,
  moveClock,
  readTaken,
  setSettings,
  stopClock,
  switchOnTotp,
} from '../support/withdrawals/withdrawals.ts';
import { expectWholeLedger } from '../support/db/probes.ts';

/** An account with 100 USDT, another account, and the other's address. */
async function openPair(): Promise<{ sender: Trader; recipient: Trader; address: string }> {
  const [sender, recipient] = [await openTrader({ USDT: '100' }), await openTrader()];
  return { sender, recipient, address: (await readAddresses(recipient))['TRC20'] ?? '' };
}

describe('a withdrawal to another account’s deposit address', () => {
  it('can be spent at once by the recipient', async () => {
    const { sender, recipient, address } = await openPair();
    await sender.withdraw({ address, amount: '60' });
    expect((await recipient.withdraw()).status).toBe(201);
    expect((await recipient.balances())['USDT']).toBe('9');
  });

  it('passes the same checks: minimum, code, allowlist, daily limit, balance', async () => {
    stopClock();
    const { sender, recipient, address } = await openPair();
    await expectCode(sender.withdraw({ address, amount: '4.999999' }), '422 amount_below_minimum');
    await expectCode(sender.withdraw({ address, amount: '5001' }), '422 daily_limit_exceeded');
    await expectCode(sender.withdraw({ address, amount: '100.000001' }), '422 insufficient_balance');
    await setSettings({ allowlistMode: 'strict' });
    await expectCode(sender.withdraw({ address }), '403 address_not_allowlisted');
    await setSettings({ allowlistMode: 'off', pausedNetworks: ['TRC20'] });
    await expectCode(sender.withdraw({ address }), '503 withdrawals_suspended');
    await setSettings({ pausedNetworks: [] });
    const authenticator = await switchOnTotp(sender.accountId);
    await expectCode(sender.withdraw({ address }), '403 totp_required');
    expect((await recipient.balances())['USDT']).toBe('0');
    const totpCode = await authenticator.code();
    expect((await sender.withdraw({ address, totpCode })).status).toBe(201);
    expect((await recipient.balances())['USDT']).toBe('50');
  });

  it('counts towards the daily limit', async () => {
    const { sender, address } = await openPair();
    await asOperator('PATCH', `/accounts/${sender.accountId}`, { dailyWithdrawalLimit: '70' });
    expect((await sender.withdraw({ address })).status).toBe(201);
    const problem = await expectCode(sender.withdraw(), '422 daily_limit_exceeded');
    expect(problem).toMatchObject({ limit: '70', used: '50', remaining: '20' });
  });
});

describe('a review of a withdrawal', () => {
  it('above the threshold leaves it PENDING with 201: the money is held, and the custodian is not asked', async () => {
    await setSettings({ reviewThreshold: '50' });
    const asked = vi.spyOn(sandboxCustody, 'submit');
    const before = await houseHolds('payouts');
    const trader = await openTrader({ USDT: '100' });
    const response = await trader.withdraw({ amount: '50.000001' }, 'k');
    const withdrawal = await readTaken(response.clone());
    expect(withdrawal).toMatchObject({ status: 'PENDING', txHash: null, fee: '1' });
    expect(await trader.readWithdrawal(withdrawal.id)).toEqual(withdrawal);
    expect((await trader.feed())[0]).toMatchObject({ id: withdrawal.id, status: 'PENDING' });
    expect((await trader.balances())['USDT']).toBe('48.999999');
    expect((await houseHolds('payouts')) - before).toBe(51_000_001n);
    expect(asked).not.toHaveBeenCalled();
    expect(await (await trader.withdraw({ amount: '50.000001' }, 'k')).text()).toBe(await response.text());
    await expectWholeLedger();
  });

  it('is not needed at the threshold itself', async () => {
    await setSettings({ reviewThreshold: '50' });
    const trader = await openTrader({ USDT: '100' });
    expect((await trader.takeOut()).status).toBe('COMPLETED');
  });

  it('is needed when the account’s withdrawals of 24 hours exceed it together, so splitting does not avoid it', async () => {
    stopClock();
    await setSettings({ reviewThreshold: '100' });
    const trader = await openTrader({ USDT: '1000' });
    const statuses: string[] = [];
    const take = async (amount: string) => statuses.push((await trader.takeOut({ amount })).status);
    await take('60');
    await take('40');
    await take('10');
    moveClock(86_400_000 - 1);
    await take('10');
    moveClock(1);
    // All but the last withdrawal of ten is a day old.
    await take('79');
    await take('12');
    expect(statuses).toEqual(['COMPLETED', 'COMPLETED', 'PENDING', 'PENDING', 'COMPLETED', 'PENDING']);
  });

  it('does not count withdrawals that failed, because their money is back', async () => {
    await setSettings({ reviewThreshold: '100' });
    const trader = await openTrader({ USDT: '1000' });
    vi.spyOn(sandboxCustody, 'submit').mockResolvedValueOnce({ kind: 'refused', reason: 'sanctioned' });
    expect((await trader.takeOut({ amount: '90' })).status).toBe('FAILED');
    expect((await trader.takeOut({ amount: '90' })).status).toBe('COMPLETED');
  });

  it('is needed for one of two on two keys that exceed the threshold together, each seeing nothing withdrawn', async () => {
    await setSettings({ reviewThreshold: '100' });
    const accountId = await openAccount({ USDT: '1000' });
    const keys = await Promise.all([createKey(accountId), createKey(accountId)]);
    aroundBatch('facts', 'after', 2, meetingOf(2));
    const responses = await Promise.all(keys.map((key) => key.withdraw({ amount: '60' })));
    const statuses = await Promise.all(responses.map(async (response) => (await readTaken(response)).status));
    expect(statuses.toSorted()).toEqual(['COMPLETED', 'PENDING']);
    await expectWholeLedger();
  });
});
