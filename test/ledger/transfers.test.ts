import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openAccount } from '../../src/accounts/account.ts';
import { commit } from '../../src/ledger/commit.ts';
import { insertTransfer } from '../../src/ledger/transfers.ts';
import type { Asset } from '../../src/money/assets.ts';
import { env } from '../support/test-env.ts';
import {
  NOON_MS,
  balanceOf,
  database,
  expectRefused,
  openFunded,
  order,
  sql,
  transfer,
} from '../support/raw-ledger.ts';

describe('a batch of transfers', () => {
  it('moves every balance that it names, in order, and numbers the journal without a gap', async () => {
    const [payer, payee] = [await openFunded(), await openFunded()];
    const move = (debit: string, credit: string, amount: bigint) =>
      insertTransfer(database, { debit, credit, asset: 'BTC', amount, kind: 'order', reference: 'r', ts_ms: NOON_MS });
    // The second is possible only by the first, and the third only by the second.
    const outcome = await commit(database, [
      move(payer, payee, 100n),
      move(payee, payer, 200n),
      move(payer, payee, 150n),
    ]);
    expect(outcome).toEqual({ kind: 'committed' });
    expect([await balanceOf(payer, 'BTC'), await balanceOf(payee, 'BTC')]).toEqual([50n, 150n]);
    const journal = await sql('SELECT count(*) AS count, max(id) AS newest FROM transfers').first();
    expect(journal?.['count']).toBe(journal?.['newest']);
  });

  it('keeps the sum of each asset at zero and every balance at the sum of its transfers, whatever is tried', async () => {
    const assets: Asset[] = ['ETH', 'BNB'];
    const owners = await Promise.all(
      [1, 2, 3].map(() => openAccount(database, 'test', { role: 'operator', now_ms: NOON_MS })),
    );
    const parties = [...owners.map(({ id }) => id), 'house:custody', 'house:liquidity', 'house:fees', 'nobody'];
    const moving = (debits: string[], credits: string[], min: bigint) =>
      fc.record({
        debit: fc.constantFrom(...debits),
        credit: fc.constantFrom(...credits),
        asset: fc.constantFrom(...assets),
        amount: fc.bigInt({ min, max: 40n }),
        kind: fc.constant('order' as const),
        reference: fc.constant('random'),
        ts_ms: fc.constant(NOON_MS),
      });
    const batchOf = (move: ReturnType<typeof moving>) => fc.array(move, { minLength: 1, maxLength: 3 });
    // Half of the batches are possible whatever came before, so that the other half finds something to move.
    const possible = moving(
      ['house:custody', 'house:liquidity'],
      owners.map(({ id }) => id),
      1n,
    );
    const batches = fc.oneof(batchOf(moving(parties, parties, -1n)), batchOf(possible));
    /** The balances as the model has them. */
    const model = new Map<string, bigint>();
    const read = (account: string, asset: string) => model.get(`${account} ${asset}`) ?? 0n;
    let committed = 0;
    await fc.assert(
      fc.asyncProperty(batches, async (batch) => {
        const [first, ...rest] = batch.map((move) => insertTransfer(database, move));
        const isPossible = (() => {
          const after = new Map(model);
          return batch.every(({ debit, credit, asset, amount }) => {
            if (amount <= 0n || debit === credit || debit === 'nobody' || credit === 'nobody') return false;
            const left = (after.get(`${debit} ${asset}`) ?? 0n) - amount;
            after.set(`${debit} ${asset}`, left);
            after.set(`${credit} ${asset}`, (after.get(`${credit} ${asset}`) ?? 0n) + amount);
            return left >= 0n || debit === 'house:custody' || debit === 'house:liquidity';
          });
        })();
        const outcome = first && (await commit(database, [first, ...rest]).catch(() => 'refused'));
        if (isPossible) {
          committed += 1;
          expect(outcome).toEqual({ kind: 'committed' });
          for (const { debit, credit, asset, amount } of batch) {
            model.set(`${debit} ${asset}`, read(debit, asset) - amount);
            model.set(`${credit} ${asset}`, read(credit, asset) + amount);
          }
        } else {
          expect(outcome).not.toEqual({ kind: 'committed' });
        }
      }),
      { numRuns: 150 },
    );
    expect(committed).toBeGreaterThan(10);
    for (const asset of assets) {
      let sum = 0n;
      for (const party of parties.filter((name) => name !== 'nobody')) {
        const balance = await balanceOf(party, asset);
        expect(balance).toBe(read(party, asset));
        sum += balance;
      }
      expect(sum).toBe(0n);
    }
    const unexplained = await sql(
      `SELECT account, asset FROM balances WHERE amount <>
        (SELECT coalesce(sum(amount), 0) FROM transfers WHERE credit = account AND transfers.asset = balances.asset) -
        (SELECT coalesce(sum(amount), 0) FROM transfers WHERE debit = account AND transfers.asset = balances.asset)`,
    ).all();
    expect(unexplained.results).toEqual([]);
  });
});

