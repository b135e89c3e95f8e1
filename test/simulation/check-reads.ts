import { house } from '../../src/ledger/transfers.ts';
import { assetSymbols, scaleOf } from '../../src/money/assets.ts';
import { asOperator, json } from '../support/exchange.ts';
import { env } from '../support/runtime/test-env.ts';
import { must } from './model.ts';
import type { World } from './world.ts';
import { writeDecimal } from './read-decimal.ts';

interface Amount {
  readonly asset: string;
  readonly amount: string;
}

interface Statement {
  readonly opening: readonly Amount[];
  readonly movements: readonly Amount[];
  readonly closing: readonly Amount[];
}

const atomsOf = (asset: string, text: string) => {
  const scale = scaleOf(asset as (typeof assetSymbols)[number]);
  const [, minus = '', whole = '', rest = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text) ?? [];
  return BigInt(`${minus}${whole}${rest.padEnd(scale, '0')}`);
};

/** Every read of an account's money agrees with the model to the atom: what the operator sees, and the statement. */
export async function checkReads({ model }: World): Promise<void> {
  const shown = await json<{ house: { assets: Record<string, string>[] } }>(await asOperator('GET', '/house'));
  for (const { asset = '', inventory, inFlight, feesEarned } of shown.house.assets) {
    const known = assetSymbols.find((one) => one === asset) ?? 'USDT';
    const expected = [house.liquidity, house.payouts, house.fees].map((owner) => model.balance(owner, known));
    const found = [inventory, inFlight, feesEarned].map((text = '') => atomsOf(asset, text));
    must(
      expected.every((amount, at) => amount === found[at]),
      'the house shows',
      asset,
      found,
      expected,
    );
  }
  await env.DB.prepare('DELETE FROM statements').run();
  for (const { id, keys } of model.accounts) {
    const { account } = await json<{ account: { balances: Amount[] } }>(await asOperator('GET', `/accounts/${id}`));
    for (const { asset, amount } of account.balances) {
      const held = model.balance(id, asset as (typeof assetSymbols)[number]);
      must(amount === writeDecimal(held, scaleOf(asset as never)), 'the operator sees', id, asset, amount, held);
    }
    const key = keys.find(({ revoked, scopes }) => !revoked && scopes.includes('read'));
    if (!key) continue;
    const response = await key.trader.get('/api/v1/account/statement?from=2020-01-01T00:00:00Z');
    if (response.status !== 200) continue;
    const statement = await json<Statement>(response);
    const sums = new Map(statement.opening.map(({ asset, amount }) => [asset, atomsOf(asset, amount)]));
    for (const { asset, amount } of statement.movements) {
      sums.set(asset, (sums.get(asset) ?? 0n) + atomsOf(asset, amount));
    }
    for (const asset of assetSymbols) {
      const closing = atomsOf(asset, statement.closing.find((one) => one.asset === asset)?.amount ?? '0');
      must(closing === model.balance(id, asset) && closing === sums.get(asset), 'the statement of', id, asset, closing);
    }
  }
}
