import { afterEach, describe, expect, it, vi } from 'vitest';
import type { CustodyState } from '../../src/custody/custody.ts';
import { sandboxCustody } from '../../src/custody/sandbox.ts';
import { type Trader, asOperator, createKey, openAccount, openTrader } from '../support/exchange.ts';
import {
  WITHDRAWAL,
  WITHDRAWALS_PATH,
  expectProblem,
  listOwn,
  moveClock,
  readAttempts,
  readHoldings,
  readTaken,
  resetSettings,
  setSettings,
  stopClock,
  switchOnTotp,
  withdraw,
} from '../support/withdrawals/withdrawals.ts';
import { waitFor } from '../support/wait-for.ts';

const ORDER = { coin: 'BTC', side: 'BUY', mode: 'USDT_AMOUNT', value: '10' };

const isReplay = (response: Response) => response.headers.get('X-Idempotency-Replay') === 'true';

afterEach(async () => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  await resetSettings();
});

async function expectReplay(response: Response, first: Response): Promise<void> {
  expect([response.status, isReplay(response)]).toEqual([first.status, true]);
  expect(response.headers.get('Location')).toBe(first.headers.get('Location'));
  expect(await response.text()).toBe(await first.clone().text());
}

describe('a withdrawal’s Idempotency-Key', () => {
  it('returns the first answer, byte for byte, and pays nothing again', async () => {
    const trader = await openTrader({ USDT: '200' });
    const first = await withdraw(trader, {}, 'k');
    expect([first.status, isReplay(first)]).toEqual([201, false]);
    await expectReplay(await withdraw(trader, {}, 'k'), first);
    expect(await listOwn(trader)).toHaveLength(1);
    expect((await trader.balances())['USDT']).toBe('149');
  });

  it('has one effect and fifty equal answers when it is sent fifty times in parallel', async () => {
    const trader = await openTrader({ USDT: '200' });
    const responses = await Promise.all(Array.from({ length: 50 }, () => withdraw(trader, {}, 'k')));
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([201]));
    expect(new Set(await Promise.all(responses.map((response) => response.text()))).size).toBe(1);
    expect(responses.filter((response) => !isReplay(response))).toHaveLength(1);
    expect((await trader.balances())['USDT']).toBe('149');
  });

  it('ignores the order of fields, white space, and a code that is null or empty', async () => {
    const trader = await openTrader({ USDT: '200' });
    const first = await withdraw(trader, {}, 'k');
    const fields = Object.entries({ ...WITHDRAWAL, totpCode: '' }).toReversed();
    const shuffled = JSON.stringify(Object.fromEntries(fields), null, 3);
    await expectReplay(await trader.post(WITHDRAWALS_PATH, shuffled, { 'Idempotency-Key': '"k"' }), first);
    const empty = JSON.stringify({ ...WITHDRAWAL, totpCode: null });
    await expectReplay(await trader.post(WITHDRAWALS_PATH, empty, { 'Idempotency-Key': 'k' }), first);
  });

  it.each([
    { amount: '51' },
    { amount: '50.0' },
    { network: 'SOL' },
    { address: 'TUEZSdKsoDHQMeZwihtdoBiN46zxhGWYdH' },
  ])('with another body is refused and changes nothing: %o', async (change) => {
    const trader = await openTrader({ USDT: '200' });
    const first = await withdraw(trader, {}, 'k');
    const before = await readHoldings(trader.accountId);
    await expectProblem(await withdraw(trader, change, 'k'), 422, 'idempotency_key_reused');
    expect(await readHoldings(trader.accountId)).toEqual(before);
    await expectReplay(await withdraw(trader, {}, 'k'), first);
  });

  it('is shared with orders: used for an order, it is refused for a withdrawal, and the other way round', async () => {
    const trader = await openTrader({ USDT: '200' });
    await trader.order(ORDER, 'order');
    await withdraw(trader, {}, 'withdrawal');
    const before = await readHoldings(trader.accountId);
    await expectProblem(await withdraw(trader, {}, 'order'), 422, 'idempotency_key_reused');
    await expectProblem(await trader.order(ORDER, 'withdrawal'), 422, 'idempotency_key_reused');
    expect(await readHoldings(trader.accountId)).toEqual(before);
  });

  it('belongs to one API key: another key of the account pays', async () => {
    const accountId = await openAccount({ USDT: '200' });
    const [one, other] = await Promise.all([createKey(accountId), createKey(accountId)]);
    await withdraw(one, {}, 'k');
    expect(isReplay(await withdraw(other, {}, 'k'))).toBe(false);
    expect(await listOwn(one)).toHaveLength(2);
  });

  it('is optional: without it every request pays', async () => {
    const trader = await openTrader({ USDT: '200' });
    await withdraw(trader);
    await withdraw(trader);
    expect(await listOwn(trader)).toHaveLength(2);
  });

  it.each([
    ['1 character', 'x', 201],
    ['255 characters', 'x'.repeat(255), 201],
    ['256 characters', 'x'.repeat(256), 400],
    ['a blank inside', 'a b', 400],
  ])('must be 1 to 255 visible characters: %s', async (_name, key, status) => {
    const trader = await openTrader({ USDT: '100' });
    const response = await withdraw(trader, {}, key);
    expect(response.status).toBe(status);
    if (status === 400) await expectProblem(response, 400, 'invalid_idempotency_key');
  });
});