describe('an overdraft', () => {
  it('fails the whole batch, of which nothing remains, and names the account and the asset', async () => {
    const account = await openFunded();
    await expectRefused(
      `ledger: floor ${account} BTC`,
      order(account),
      transfer(account, 'house:liquidity', 'USDT', '100'),
      transfer(account, 'house:liquidity', 'BTC', '101'),
    );
  });

  it('is not let through where errors are ignored or rows replaced', async () => {
    const account = await openFunded();
    for (const conflict of ['IGNORE', 'REPLACE', 'FAIL', 'ROLLBACK']) {
      const query = `INSERT OR ${conflict} INTO transfers
        SELECT max(id) + 1, ?, 'house:custody', 'BTC', 101, 'order', 'test', 1 FROM transfers`;
      await expectRefused(`ledger: floor ${account} BTC`, sql(query, account));
    }
  });

  it('is not an overdraft to the last atom', async () => {
    const account = await openFunded();
    await env.DB.batch([transfer(account, 'house:liquidity', 'BTC', '100')]);
    expect(await balanceOf(account, 'BTC')).toBe(0n);
    await expectRefused(`ledger: floor ${account} BTC`, transfer(account, 'house:liquidity', 'BTC', '1'));
  });

  it('of the house ends at the floor that the operator set, and names it', async () => {
    const account = await openFunded();
    await sql(`UPDATE balances SET floor = amount - 10 WHERE account = 'house:liquidity' AND asset = 'DOGE'`).run();
    await sql(`UPDATE balances SET floor = amount - 10 WHERE account = 'house:custody' AND asset = 'DOGE'`).run();
    for (const house of ['house:liquidity', 'house:custody']) {
      await expectRefused(`ledger: floor ${house} DOGE`, transfer(house, account, 'DOGE', '11'));
      await env.DB.batch([transfer(house, account, 'DOGE', '10')]);
      await expectRefused(`ledger: floor ${house} DOGE`, transfer(house, account, 'DOGE', '1'));
    }
  });
});

describe('large amounts', () => {
  it('survive the trip through the database to the atom: 2^53+1, and 2^63-1; one more is refused', async () => {
    const { id } = await openAccount(database, 'test', { role: 'operator', now_ms: NOON_MS });
    await sql(
      `UPDATE balances SET floor = -9223372036854775808 WHERE account = 'house:custody' AND asset = 'LTC'`,
    ).run();
    const credit = (amount: bigint) =>
      insertTransfer(database, {
        debit: 'house:custody',
        credit: id,
        asset: 'LTC',
        amount,
        kind: 'order',
        reference: 'test',
        ts_ms: NOON_MS,
      });
    expect(await commit(database, [credit(9_007_199_254_740_993n)])).toEqual({ kind: 'committed' });
    expect(await balanceOf(id, 'LTC')).toBe(9_007_199_254_740_993n);
    expect(await commit(database, [credit(9_214_364_837_600_034_814n)])).toEqual({ kind: 'committed' });
    expect(await balanceOf(id, 'LTC')).toBe(9_223_372_036_854_775_807n);
    for (const conflict of ['', 'OR IGNORE', 'OR REPLACE']) {
      const query = `INSERT ${conflict} INTO transfers
        SELECT max(id) + 1, 'house:custody', ?, 'LTC', 1, 'order', 'test', 1 FROM transfers`;
      await expectRefused('cannot store REAL value in INTEGER column balances.amount', sql(query, id));
    }
  });
});
