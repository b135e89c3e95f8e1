import { describe, expect, it } from 'vitest';
import { assetSymbols } from '../../src/money/assets.ts';
import { openAccount } from '../support/exchange.ts';
import { env } from '../support/runtime/test-env.ts';
import { VENUE, fundVenue } from '../support/db/house-money.ts';
import { audit } from '../support/db/raw-ledger.ts';
import { sql, listRows } from '../support/db/sql.ts';

/** The balances of an account, and the house's balances of an asset. */
async function listAssets(account: string): Promise<string[]> {
  const results = await listRows<{ asset: string }>('SELECT asset FROM balances WHERE account = ?', account);
  return results.map(({ asset }) => asset);
}

function addAsset(): Promise<unknown> {
  return env.DB.batch([
    audit('add_asset', 'XRP', {}, { role: 'reconciliation' }),
    sql(`UPDATE settings SET revision = revision + 1,
         shares = json_set(shares, '$."house:custody".XRP', json('["1000"]'), '$."house:liquidity".XRP', json('["10"]'))`),
    sql(`INSERT INTO assets (asset, unit) VALUES ('XRP', 1000000)`),
    sql(
      `INSERT INTO balances (account, asset, floor) SELECT account, asset, -amount FROM own_shares WHERE asset = 'XRP'`,
    ),
  ]);
}

describe('a new asset', () => {
  it('gives a balance to accounts opened before it, to accounts opened later, and to the house', async () => {
    const before = await openAccount();
    await fundVenue({ USDT: '5' });
    expect((await listAssets(before)).toSorted()).toEqual(assetSymbols.toSorted());
    await addAsset();
    const after = await openAccount();
    for (const owner of [
      before,
      after,
      'house:custody',
      'house:liquidity',
      'house:payouts',
      'house:fees',
      'house:transit',
      'house:hedging',
      VENUE,
    ]) {
      expect((await listAssets(owner)).toSorted(), owner).toEqual([...assetSymbols, 'XRP'].toSorted());
    }
  });
});
