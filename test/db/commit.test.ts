import { describe, expect, it } from 'vitest';
import { type CommitOutcome, commit, readFailure } from '../../src/db/commit.ts';
import { newRecordId } from '../../src/db/record-id.ts';
import { deposits, orders } from '../../src/db/schema.ts';
import { nextTransfer } from '../../src/db/transfers.ts';
import type { Coin } from '../../src/money/assets.ts';
import { NOON_MS, balanceOf, database, keyOf, openFunded, setFloor, sql } from '../support/db/raw-ledger.ts';
import { env } from '../support/runtime/test-env.ts';

function insertOrder(accountId: string, id: string, side: 'BUY' | 'SELL' = 'BUY', usdtAmount = 1n, coin: Coin = 'BTC') {
  const amounts = { executedPrice: 100_000_000n, coinAmount: usdtAmount * 100n, usdtAmount };
  const row = {
    accountId,
    id,
    coin,
    side,
    status: 'COMPLETED',
    keyId: keyOf(accountId),
    priceRound: 0,
    admittedAt: NOON_MS,
    priceAsOf: NOON_MS,
    ...amounts,
  } as const;
  return database.insert(orders).values({ ...row, firstTransfer: nextTransfer() });
}

function insertDeposit(accountId: string, reference: string, amount = 1n, asset = 'BTC') {
  const type = 'INTERNAL_DEPOSIT' as const;
  const row = { accountId, id: newRecordId(NOON_MS), type, asset, amount, usdValue: 1n, reference } as const;
  return database.insert(deposits).values({ ...row, status: 'COMPLETED', transfer: nextTransfer() });
}

const newId = () => newRecordId(NOON_MS);

/** An error of D1 as Drizzle passes it on: inside another error, whose own text contains the parameters. */
function drizzleError(message: string): Error {
  return new Error('Failed query: insert into ... params: secret', { cause: new Error(message) });
}

describe('the outcome of a batch', () => {
  it('is "committed" when all of it was written', async () => {
    const account = await openFunded();
    expect(await commit(database, [insertOrder(account, newId())])).toEqual({ kind: 'committed' });
    expect([await balanceOf(account, 'BTC'), await balanceOf(account, 'USDT')]).toEqual([200n, 99n]);
  });

  it('is "floor" with account and asset when a client has too little', async () => {
    const account = await openFunded();
    const outcome = await commit(database, [insertOrder(account, newId(), 'SELL', 2n)]);
    expect(outcome).toEqual({ kind: 'floor', account, asset: 'BTC', balance: 100n });
  });

  it('is "floor" with the house’s account when its cap is reached', async () => {
    const account = await openFunded();
    await env.DB.batch(setFloor('house:liquidity', 'AVAX', '-99'));
    const outcome = await commit(database, [insertOrder(account, newId(), 'BUY', 1n, 'AVAX')]);
    expect(outcome).toMatchObject({ kind: 'floor', account: 'house:liquidity', asset: 'AVAX' });
  });

  it('names the client’s balance when both the client and the house have too little', async () => {
    const account = await openFunded();
    const outcome = await commit(database, [insertOrder(account, newId(), 'BUY', 101n, 'AVAX')]);
    expect(outcome).toMatchObject({ kind: 'floor', account });
  });

  it('is "guarded" with the guard’s name for a frozen account and for a halt', async () => {
    const account = await openFunded();
    await sql(`UPDATE accounts SET status = 'frozen' WHERE id = ?`, account).run();
    const order = newId();
    const frozen = await commit(database, [insertOrder(account, order)]);
    expect(frozen).toEqual({ kind: 'guarded', guard: 'account_frozen' });

    const other = await openFunded();
    await sql('UPDATE settings SET trading_halted = 1').run();
    const halted = await commit(database, [insertOrder(other, order)]);
    await sql('UPDATE settings SET trading_halted = 0').run();
    expect(halted).toEqual({ kind: 'guarded', guard: 'trading_halted' });
  });

  it('is "exists" when the record was committed before, and moves nothing a second time', async () => {
    const account = await openFunded();
    const id = newRecordId(NOON_MS);
    const send = () => commit(database, [insertOrder(account, id, 'SELL')]);
    expect([await send(), await send()]).toEqual([{ kind: 'committed' }, { kind: 'exists' }]);
    expect(await balanceOf(account, 'BTC')).toBe(0n);
  });

  it('is "exists" also when the account was frozen after the first write', async () => {
    const account = await openFunded();
    const id = newRecordId(NOON_MS);
    await commit(database, [insertOrder(account, id)]);
    await sql(`UPDATE accounts SET status = 'frozen' WHERE id = ?`, account).run();
    expect(await commit(database, [insertOrder(account, id)])).toEqual({ kind: 'exists' });
  });

  it('is "exists" for a credit whose reference was credited before', async () => {
    const account = await openFunded();
    const send = () => commit(database, [insertDeposit(account, 'same')]);
    expect([await send(), await send()]).toEqual([{ kind: 'committed' }, { kind: 'exists' }]);
    expect(await balanceOf(account, 'BTC')).toBe(101n);
  });

  it.each([
    ['a credit of nothing', 0n, 'BTC'],
    ['a credit of an unknown asset', 1n, 'NOPE'],
  ])('is an exception when the code has a bug, such as %s', async (_, amount, asset) => {
    const account = await openFunded();
    const wrong = commit(database, [insertDeposit(account, 'wrong', amount, asset)]);
    await expect(wrong).rejects.toThrow('the database refused a batch');
    expect(await balanceOf(account, 'BTC')).toBe(100n);
  });
});

describe('an error of D1', () => {
  it.each([
    'D1_ERROR: D1 DB is overloaded. Requests queued for too long.',
    'D1_ERROR: D1 DB is overloaded. Too many requests queued.',
  ])('is "overloaded" when D1 rejected the batch: %s', (message) => {
    expect(readFailure(new Error(message))).toEqual({ kind: 'overloaded' });
    expect(readFailure(drizzleError(message))).toEqual({ kind: 'overloaded' });
  });

  it.each([
    'D1_ERROR: Network connection lost.',
    'D1_ERROR: D1 DB storage operation exceeded timeout which caused object to be reset.',
    'D1_ERROR: D1 DB reset because its code was updated.',
    'D1_ERROR: Internal error in D1 DB storage caused object to be reset.',
    'an unknown message',
  ])('is "unknown" when the batch may have taken effect: %s', (message) => {
    expect(readFailure(new Error(message))).toEqual({ kind: 'unknown', cause: message });
  });

  it('is "unknown" when something was thrown that is not an Error', () => {
    expect(readFailure('text')).toMatchObject({ kind: 'unknown' } satisfies Partial<CommitOutcome>);
    expect(readFailure(undefined)).toMatchObject({ kind: 'unknown' });
  });

  it('never contains the parameters of the statement', () => {
    expect(JSON.stringify(readFailure(drizzleError('Network connection lost.')))).not.toContain('secret');
    expect(() => readFailure(drizzleError('D1_ERROR: x: SQLITE_CONSTRAINT'))).toThrow(/^(?!.*secret)/);
  });

  it('is thrown again when it is a bug of the code and not a fault of the database', () => {
    expect(() => readFailure(new TypeError('undefined is not a function'))).toThrow(TypeError);
  });
});
