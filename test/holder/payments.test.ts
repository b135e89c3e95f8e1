// @runtime three-ledgers
import { beforeAll, expect, it } from 'vitest';
import { ledgerNumberOf } from '../../src/db/record-id.ts';
import { readAddresses } from '../support/addresses/addresses.ts';
import type { Trader } from '../support/exchange.ts';
import { accepted, signIn } from '../support/holder/holders.ts';
import { databaseOf, openTraderIn } from '../support/db/open-in-ledger.ts';
import { review, setSettings } from '../support/withdrawals/withdrawals.ts';
import { holderEntrypoint } from '../support/runtime/test-env.ts';

let traders: Trader[];

beforeAll(async () => {
  traders = await Promise.all([0, 1, 1].map(openTraderIn));
  for (const { accountId } of traders) await signIn(accountId);
});

const lastOf = async (ledger: number) =>
  (await accepted(holderEntrypoint.listPayments(ledger, null)))?.last ?? Number.NaN;

async function paymentsOf({ accountId }: Trader, after: number) {
  const read = await accepted(holderEntrypoint.listPayments(ledgerNumberOf(accountId), after));
  return (read?.payments ?? [])
    .filter((payment) => payment.accountId === accountId)
    .map(({ kind, asset, amount, usdValue }) => [kind, asset, amount, usdValue]);
}

it.each([
  ['an account of its ledger', 2],
  ['an account of another ledger', 0],
])('a withdrawal to %s is one payment of each side, once', async (_which, at) => {
  const [payer, receiver] = [traders[1] as Trader, traders[at] as Trader];
  const [before, known] = [await lastOf(1), await lastOf(ledgerNumberOf(receiver.accountId))];
  const { TRC20 = '' } = await readAddresses(receiver);
  const { id } = await payer.takeOut({ address: TRC20 });
  await expect
    .poll(() => databaseOf(1).prepare('SELECT status FROM withdrawals WHERE id = ?').bind(id).first('status'))
    .toBe('COMPLETED');
  const { amount } = (await databaseOf(1)
    .prepare('SELECT amount / 1000000 AS amount FROM withdrawals WHERE id = ?')
    .bind(id)
    .first<{ amount: number }>()) ?? { amount: 0 };
  const own = String(amount);
  expect(await paymentsOf(payer, before)).toEqual([['withdrawal', 'USDT', own, own]]);
  expect(await paymentsOf(receiver, known)).toEqual([['deposit', 'USDT', own, own]]);
  expect(await paymentsOf(payer, await lastOf(1))).toEqual([]);
});

it('a withdrawal that comes back is a return, of what was to be sent, once', async () => {
  const [trader] = traders as [Trader];
  const before = await lastOf(0);
  await setSettings({ reviewThreshold: '0' });
  const { id, amount } = await trader.takeOut();
  expect(await paymentsOf(trader, before)).toEqual([['withdrawal', 'USDT', amount, amount]]);
  const taken = await lastOf(0);
  expect((await review(trader, id, 'reject')).status).toBe(200);
  expect(await paymentsOf(trader, taken)).toEqual([['return', 'USDT', amount, amount]]);
  expect(await paymentsOf(trader, await lastOf(0))).toEqual([]);
});

it('what accounts without a holder do, and orders, are no payments', async () => {
  const [trader] = traders as [Trader];
  const unheld = await openTraderIn(0);
  const before = await lastOf(0);
  await unheld.withdraw();
  await trader.order({ coin: 'BTC', side: 'BUY', mode: 'USDT_AMOUNT', value: '10' });
  const read = await accepted(holderEntrypoint.listPayments(0, before));
  expect(read?.payments).toEqual([]);
  expect(read?.last).toBeGreaterThan(before);
});

it('a ledger that does not exist has none', async () => {
  expect(await accepted(holderEntrypoint.listPayments(3, 0))).toBeNull();
});
