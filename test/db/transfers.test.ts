import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FIRST_LEDGER } from '../../src/db/record-id.ts';
import { openInLedger } from '../support/db/open-in-ledger.ts';
import { readTriggers, runWithout } from '../support/db/triggers.ts';
import { env } from '../support/runtime/test-env.ts';
import {
  makeKey,
  NOON_MS,
  balanceOf,
  credit,
  expectRefused,
  openFunded,
  order,
  setFloor,
  sql,
} from '../support/db/raw-ledger.ts';

/** An order at one USDT for a coin of eight decimals, so one atom of USDT is a hundred atoms of the coin. */
function trade(account: string, side: string, usdt: bigint, coin = 'BTC', insert = 'INSERT'): D1PreparedStatement {
  const amounts = { coinAmount: String(usdt * 100n), usdtAmount: String(usdt) };
  return order(account, { coin, side, price: '100000000', ...amounts }, insert);
}

describe('a batch of records', () => {
  it('moves every balance that it names, in order, and numbers the transfers without a gap', async () => {
    const account = await openFunded();
    // The second needs the money of the first, and the third that of the second.
    await env.DB.batch([trade(account, 'SELL', 1n), trade(account, 'BUY', 101n), trade(account, 'SELL', 100n)]);
    expect([await balanceOf(account, 'BTC'), await balanceOf(account, 'USDT')]).toEqual([100n, 100n]);
    const journal = await sql('SELECT count(*) AS count, max(id) AS newest FROM transfers').first();
    expect(journal?.['count']).toBe(journal?.['newest']);
  });

  it('keeps the sum of each asset at zero and every balance at the sum of its transfers, whatever is attempted', async () => {
    const coins = ['ETH', 'BNB'];
    const accounts = await Promise.all(
      [1, 2, 3].map(async () => {
        const id = await openInLedger(FIRST_LEDGER, NOON_MS);
        await makeKey(id).run();
        return id;
      }),
    );
    const attempt = fc.record({
      account: fc.constantFrom(...accounts),
      what: fc.constantFrom('BUY', 'SELL', 'credit USDT', 'credit ETH'),
      coin: fc.constantFrom(...coins),
      usdt: fc.bigInt({ min: -1n, max: 40n }),
    });
    let model = new Map<string, bigint>();
    let committed = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(attempt, { minLength: 1, maxLength: 3 }), async (batch) => {
        const after = new Map(model);
        const add = (owner: string, asset: string, amount: bigint) =>
          after.set(`${owner} ${asset}`, (after.get(`${owner} ${asset}`) ?? 0n) + amount);
        let isPossible = true;
        const statements = batch.map(({ account, what, coin, usdt }) => {
          if (usdt <= 0n) isPossible = false;
          if (what.startsWith('credit')) {
            const asset = what.slice('credit '.length);
            add(account, asset, usdt);
            add('house:custody', asset, -usdt);
            return credit(account, asset, String(usdt));
          }
          const sign = what === 'BUY' ? 1n : -1n;
          add(account, coin, sign * usdt * 100n);
          add(account, 'USDT', -sign * usdt);
          add('house:liquidity', coin, -sign * usdt * 100n);
          add('house:liquidity', 'USDT', sign * usdt);
          const given = what === 'BUY' ? 'USDT' : coin;
          if ((after.get(`${account} ${given}`) ?? 0n) < 0n) isPossible = false;
          return trade(account, what, usdt, coin);
        });
        const landed = await env.DB.batch(statements).then(
          () => true,
          () => false,
        );
        expect(landed).toBe(isPossible);
        if (!isPossible) return;
        committed += 1;
        model = after;
      }),
      { numRuns: 150 },
    );
    expect(committed).toBeGreaterThan(10);
    for (const [name, amount] of model) {
      const [owner = '', asset = ''] = name.split(' ');
      if (!owner.startsWith('house:')) expect(await balanceOf(owner, asset)).toBe(amount);
    }
    const wrong = await sql(
      `SELECT account, asset FROM balances WHERE amount <>
        (SELECT coalesce(sum(amount), 0) FROM transfers WHERE credit = account AND transfers.asset = balances.asset) -
        (SELECT coalesce(sum(amount), 0) FROM transfers WHERE debit = account AND transfers.asset = balances.asset)
       UNION ALL SELECT 'sum', asset FROM balances GROUP BY asset HAVING sum(amount) <> 0`,
    ).all();
    expect(wrong.results).toEqual([]);
  });
});

