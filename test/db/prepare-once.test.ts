import { eq, sql } from 'drizzle-orm';
import { describe, expect, it, vi } from 'vitest';
import { openDatabase, bindPrepared, prepareOnce } from '../../src/db/database.ts';
import { balances, exactly } from '../../src/db/schema.ts';
import { openTrader } from '../support/exchange.ts';
import { env } from '../support/runtime/test-env.ts';

const select = prepareOnce((database) =>
  database
    .select({ asset: balances.asset, amount: exactly(balances.amount) })
    .from(balances)
    .where(eq(balances.account, sql.placeholder('account')))
    .prepare(),
);

describe('a statement that is prepared once', () => {
  it('is built once for a database, however often that is opened', () => {
    const build = vi.fn((database: ReturnType<typeof openDatabase>) => database.select().from(balances).prepare());
    const prepared = prepareOnce(build);
    expect(prepared(openDatabase(env.DB))).toBe(prepared(openDatabase(env.DB)));
    expect(build).toHaveBeenCalledTimes(1);
  });

  it('takes its values at each call, alone and in a batch, and returns the same rows', async () => {
    const [one, other] = [await openTrader({ USDT: '1' }), await openTrader({ BTC: '0.5' })];
    const database = openDatabase(env.DB);
    const bound = await database.batch([
      bindPrepared(select(database), { account: one.accountId }),
      bindPrepared(select(database), { account: other.accountId }),
    ]);
    const held = bound.map((rows) => rows.filter(({ amount }) => amount > 0n));
    expect(held).toEqual([[{ asset: 'USDT', amount: 1_000_000n }], [{ asset: 'BTC', amount: 50_000_000n }]]);
    expect(await select(database).all({ account: one.accountId })).toEqual(bound[0]);
  });

  it('throws when a value is missing', () => {
    expect(() => bindPrepared(select(openDatabase(env.DB)), { accountId: 'misspelt' })).toThrow('account');
  });
});
