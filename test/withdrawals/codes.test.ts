import { evictDurableObject } from 'cloudflare:test';
import { beforeEach, describe, expect, it } from 'vitest';
import { type Trader, asOperator, createKey, openTrader, expectCode } from '../support/exchange.ts';
import { abort } from '../support/runtime/faults.ts';
import {
  type Authenticator,
  listOwn,
  moveClock,
  readAttempts,
  readHoldings,
  resetSettings,
  setSettings,
  stopClock,
  switchOnTotp,
  tally,
} from '../support/withdrawals/withdrawals.ts';

const STEP_MS = 30_000;
const LOCK_MS = 15 * 60_000;

/** Below the minimum, so that it is refused before the code is checked. */
const TOO_LITTLE = { amount: '1' };

let trader: Trader;
let authenticator: Authenticator;
beforeEach(async () => {
  stopClock();
  trader = await openTrader({ USDT: '1000' });
  authenticator = await switchOnTotp(trader.accountId);
});

async function guess(times: number, key = trader): Promise<void> {
  for (let time = 0; time < times; time += 1) {
    const totpCode = await authenticator.wrong();
    await expectCode(key.withdraw({ totpCode }), '403 totp_invalid');
  }
}

const countAttempts = async () => (await readAttempts(trader.accountId))?.['attempts'];

describe('a code', () => {
  it('is required when the second factor is on, and a missing code is no attempt', async () => {
    const before = await readHoldings(trader.accountId);
    await expectCode(trader.withdraw(), '403 totp_required');
    expect(await readHoldings(trader.accountId)).toEqual(before);
    expect(await countAttempts()).toBe(0);
  });

  it('is ignored when the second factor was never confirmed, or is switched off', async () => {
    const drawn = await openTrader({ USDT: '1000' });
    await asOperator('POST', `/accounts/${drawn.accountId}/totp`);
    expect((await drawn.withdraw({ totpCode: '123456' })).status).toBe(201);
    await asOperator('DELETE', `/accounts/${trader.accountId}/totp`);
    expect((await trader.withdraw()).status).toBe(201);
  });

  it.each([0, 1])('of the present time step or the next one is accepted: %i', async (steps) => {
    expect((await trader.withdraw({ totpCode: await authenticator.code(steps) })).status).toBe(201);
    const step = Math.floor(Date.now() / STEP_MS) + steps;
    expect(await readAttempts(trader.accountId)).toEqual({ used_step: step, attempts: 0, locked_until: 0 });
  });

  it('of the time step before is accepted as well when no newer code was used', async () => {
    moveClock(2 * STEP_MS);
    expect((await trader.withdraw({ totpCode: await authenticator.code(-1) })).status).toBe(201);
  });

  it.each([-2, 2])('that is two steps off is totp_invalid: %i', async (steps) => {
    moveClock(10 * STEP_MS);
    await expectCode(trader.withdraw({ totpCode: await authenticator.code(steps) }), '403 totp_invalid');
  });

  it('is accepted once, and counts as wrong when it is used again', async () => {
    const totpCode = await authenticator.code();
    expect((await trader.withdraw({ totpCode })).status).toBe(201);
    await expectCode(trader.withdraw({ totpCode }), '403 totp_invalid');
    expect(await countAttempts()).toBe(1);
    expect(await listOwn(trader)).toHaveLength(1);
  });

  it('that is older than the last used one is totp_invalid, even in its own time step', async () => {
    expect((await trader.withdraw({ totpCode: await authenticator.code(1) })).status).toBe(201);
    await expectCode(trader.withdraw({ totpCode: await authenticator.code() }), '403 totp_invalid');
  });

  it('stays used when the clock goes back five minutes', async () => {
    expect((await trader.withdraw({ totpCode: await authenticator.code() })).status).toBe(201);
    moveClock(-300_000);
    await expectCode(trader.withdraw({ totpCode: await authenticator.code() }), '403 totp_invalid');
    moveClock(300_000 + STEP_MS);
    expect((await trader.withdraw({ totpCode: await authenticator.code() })).status).toBe(201);
  });

  it.each([
    ['evicted', () => evictDurableObject(trader.lane)],
    ['aborted', () => abort(trader.lane)],
  ])('stays used, and wrong codes stay counted, when the object of its key is %s', async (_how, lose) => {
    const totpCode = await authenticator.code();
    expect((await trader.withdraw({ totpCode })).status).toBe(201);
    await guess(2);
    await lose();
    await expectCode(trader.withdraw({ totpCode }), '403 totp_invalid');
    expect(await countAttempts()).toBe(3);
  });

  it.each(['12345', '1234567', 'abcdef', '１２３４５６', ' 12345', 123_456])(
    'that is not six digits is invalid_request, and no attempt: %j',
    async (totpCode) => {
      await expectCode(trader.withdraw({ totpCode }), '400 invalid_request');
      expect(await countAttempts()).toBe(0);
    },
  );

  it('is not used up by a withdrawal that another rule refuses, and clears the count', async () => {
    await guess(4);
    const totpCode = await authenticator.code();
    await expectCode(trader.withdraw({ totpCode, amount: '5001' }), '422 daily_limit_exceeded');
    expect(await countAttempts()).toBe(0);
    await guess(4);
    await expectCode(trader.withdraw({ totpCode, amount: '4999' }), '422 insufficient_balance');
    expect(await countAttempts()).toBe(0);
    await setSettings({ allowlistMode: 'strict' });
    await guess(4);
    await expectCode(trader.withdraw({ totpCode }), '403 address_not_allowlisted');
    await resetSettings();
    expect(await countAttempts()).toBe(0);
    expect((await trader.withdraw({ totpCode })).status).toBe(201);
  });
});

