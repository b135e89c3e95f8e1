import { afterAll, expect, it } from 'vitest';
import { CustodianRemote } from '../support/node/custody/custodian-remote.ts';
import { custodyVariables, startCustodian } from '../support/node/custody/start-custodian.ts';
import type { Client } from '../support/client.ts';
import { waitFor } from '../support/wait-for.ts';
import { openExchange } from '../support/node/exchange/open-exchange.ts';

/** More than the longest pause between two look-ups of one withdrawal. */
const HOUR_MS = 3_600_000;

const STUCK = 60;

const played = await startCustodian();
afterAll(() => played.stop());
const custodian = new CustodianRemote(played.url);
const { exchange, operator } = await openExchange({ variables: custodyVariables(played.url) });

/** Runs the cron handler as if an hour had passed, so every open payout is due to be looked up. */
async function sweep(): Promise<void> {
  await exchange.probe.query(
    `UPDATE withdrawals SET next_ask_at = next_ask_at - ${HOUR_MS} WHERE status = 'PROCESSING'`,
  );
  await exchange.probe.schedule();
}

async function expectPaidOnce(client: Client, id: string): Promise<void> {
  await waitFor(async () => expect((await client.readWithdrawal(id)).status).toBe('COMPLETED'));
  const paid = (await custodian.listPayouts()).filter(({ payout }) => payout.withdrawalId === id);
  expect(paid.map(({ payments }) => payments)).toEqual([1]);
}

it('60 stuck withdrawals of one customer do not delay another’s, however often all of them are due', async () => {
  const [stuck, other] = [await operator.openClient({ USDT: '2000' }), await operator.openClient({ USDT: '100' })];
  await custodian.program({ method: 'PUT', times: STUCK + 1, act: 'accept' });
  const ids = await Promise.all(Array.from({ length: STUCK }, async () => (await stuck.takeOut({ amount: '20' })).id));
  const { id } = await other.takeOut();
  await custodian.decide(id, 'pay');
  await sweep();
  await waitFor(async () => {
    const requests = await custodian.listRequests();
    expect(ids.filter((each) => requests[each]?.lookups === 1)).toHaveLength(STUCK);
  });
  expect((await custodian.countRequests(id)).lookups).toBe(0);
  await sweep();
  await expectPaidOnce(other, id);
});
