import { type Asset, assetSymbols, findCoin, scaleOf } from '../../src/money/assets.ts';
import { timestampOfRecord } from '../../src/db/record-id.ts';
import { asOperator, json } from '../support/exchange.ts';
import { databaseOf, ledgersUnderTest, queryAll } from '../support/db/open-in-ledger.ts';
import { houseOf } from './house-of.ts';
import { DAY_MS } from './model.ts';
import { must } from './must.ts';
import type { World } from './world.ts';
import { readDecimal, writeDecimal } from './read-decimal.ts';

interface Amount {
  readonly asset: string;
  readonly amount: string;
}

interface Statement {
  readonly opening: readonly Amount[];
  readonly movements: readonly Amount[];
  readonly closing: readonly Amount[];
}

const atomsOf = (asset: string, text: string) => readDecimal(text, scaleOf(asset as Asset));

/** What the orders of a day earned, to the atom, by orders whose middle price the market had. */
async function checkSpread({ market, now_ms }: World): Promise<void> {
  must((await asOperator('POST', '/reconciliation/run')).status === 200, 'the keeper does not run');
  const orders = await queryAll<Record<'id' | 'coin' | 'side' | 'middle' | 'amount' | 'usdt', string>>(
    `SELECT id, coin, side, CAST(middle_price AS TEXT) AS middle, CAST(coin_amount AS TEXT) AS amount,
       CAST(usdt_amount AS TEXT) AS usdt FROM orders`,
  );
  const sums = new Map<string, bigint>();
  const first = new Date(now_ms - 30 * DAY_MS).toISOString().slice(0, 10);
  for (const { id, coin, side, middle, amount, usdt } of orders) {
    const known = findCoin(coin);
    must(known !== undefined && market.hasFilledAt(known, BigInt(middle)), 'the middle of', id, coin, middle);
    // USDT has six decimals, a price eight.
    const unit = 10n ** BigInt(scaleOf(known) + 2);
    const worth = BigInt(middle) * BigInt(amount);
    const earned = side === 'BUY' ? BigInt(usdt) - (worth + unit - 1n) / unit : worth / unit - BigInt(usdt);
    const name = `${timestampOfRecord(id).slice(0, 10)} ${coin}`;
    if (name >= first) sums.set(name, (sums.get(name) ?? 0n) + earned);
  }
  const { house: shown } = await json<{ house: { spreadEarned: Record<'day' | 'coin' | 'usdt', string>[] } }>(
    await asOperator('GET', '/house'),
  );
  must(shown.spreadEarned.length === sums.size, 'days of spread', shown.spreadEarned, [...sums]);
  for (const { day, coin, usdt } of shown.spreadEarned) {
    const sum = sums.get(`${day} ${coin}`);
    must(atomsOf('USDT', usdt) === sum, 'spread earned', day, coin, usdt, sum);
  }
}

/** Every read of an account's money agrees with the model to the atom: what the operator sees, and the statement. */
export async function checkReads(world: World): Promise<void> {
  const { model } = world;
  await checkSpread(world);
  const shown = await json<{ house: { assets: Record<string, string>[] } }>(await asOperator('GET', '/house'));
  for (const { asset = '', inventory, inFlight, feesEarned } of shown.house.assets) {
    const known = assetSymbols.find((one) => one === asset) ?? 'USDT';
    const sumOf = (part: 'liquidity' | 'payouts' | 'fees') =>
      ledgersUnderTest.reduce((sum, ledger) => sum + model.balance(houseOf(ledger)[part], known), 0n);
    const expected = [sumOf('liquidity'), sumOf('payouts'), sumOf('fees')];
    const found = [inventory, inFlight, feesEarned].map((text = '') => atomsOf(asset, text));
    must(expected.join() === found.join(), 'the house shows', asset, found, expected);
  }
  await Promise.all(ledgersUnderTest.map((ledger) => databaseOf(ledger).prepare('DELETE FROM statements').run()));
  for (const { id, keys } of model.accounts) {
    const { account } = await json<{ account: { balances: Amount[] } }>(await asOperator('GET', `/accounts/${id}`));
    for (const { asset, amount } of account.balances) {
      const held = model.balance(id, asset as Asset);
      must(amount === writeDecimal(held, scaleOf(asset as never)), 'the operator sees', id, asset, amount, held);
    }
    const key = keys.find(({ revoked, scopes }) => !revoked && scopes.includes('read'));
    if (!key) continue;
    const response = await key.trader.get('/api/v1/account/statement?from=2020-01-01T00:00:00Z');
    if (response.status !== 200) continue;
    const statement = await json<Statement>(response);
    const sums = new Map(statement.opening.map(({ asset, amount }) => [asset, atomsOf(asset, amount)]));
    for (const { asset, amount } of statement.movements) {
      sums.set(asset, (sums.get(asset) ?? 0n) + (atomsOf(asset, amount) ?? 0n));
    }
    for (const asset of assetSymbols) {
      const closing = atomsOf(asset, statement.closing.find((one) => one.asset === asset)?.amount ?? '0');
      must(closing === model.balance(id, asset) && closing === sums.get(asset), 'the statement of', id, asset, closing);
    }
  }
}