describe('five wrong codes in a row', () => {
  it('lock the account’s withdrawals on all its keys, with the right code and without one', async () => {
    const other = await createKey(trader.accountId);
    await guess(3);
    await guess(2, other);
    for (const key of [trader, other]) {
      const response = await key.withdraw({ totpCode: await authenticator.code() });
      expect(response.headers.get('Retry-After')).toBe('900');
      await expectCode(response, '403 withdrawals_locked');
      await expectCode(key.withdraw(), '403 withdrawals_locked');
    }
    expect((await trader.balances())['USDT']).toBe('1000');
    expect((await trader.order({ coin: 'BTC', side: 'BUY', mode: 'USDT_AMOUNT', value: '10' })).status).toBe(201);
  });

  it('lock as well when they are sent at once: five are checked, and no more', async () => {
    const keys = await Promise.all(Array.from({ length: 4 }, () => createKey(trader.accountId)));
    const totpCode = await authenticator.wrong();
    const guesses = keys.flatMap((key) => Array.from({ length: 10 }, () => key.withdraw({ totpCode })));
    expect(await tally(await Promise.all(guesses))).toEqual({ totp_invalid: 5, withdrawals_locked: 35 });
    await expectCode(trader.withdraw({ totpCode: await authenticator.code() }), '403 withdrawals_locked');
  });

  it('lock for 15 minutes and not a second longer, and five more lock again', async () => {
    await guess(5);
    moveClock(LOCK_MS - 1_000);
    await expectCode(trader.withdraw({ totpCode: await authenticator.code() }), '403 withdrawals_locked');
    moveClock(1_000);
    await guess(5);
    await expectCode(trader.withdraw(), '403 withdrawals_locked');
    moveClock(LOCK_MS);
    expect((await trader.withdraw({ totpCode: await authenticator.code() })).status).toBe(201);
    expect(await countAttempts()).toBe(0);
  });

  it('lock no longer when more are tried meanwhile', async () => {
    await guess(5);
    moveClock(LOCK_MS / 2);
    const totpCode = await authenticator.wrong();
    for (let time = 0; time < 6; time += 1) {
      await expectCode(trader.withdraw({ totpCode }), '403 withdrawals_locked');
    }
    moveClock(LOCK_MS / 2);
    expect((await trader.withdraw({ totpCode: await authenticator.code() })).status).toBe(201);
  });

  it('are counted from the last right one: four, a right one and four do not lock', async () => {
    await guess(4);
    expect((await trader.withdraw({ totpCode: await authenticator.code() })).status).toBe(201);
    await guess(4);
    expect((await trader.withdraw({ totpCode: await authenticator.code(1) })).status).toBe(201);
  });

  it('may include a used code', async () => {
    const totpCode = await authenticator.code();
    expect((await trader.withdraw({ totpCode })).status).toBe(201);
    for (let time = 0; time < 5; time += 1) {
      await expectCode(trader.withdraw({ totpCode }), '403 totp_invalid');
    }
    await expectCode(trader.withdraw({ totpCode }), '403 withdrawals_locked');
  });

  it('still lock after the same key asks for what another rule refuses first', async () => {
    await guess(5);
    await expectCode(
      trader.withdraw({ ...TOO_LITTLE, totpCode: await authenticator.wrong() }),
      '422 amount_below_minimum',
    );
    await expectCode(trader.withdraw({ totpCode: await authenticator.code() }), '403 withdrawals_locked');
  });
});

describe('a code with a withdrawal that another rule refuses first', () => {
  it('counts when it is wrong, so that five of them lock as well', async () => {
    const totpCode = await authenticator.wrong();
    for (let time = 1; time <= 5; time += 1) {
      await expectCode(trader.withdraw({ ...TOO_LITTLE, totpCode }), '422 amount_below_minimum');
      expect(await countAttempts()).toBe(time);
    }
    await expectCode(trader.withdraw({ totpCode: await authenticator.code() }), '403 withdrawals_locked');
  });

  it('clears the count when it is right, and is not used up', async () => {
    await guess(4);
    const totpCode = await authenticator.code();
    await expectCode(trader.withdraw({ ...TOO_LITTLE, totpCode }), '422 amount_below_minimum');
    expect(await countAttempts()).toBe(0);
    await guess(4);
    expect((await trader.withdraw({ totpCode })).status).toBe(201);
  });

  it('takes back no attempt of another request that runs in parallel', async () => {
    const keys = await Promise.all(Array.from({ length: 5 }, () => createKey(trader.accountId)));
    const totpCode = await authenticator.wrong();
    await Promise.all(
      keys.flatMap((key) => [key.withdraw({ totpCode }), trader.withdraw({ ...TOO_LITTLE, totpCode })]),
    );
    await expectCode(trader.withdraw({ totpCode: await authenticator.code() }), '403 withdrawals_locked');
  });
});

it.each([null, ''])('a code that is %j counts as absent', async (totpCode) => {
  const other = await openTrader({ USDT: '1000' });
  expect((await other.withdraw({ totpCode })).status).toBe(201);
});
