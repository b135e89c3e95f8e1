import { describe, expect, it, vi } from 'vitest';
import type { CustodyState } from '../../src/custody/custody.ts';
import { sandboxCustody } from '../../src/custody/sandbox.ts';
import { ORDER, openTrader, expectCode } from '../support/exchange.ts';
import {
  listOwn,
  moveClock,
  readAttempts,
  readHoldings,
  readTaken,
  setSettings,
  stopClock,
  switchOnTotp,
} from '../support/withdrawals/withdrawals.ts';
import { expectReplay, isReplay } from '../support/replays.ts';
import { waitFor } from '../support/wait-for.ts';

describe('a withdrawal’s Idempotency-Key', () => {
  it('is shared with orders: used for an order, it is refused for a withdrawal, and the other way round', async () => {
    const trader = await openTrader({ USDT: '200' });
    await trader.order(ORDER, 'order');
    await trader.withdraw({}, 'withdrawal');
    const before = await readHoldings(trader.accountId);
    await expectCode(trader.withdraw({}, 'order'), '422 idempotency_key_reused');
    await expectCode(trader.order(ORDER, 'withdrawal'), '422 idempotency_key_reused');
    expect(await readHoldings(trader.accountId)).toEqual(before);
  });
});

describe('requests of one Idempotency-Key that wait for the same custodian', () => {
  it('get one answer, also when the custodian pays after the first of them was answered PROCESSING', async () => {
    const trader = await openTrader({ USDT: '200' });
    const paid = Promise.withResolvers<CustodyState>();
    vi.spyOn(sandboxCustody, 'submit').mockImplementation(() => paid.promise);
    const early = trader.withdraw({}, 'k');
    await waitFor(async () => expect(await listOwn(trader)).toHaveLength(1));
    // Later by so much that it still waits when the first request's time is over. Otherwise this would prove nothing.
    await new Promise((resolve) => {
      setTimeout(resolve, 2_000);
    });
    const late = trader.withdraw({}, 'k');
    const first = await early;
    expect((await readTaken(first.clone())).status).toBe('PROCESSING');
    paid.resolve({ kind: 'sent', txHash: '0'.repeat(64) });
    await expectReplay(await late, first);
    await expectReplay(await trader.withdraw({}, 'k'), first);
    await waitFor(async () => expect((await listOwn(trader))[0]?.status).toBe('COMPLETED'));
    expect(sandboxCustody.submit).toHaveBeenCalledTimes(1);
  });
});

describe('a stored refusal of a withdrawal', () => {
  it.each([
    ['network_not_supported', { network: 'BTC' }],
    ['invalid_address', { address: 'nobody' }],
    ['precision_exceeded', { amount: '50.0000001' }],
    ['amount_above_maximum', { amount: '9223372036854.775808' }],
    ['amount_below_minimum', { amount: '1' }],
    ['daily_limit_exceeded', { amount: '5001' }],
  ])('is replayed when it is %s', async (code, change) => {
    const trader = await openTrader();
    const first = await trader.withdraw(change, 'k');
    await expectCode(first.clone(), `422 ${code}`);
    await expectReplay(await trader.withdraw(change, 'k'), first);
  });

  it('is not stored when it is temporary: the same key is executed when the halt is over', async () => {
    const trader = await openTrader({ USDT: '100' });
    await setSettings({ withdrawalsHalted: true });
    await expectCode(trader.withdraw({}, 'k'), '503 withdrawals_suspended');
    await setSettings({ withdrawalsHalted: false });
    const response = await trader.withdraw({}, 'k');
    expect([response.status, isReplay(response)]).toEqual([201, false]);
  });
});

describe('a replay when a code is required', () => {
  it('uses no code and counts no attempt', async () => {
    stopClock();
    const trader = await openTrader({ USDT: '200' });
    const authenticator = await switchOnTotp(trader.accountId);
    const first = await trader.withdraw({ totpCode: await authenticator.code() }, 'k');
    const before = await readAttempts(trader.accountId);
    await expectReplay(await trader.withdraw({ totpCode: await authenticator.code() }, 'k'), first);
    await expectReplay(await trader.withdraw({ totpCode: await authenticator.wrong() }, 'k'), first);
    await expectReplay(await trader.withdraw({ totpCode: await authenticator.code(1) }, 'k'), first);
    await expectReplay(await trader.withdraw({}, 'k'), first);
    expect(await readAttempts(trader.accountId)).toEqual(before);
    expect((await trader.withdraw({ totpCode: await authenticator.code(1) }, 'next')).status).toBe(201);
  });

  it('is given after the code has expired, with the old code or a new one', async () => {
    stopClock();
    const trader = await openTrader({ USDT: '200' });
    const authenticator = await switchOnTotp(trader.accountId);
    const totpCode = await authenticator.code();
    const first = await trader.withdraw({ totpCode }, 'k');
    expect((await readTaken(first.clone())).status).toBe('COMPLETED');
    moveClock(3_600_000);
    await expectReplay(await trader.withdraw({ totpCode }, 'k'), first);
    await expectReplay(await trader.withdraw({ totpCode: await authenticator.code() }, 'k'), first);
    expect(await listOwn(trader)).toHaveLength(1);
  });

  it('is not given for a wrong code: the same key is executed with the right one', async () => {
    stopClock();
    const trader = await openTrader({ USDT: '200' });
    const authenticator = await switchOnTotp(trader.accountId);
    await expectCode(trader.withdraw({}, 'k'), '403 totp_required');
    await expectCode(trader.withdraw({ totpCode: await authenticator.wrong() }, 'k'), '403 totp_invalid');
    const response = await trader.withdraw({ totpCode: await authenticator.code() }, 'k');
    expect([response.status, isReplay(response)]).toEqual([201, false]);
  });
});
