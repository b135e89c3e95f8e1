import { expect } from 'vitest';
import { assetSymbols } from '../../../src/money/assets.ts';
import type { SliceLimits } from '../../../src/ledger/reconciliation/reconciler.ts';
import { type Trader, asOperator } from '../exchange.ts';
import { databaseOf, ledgersUnderTest } from '../ledger/open-in-ledger.ts';
import { WHOLE, brokenOf, reconcileAnew } from '../ledger/reconciliation.ts';

type Owner = Pick<Trader, 'accountId'>;

/** Freezes or unfreezes an account. */
export async function setStatus({ accountId }: Owner, status: 'active' | 'frozen'): Promise<void> {
  const answer = await asOperator('PATCH', `/accounts/${accountId}`, { status });
  if (answer.status !== 200) throw new Error(await answer.text());
}

/** Asks for the move of an account to a ledger. */
export function askMove({ accountId }: Owner, ledger: number): Promise<Response> {
  return asOperator('POST', `/accounts/${accountId}/moves`, { ledger });
}

/** Freezes an account, moves it to a ledger, and unfreezes it. */
export async function move(owner: Owner, ledger: number): Promise<void> {
  await setStatus(owner, 'frozen');
  const answer = await askMove(owner, ledger);
  expect([answer.status, answer.ok || (await answer.text())]).toEqual([200, true]);
  await setStatus(owner, 'active');
}

/** What an account has in one ledger, in atoms, without zeros. */
export async function readHeldIn(ledger: number, account: string): Promise<Record<string, number>> {
  const { results } = await databaseOf(ledger)
    .prepare('SELECT asset, amount FROM balances WHERE account = ? AND amount <> 0')
    .bind(account)
    .all<{ asset: string; amount: number }>();
  return Object.fromEntries(results.map(({ asset, amount }) => [asset, amount]));
}

/** All balances of each ledger sum to zero, and over all ledgers nothing is in transit. */
export async function expectNothingLost(): Promise<void> {
  for (const asset of assetSymbols) {
    let transit = 0;
    for (const ledger of ledgersUnderTest) {
      const sums = databaseOf(ledger)
        .prepare(
          "SELECT sum(amount) AS total, sum(iif(account = 'house:transit', amount, 0)) AS transit FROM balances WHERE asset = ?",
        )
        .bind(asset);
      const row = await sums.first<{ total: number; transit: number }>();
      expect([ledger, asset, row?.total]).toEqual([ledger, asset, 0]);
      transit += row?.transit ?? 0;
    }
    expect([asset, transit]).toEqual([asset, 0]);
  }
}

/** A whole pass over each ledger finds nothing wrong. */
export async function expectReconciled(limits: SliceLimits = WHOLE): Promise<void> {
  for (const ledger of ledgersUnderTest) {
    expect([ledger, brokenOf(await reconcileAnew(limits, undefined, ledger))]).toEqual([ledger, []]);
  }
}