describe('requests of one Idempotency-Key that wait for the same custodian', () => {
  it('get one answer, also when the custodian pays after the first of them was answered PROCESSING', async () => {
    const trader = await openTrader({ USDT: '200' });
    const paid = Promise.withResolvers<CustodyState>();
    vi.spyOn(sandboxCustody, 'submit').mockImplementation(() => paid.promise);
    const early = withdraw(trader, {}, 'k');
    await waitFor(async () => expect(await listOwn(trader)).toHaveLength(1));
    // Later by so much that it still waits when the first request's time is over. Otherwise this would prove nothing.
    await new Promise((resolve) => {
      setTimeout(resolve, 2_000);
    });
    const late = withdraw(trader, {}, 'k');
    const first = await early;
    expect((await readTaken(first.clone())).status).toBe('PROCESSING');
    paid.resolve({ kind: 'sent', txHash: '0'.repeat(64) });
    await expectReplay(await late, first);
    await expectReplay(await withdraw(trader, {}, 'k'), first);
    await waitFor(async () => expect((await listOwn(trader))[0]?.status).toBe('COMPLETED'));
  });
});

describe('a stored refusal of a withdrawal', () => {
  const credit = (trader: Trader) =>
    asOperator('POST', `/accounts/${trader.accountId}/credits`, { asset: 'USDT', amount: '100', reference: 'late' });

  it('remains the answer after a deposit', async () => {
    const trader = await openTrader();
    const first = await withdraw(trader, {}, 'k');
    expect(first.status).toBe(422);
    await credit(trader);
    await expectReplay(await withdraw(trader, {}, 'k'), first);
    expect((await trader.balances())['USDT']).toBe('100');
    expect((await withdraw(trader, {}, 'another')).status).toBe(201);
  });

  it.each([
    ['network_not_supported', { network: 'BTC' }],
    ['invalid_address', { address: 'nobody' }],
    ['precision_exceeded', { amount: '50.0000001' }],
    ['amount_above_maximum', { amount: '9223372036854.775808' }],
    ['amount_below_minimum', { amount: '1' }],
    ['daily_limit_exceeded', { amount: '5001' }],
  ])('is replayed when it is %s', async (code, change) => {
    const trader = await openTrader();
    const first = await withdraw(trader, change, 'k');
    await expectProblem(first.clone(), 422, code);
    await expectReplay(await withdraw(trader, change, 'k'), first);
  });

  it('is not stored when it is temporary: the same key is executed when the halt is over', async () => {
    const trader = await openTrader({ USDT: '100' });
    await setSettings({ withdrawalsHalted: true });
    await expectProblem(await withdraw(trader, {}, 'k'), 503, 'withdrawals_suspended');
    await setSettings({ withdrawalsHalted: false });
    const response = await withdraw(trader, {}, 'k');
    expect([response.status, isReplay(response)]).toEqual([201, false]);
  });
});

describe('a replay when a code is required', () => {
  it('uses no code and counts no attempt', async () => {
    stopClock();
    const trader = await openTrader({ USDT: '200' });
    const authenticator = await switchOnTotp(trader.accountId);
    const first = await withdraw(trader, { totpCode: await authenticator.code() }, 'k');
    const before = await readAttempts(trader.accountId);
    await expectReplay(await withdraw(trader, { totpCode: await authenticator.code() }, 'k'), first);
    await expectReplay(await withdraw(trader, { totpCode: await authenticator.wrong() }, 'k'), first);
    await expectReplay(await withdraw(trader, { totpCode: await authenticator.code(1) }, 'k'), first);
    await expectReplay(await withdraw(trader, {}, 'k'), first);
    expect(await readAttempts(trader.accountId)).toEqual(before);
    expect((await withdraw(trader, { totpCode: await authenticator.code(1) }, 'next')).status).toBe(201);
  });

  it('is given after the code has expired, with the old code or a new one', async () => {
    stopClock();
    const trader = await openTrader({ USDT: '200' });
    const authenticator = await switchOnTotp(trader.accountId);
    const totpCode = await authenticator.code();
    const first = await withdraw(trader, { totpCode }, 'k');
    expect((await readTaken(first.clone())).status).toBe('COMPLETED');
    moveClock(3_600_000);
    await expectReplay(await withdraw(trader, { totpCode }, 'k'), first);
    await expectReplay(await withdraw(trader, { totpCode: await authenticator.code() }, 'k'), first);
    expect(await listOwn(trader)).toHaveLength(1);
  });

  it('is not given for a wrong code: the same key is executed with the right one', async () => {
    stopClock();
    const trader = await openTrader({ USDT: '200' });
    const authenticator = await switchOnTotp(trader.accountId);
    await expectProblem(await withdraw(trader, {}, 'k'), 403, 'totp_required');
    await expectProblem(await withdraw(trader, { totpCode: await authenticator.wrong() }, 'k'), 403, 'totp_invalid');
    const response = await withdraw(trader, { totpCode: await authenticator.code() }, 'k');
    expect([response.status, isReplay(response)]).toEqual([201, false]);
  });
});