describe('an overdraft', () => {
  it('fails the whole batch, and names the account and the asset', async () => {
    const account = await openFunded();
    const [possible, tooMuch] = [trade(account, 'BUY', 100n), trade(account, 'SELL', 102n)];
    await expectRefused(`ledger: floor ${account} BTC`, possible, tooMuch);
  });

  it('is refused also when the statement ignores errors or replaces rows', async () => {
    const account = await openFunded();
    for (const conflict of ['IGNORE', 'REPLACE', 'FAIL', 'ROLLBACK']) {
      await expectRefused(`ledger: floor ${account} BTC`, trade(account, 'SELL', 2n, 'BTC', `INSERT OR ${conflict}`));
    }
  });

  it('does not include a debit of exactly the balance', async () => {
    const account = await openFunded();
    await trade(account, 'SELL', 1n).run();
    expect(await balanceOf(account, 'BTC')).toBe(0n);
    await expectRefused(`ledger: floor ${account} BTC`, trade(account, 'SELL', 1n));
  });

  it('of the house begins below the floor that the operator set, and the refusal names the account', async () => {
    const account = await openFunded();
    await env.DB.batch(setFloor('house:liquidity', 'DOGE', '-1000'));
    await expectRefused('ledger: floor house:liquidity DOGE', trade(account, 'BUY', 11n, 'DOGE'));
    await trade(account, 'BUY', 10n, 'DOGE').run();
    await expectRefused('ledger: floor house:liquidity DOGE', trade(account, 'BUY', 1n, 'DOGE'));

    await env.DB.batch(setFloor('house:custody', 'DOGE', '-10'));
    await expectRefused('ledger: floor house:custody DOGE', credit(account, 'DOGE', '11'));
    await credit(account, 'DOGE', '10').run();
    await expectRefused('ledger: floor house:custody DOGE', credit(account, 'DOGE', '1'));
    await expectRefused('ledger: floor house:custody DOGE', ...setFloor('house:custody', 'DOGE', '-9'));
  });
});

describe('a transfer', () => {
  it.each([
    ['pays', 'SELL'],
    ['receives', 'BUY'],
  ])('moves both its balances or none: it is refused where an account lost the one that %s', async (_, side) => {
    const account = await openFunded();
    const triggers = (await readTriggers()).filter(({ name }) => name === 'balances_are_kept');
    const lost = sql(`DELETE FROM balances WHERE account = ? AND asset = 'BTC'`, account);
    await runWithout(triggers, [lost]);
    await expectRefused(`ledger: no such balance ${account} BTC`, trade(account, side, 1n));
  });
});

describe('large amounts', () => {
  it('are exact through the database: 2^53+1 and 2^63-1, and one more is refused', async () => {
    const id = await openInLedger(FIRST_LEDGER, NOON_MS);
    await env.DB.batch(setFloor('house:custody', 'LTC', '-9223372036854775807'));
    await credit(id, 'LTC', '9007199254740993').run();
    expect(await balanceOf(id, 'LTC')).toBe(9_007_199_254_740_993n);
    await credit(id, 'LTC', '9214364837600034814').run();
    expect(await balanceOf(id, 'LTC')).toBe(9_223_372_036_854_775_807n);
    for (const conflict of ['', 'OR IGNORE', 'OR REPLACE']) {
      await expectRefused(
        'ledger: floor house:custody LTC',
        credit(id, 'LTC', '1', undefined, undefined, `INSERT ${conflict}`),
      );
    }
  });
});
