import { ledgerOf } from '../../src/db/database.ts';
import { describe, expect, it, vi } from 'vitest';
import { approveAddress } from '../../src/accounts/allowlist.ts';
import { firmPrice } from '../../src/markets/firm-price.ts';
import { readSnapshot } from '../../src/markets/read-hub.ts';
import { sandboxCustody } from '../../src/custody/sandbox.ts';
import { type Trader, asOperator, createKey, json, openTrader, expectCode } from '../support/exchange.ts';
import { env } from '../support/runtime/test-env.ts';
import {
  OUTSIDE,
  listOwn,
  moveClock,
  readHoldings,
  setSettings,
  stopClock,
} from '../support/withdrawals/withdrawals.ts';
import { readFor } from '../support/db/open-in-ledger.ts';

const HOUR_MS = 3_600_000;
const ETH_ADDRESS = '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359';

const expectLimit = async (response: Response, figures: Record<string, string>) =>
  expect(await expectCode(response, '422 daily_limit_exceeded')).toMatchObject(figures);

describe('the daily limit', () => {
  it('may be reached exactly, without the fee, and not exceeded by one atom', async () => {
    const trader = await openTrader({ USDT: '20000' });
    await expectLimit(await trader.withdraw({ amount: '5000.000001' }), {
      limit: '5000',
      used: '0',
      remaining: '5000',
    });
    expect((await trader.withdraw({ amount: '4000' })).status).toBe(201);
    await expectLimit(await trader.withdraw({ amount: '1000.000001' }), {
      limit: '5000',
      used: '4000',
      remaining: '1000',
    });
    expect((await trader.withdraw({ amount: '1000' })).status).toBe(201);
    const before = await readHoldings(trader.accountId);
    await expectLimit(await trader.withdraw({ amount: '5' }), { limit: '5000', used: '5000', remaining: '0' });
    expect(await readHoldings(trader.accountId)).toEqual(before);
  });

  it('is the account’s, whichever key asks, and is set by the operator', async () => {
    const trader = await openTrader({ USDT: '20000' });
    const other = await createKey(trader.accountId);
    expect((await trader.withdraw({ amount: '5000' })).status).toBe(201);
    await expectLimit(await other.withdraw({ amount: '5' }), { remaining: '0' });
    await asOperator('PATCH', `/accounts/${trader.accountId}`, { dailyWithdrawalLimit: '6000' });
    expect((await other.withdraw({ amount: '1000' })).status).toBe(201);
    await asOperator('PATCH', `/accounts/${trader.accountId}`, { dailyWithdrawalLimit: '100' });
    await expectLimit(await other.withdraw({ amount: '5' }), { limit: '100', used: '6000', remaining: '0' });
  });

  it('counts the last 24 hours to the millisecond, and nothing older', async () => {
    stopClock();
    const trader = await openTrader({ USDT: '20000' });
    expect((await trader.withdraw({ amount: '3000' })).status).toBe(201);
    moveClock(12 * HOUR_MS);
    expect((await trader.withdraw({ amount: '2000' })).status).toBe(201);
    moveClock(12 * HOUR_MS - 1);
    await expectLimit(await trader.withdraw({ amount: '5' }), { used: '5000', remaining: '0' });
    moveClock(1);
    await expectLimit(await trader.withdraw({ amount: '3000.000001' }), { used: '2000', remaining: '3000' });
    expect((await trader.withdraw({ amount: '3000' })).status).toBe(201);
    moveClock(12 * HOUR_MS);
    expect((await trader.withdraw({ amount: '2000' })).status).toBe(201);
  });

  it('does not count failed withdrawals, whose money was returned', async () => {
    const trader = await openTrader({ USDT: '5001' });
    vi.spyOn(sandboxCustody, 'submit').mockResolvedValueOnce({ kind: 'refused', reason: 'sanctioned' });
    const failed = await trader.takeOut({ amount: '5000' });
    expect([failed.status, failed.txHash]).toEqual(['FAILED', null]);
    expect((await trader.balances())['USDT']).toBe('5001');
    expect((await trader.takeOut({ amount: '5000' })).status).toBe('COMPLETED');
  });

  it('counts withdrawals that are still being paid or wait for review', async () => {
    const trader = await openTrader({ USDT: '20000' });
    vi.spyOn(sandboxCustody, 'submit').mockResolvedValueOnce({ kind: 'unknown' });
    expect((await trader.takeOut({ amount: '2000' })).status).toBe('PROCESSING');
    await setSettings({ reviewThreshold: '1000' });
    expect((await trader.takeOut({ amount: '2000' })).status).toBe('PENDING');
    await expectLimit(await trader.withdraw({ amount: '1000.000001' }), { used: '4000' });
  });

  it('counts other assets at their firm price, rounded up to whole atoms of USDT', async () => {
    stopClock();
    const trader = await openTrader({ ETH: '100' });
    const snapshot = await readSnapshot(env, 0);
    const firm = snapshot && firmPrice(snapshot, 'ETH', Date.now());
    if (!firm) throw new Error('there is no firm price');
    const change = { asset: 'ETH', network: 'ETH', address: ETH_ADDRESS };
    let used = 0;
    for (const atoms of [12_345_679n, 12_345_681n, 12_345_683n]) {
      const { id } = await trader.takeOut({ ...change, amount: `0.${atoms}` });
      const value = await readFor(trader.accountId, 'SELECT usd_value FROM withdrawals WHERE id = ?', id);
      // Atoms of 1e-8 times a price in 1e-8 USDT, in atoms of 1e-6 USDT.
      expect(value).toBe(Number((atoms * firm.price + 9_999_999_999n) / 10_000_000_000n));
      used += Number(value);
    }
    await expectLimit(await trader.withdraw({ ...change, amount: '50' }), { used: String(used / 1e6) });
  });
});

