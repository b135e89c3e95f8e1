import { describe, expect, it } from 'vitest';
import { createKey, openAccount, openTrader, expectCode } from '../support/exchange.ts';
import { aroundBatch } from '../support/runtime/faults.ts';
import { atOnce } from '../support/at-once.ts';
import {
  expectWholeLedger,
  houseHolds,
  meetingOf,
  readAttempts,
  resetSettings,
  setSettings,
  stopClock,
  switchOnTotp,
  tally,
} from '../support/withdrawals/withdrawals.ts';
import { runFor, readFor } from '../support/db/open-in-ledger.ts';

/** With the fee, all of 100 USDT. */
const WHOLE = { amount: '99' };

/** Lets this many withdrawals go on only when all of them have read the facts that they decide by. */
const readTogether = (count: number) => aroundBatch('facts', 'after', count, meetingOf(count));

/** Makes a change when a withdrawal has read its facts, and before its debit. */
const onceRead = (change: () => Promise<unknown>) =>
  aroundBatch('facts', 'after', 1, async () => void (await change()));

const countTaken = (accountId: string) =>
  readFor(accountId, 'SELECT count(*) AS n FROM withdrawals WHERE account_id = ?', accountId);

it.each([
  ['200 on one key', 1, 200],
  ['200 on four keys of one account', 4, 50],
  ['eight on eight keys that all read the same balance first', 8, 1],
])(
  'parallel withdrawals of the whole balance %s: one is taken, all others are insufficient_balance',
  async (_, count, times) => {
    const accountId = await openAccount({ USDT: '100' });
    const keys = await atOnce(count, () => createKey(accountId));
    if (times === 1) readTogether(count);
    const each = keys.map((key) => atOnce(times, (at) => key.withdraw(WHOLE, `whole-${at}`)));
    const responses = (await Promise.all(each)).flat();
    expect(await tally(responses)).toEqual({ 201: 1, insufficient_balance: count * times - 1 });
    expect(await countTaken(accountId)).toBe(1);
    expect((await keys[0]?.balances())?.['USDT']).toBe('0');
    expect(await houseHolds('payouts')).toBe(0n);
    await expectWholeLedger();
  },
);

describe('a BUY and a withdrawal of the same USDT on two keys', () => {
  it('never spend it twice: one is taken, the other is insufficient_balance', async () => {
    for (let round = 0; round < 10; round += 1) {
      const accountId = await openAccount({ USDT: '100' });
      const [buyer, withdrawer] = await Promise.all([createKey(accountId), createKey(accountId)]);
      const responses = await Promise.all([
        buyer.order({ coin: 'BTC', side: 'BUY', mode: 'USDT_AMOUNT', value: '100' }),
        withdrawer.withdraw(WHOLE),
      ]);
      expect(await tally(responses)).toEqual({ 201: 1, insufficient_balance: 1 });
      expect((await buyer.balances())['USDT']).toBe('0');
    }
    await expectWholeLedger();
  });
});

describe('two keys at once that both saw nothing used', () => {
  /** Has one of the two taken, and the other refused with this code. Returns the refusal. */
  async function withdrawTwice(accountId: string, change: Record<string, unknown>, code: string) {
    const keys = await atOnce(2, () => createKey(accountId));
    readTogether(2);
    const responses = await Promise.all(keys.map((key) => key.withdraw(change)));
    const [taken, refused] = responses.toSorted((one, other) => one.status - other.status) as [Response, Response];
    expect([taken.status, await countTaken(accountId)]).toEqual([201, 1]);
    return expectCode(refused, code);
  }

  it('take 3,000 of the daily limit of 5,000 once', async () => {
    const accountId = await openAccount({ USDT: '10000' });
    const problem = await withdrawTwice(accountId, { amount: '3000' }, '422 daily_limit_exceeded');
    expect(problem).toMatchObject({ limit: '5000', used: '3000', remaining: '2000' });
    expect((await (await createKey(accountId)).balances())['USDT']).toBe('6999');
    await expectWholeLedger();
  });

  it('have one withdrawal approved by one code', async () => {
    stopClock();
    const accountId = await openAccount({ USDT: '1000' });
    const totpCode = await (await switchOnTotp(accountId)).code();
    await withdrawTwice(accountId, { totpCode }, '403 totp_invalid');
    expect((await readAttempts(accountId))?.['used_step']).toBe(Math.floor(Date.now() / 30_000));
  });
});

describe('a code that another request used first', () => {
  it('counts as wrong, and takes back no attempt of a third request', async () => {
    stopClock();
    const accountId = await openAccount({ USDT: '1000' });
    const authenticator = await switchOnTotp(accountId);
    const [fast, slow, third] = await Promise.all([createKey(accountId), createKey(accountId), createKey(accountId)]);
    const totpCode = await authenticator.code();
    const reached = Promise.withResolvers<void>();
    const held = Promise.withResolvers<void>();
    aroundBatch('debit', 'before', 1, () => {
      reached.resolve();
      return held.promise;
    });
    const refused = slow.withdraw({ totpCode });
    await reached.promise;
    expect((await fast.withdraw({ totpCode })).status).toBe(201);
    await expectCode(third.withdraw({ totpCode: await authenticator.wrong() }), '403 totp_invalid');
    held.resolve();
    expect((await refused).status).toBe(403);
    expect((await readAttempts(accountId))?.['attempts']).toBe(1);
    expect(await countTaken(accountId)).toBe(1);
  });
});

describe('a change between reading the facts and the debit', () => {
  it.each([
    ['the allowlist’s mode', { allowlistMode: 'strict' }, '403 address_not_allowlisted'],
    ['a halt', { withdrawalsHalted: true }, '503 withdrawals_suspended'],
    ['a pause of the network', { pausedNetworks: ['TRC20'] }, '503 withdrawals_suspended'],
  ])('of %s is seen: the batch checks it again', async (_name, change, code) => {
    const trader = await openTrader({ USDT: '100' });
    onceRead(() => setSettings(change));
    const response = await trader.withdraw({}, 'first');
    expect(response.headers.get('Retry-After')).toBe(code.startsWith('503') ? '60' : null);
    await expectCode(response, code);
    expect(await countTaken(trader.accountId)).toBe(0);
    await resetSettings();
    // A halt is temporary, so that the same Idempotency-Key is executed after it.
    expect((await trader.withdraw({}, code.startsWith('503') ? 'first' : 'second')).status).toBe(201);
  });

  it('of the second factor is seen: one that was switched on in between requires its code', async () => {
    stopClock();
    const trader = await openTrader({ USDT: '100' });
    onceRead(() => switchOnTotp(trader.accountId));
    await expectCode(trader.withdraw(), '403 totp_required');
    expect(await countTaken(trader.accountId)).toBe(0);
  });

  it('of the account’s status is seen: an account that was frozen in between pays nothing', async () => {
    const trader = await openTrader({ USDT: '100' });
    await trader.withdraw({ amount: '5' });
    onceRead(() => runFor(trader.accountId, "UPDATE accounts SET status = 'frozen' WHERE id = ?", trader.accountId));
    await expectCode(trader.withdraw({ amount: '5' }), '403 account_frozen');
    expect(await countTaken(trader.accountId)).toBe(1);
  });
});
