import { scaleOf } from '../../src/money/assets.ts';
import { type Row, idsOf, walk } from '../support/operator/lists.ts';
import type { ModelDeposit, ModelWithdrawal } from './model.ts';
import { must } from './must.ts';
import { writeDecimal } from './read-decimal.ts';
import type { World } from './world.ts';

/** Every list that the operator reads has the model's records, each once, in their state and with their amounts. */
export async function checkLists({ model }: World): Promise<void> {
  for (const { id: accountId } of model.accounts) {
    const orders = await walk(`/accounts/${accountId}/orders`, 'orders');
    const own = [...model.orders].filter(([, owner]) => owner === accountId).map(([id]) => id);
    must(sameIds(orders, own), 'the orders of', accountId, orders.length, own.length);
    const withdrawals = [...model.withdrawals.values()].filter((one) => one.accountId === accountId);
    compare(await walk(`/accounts/${accountId}/withdrawals`, 'withdrawals'), withdrawals);
  }
  for (const status of ['PENDING', 'PROCESSING'] as const) {
    const open = [...model.withdrawals.values()].filter((one) => one.status === status);
    compare(await walk('/withdrawals', 'withdrawals', { status }), open);
  }
  const known = model.deposits.filter(({ isKnown, isDust }) => isKnown && !isDust);
  const undecided = known.filter(({ status, decision }) => status === 'QUARANTINED' && decision === null);
  const waiting = known.filter(({ status }) => status === 'PENDING');
  await expectDeposits({ status: 'PENDING' }, waiting);
  await expectDeposits({ status: 'QUARANTINED' }, undecided);
  for (const wanted of ['KEPT', 'CREDITED']) {
    // One that was kept and then failed on its chain keeps its decision.
    const decided = known.filter(({ decision }) => decision === wanted);
    await expectDeposits({ status: 'QUARANTINED', decision: wanted }, decided);
  }
}

function sameIds(rows: readonly Row[], ids: readonly string[]): boolean {
  return idsOf(rows).toSorted().join() === ids.toSorted().join();
}

function compare(rows: readonly Row[], expected: readonly ModelWithdrawal[]): void {
  must(sameIds(rows, idsOf(expected)), 'a list of withdrawals has', rows.length, expected.length);
  for (const { id, status, amount, asset } of rows) {
    const one = expected.find((withdrawal) => withdrawal.id === id);
    const shown = one && writeDecimal(one.amount, scaleOf(one.asset));
    must(one?.status === status && one?.asset === asset && shown === amount, 'a withdrawal is listed as', id, one);
  }
}

/** Deposits are compared by their transactions, since the model does not know their ids. */
async function expectDeposits(query: Record<string, string>, expected: readonly ModelDeposit[]): Promise<void> {
  const rows = await walk('/deposits', 'deposits', query);
  const shown = rows.map(({ txHash, amount }) => `${String(txHash)} ${String(amount)}`).toSorted();
  const model = expected
    .map(({ report, amount, asset }) => `${report['txHash']} ${writeDecimal(amount, scaleOf(asset))}`)
    .toSorted();
  must(shown.join() === model.join(), 'the deposits of', query, shown, model);
}