describe('a strict allowlist', () => {
  const approve = (trader: Trader, change: Record<string, string> = {}) =>
    asOperator('POST', `/accounts/${trader.accountId}/allowlist`, {
      network: 'TRC20',
      address: OUTSIDE,
      label: 'cold',
      ...change,
    });

  it('allows what is approved for this account and network, and nothing else', async () => {
    await setSettings({ allowlistMode: 'strict' });
    const [trader, other] = [await openTrader({ USDT: '500' }), await openTrader({ USDT: '500' })];
    await expectCode(trader.withdraw(), '403 address_not_allowlisted');
    await approve(other);
    await expectCode(trader.withdraw(), '403 address_not_allowlisted');
    await approve(trader, { network: 'BEP20', address: ETH_ADDRESS });
    const onAnother = { network: 'ARBITRUM', address: ETH_ADDRESS };
    await expectCode(trader.withdraw(onAnother), '403 address_not_allowlisted');
    expect((await trader.balances())['USDT']).toBe('500');
    expect((await trader.withdraw({ network: 'BEP20', address: ETH_ADDRESS.toLowerCase() })).status).toBe(201);
    await approve(trader);
    expect((await trader.withdraw()).status).toBe(201);
  });

  it('keeps its refusal as the answer of the Idempotency-Key, also after the approval', async () => {
    await setSettings({ allowlistMode: 'strict' });
    const trader = await openTrader({ USDT: '500' });
    const first = await trader.withdraw({}, 'k');
    await approve(trader);
    const second = await trader.withdraw({}, 'k');
    expect(second.headers.get('X-Idempotency-Replay')).toBe('true');
    expect(await second.text()).toBe(await first.text());
    expect((await trader.withdraw({}, 'another')).status).toBe(201);
  });

  it('allows an address when its cooling period is over, and not a millisecond earlier', async () => {
    stopClock();
    await setSettings({ allowlistMode: 'strict' });
    const trader = await openTrader({ USDT: '500' });
    const approved = { network: 'TRC20', address: OUTSIDE, label: 'new' } as const;
    const actor = { role: 'operator', now_ms: Date.now() } as const;
    await approveAddress(ledgerOf(env, trader.accountId), trader.accountId, approved, HOUR_MS, actor);
    moveClock(HOUR_MS - 1);
    await expectCode(trader.withdraw(), '403 address_not_allowlisted');
    moveClock(1);
    expect((await trader.withdraw()).status).toBe(201);
  });

  it('refuses an address at once when its approval is removed', async () => {
    await setSettings({ allowlistMode: 'strict' });
    const trader = await openTrader({ USDT: '500' });
    const { entry } = await json<{ entry: { id: string } }>(await approve(trader));
    expect((await trader.withdraw()).status).toBe(201);
    await asOperator('DELETE', `/accounts/${trader.accountId}/allowlist/${entry.id}`);
    await expectCode(trader.withdraw(), '403 address_not_allowlisted');
    expect(await listOwn(trader)).toHaveLength(1);
  });
});
