import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { CustodianRemote } from '../support/node/custody/custodian-remote.ts';
import { custodyVariables, startCustodian } from '../support/node/custody/start-custodian.ts';
import { type Client, readRefusal } from '../support/client.ts';
import { runWithoutTriggers } from '../support/node/exchange/run-without-triggers.ts';
import { waitFor } from '../support/wait-for.ts';
import { openExchange } from '../support/node/exchange/open-exchange.ts';

/** More than the longest pause between two look-ups of one withdrawal. */
const HOUR_MS = 3_600_000;

const STUCK = 60;
/** How often a deposit is reported, and the confirmations of the last report: as many as any network needs. */
const REPORTS = 24;
const CONFIRMED = 128;

const played = await startCustodian();
afterAll(() => played.stop());
const custodian = new CustodianRemote(played.url);
const { exchange, operator } = await openExchange({ variables: custodyVariables(played.url) });

const setSettings = (change: Record<string, unknown>) => operator.operate('PATCH', '/settings', change);

afterEach(() =>
  setSettings({ allowlistMode: 'off', withdrawalsHalted: false, pausedNetworks: [], reviewThreshold: null }),
);

/** Makes a withdrawal that the custodian has never seen, and returns its id. */
async function leaveUnseen(client: Client): Promise<string> {
  await custodian.program({ method: 'PUT', act: 'nothing', answer: 'error' });
  const { id, status } = await client.takeOut();
  expect(status).toBe('PROCESSING');
  return id;
}

/** Makes a withdrawal that waits for the operator's review, and returns its id. */
async function leavePending(client: Client): Promise<string> {
  await setSettings({ reviewThreshold: '10' });
  const { id, status } = await client.takeOut();
  expect(status).toBe('PENDING');
  return id;
}

const approve = ({ accountId }: Client, id: string) =>
  operator.ask('POST', `/accounts/${accountId}/withdrawals/${id}/approve`, { reason: 'known customer' });

/** Runs the cron handler as if an hour had passed, so every open payout is due to be looked up. */
async function sweep(): Promise<void> {
  await exchange.probe.query(
    `UPDATE withdrawals SET next_ask_at = next_ask_at - ${HOUR_MS} WHERE status = 'PROCESSING'`,
  );
  await exchange.probe.schedule();
}

/**
 * Sweeps twice, and expects that the custodian was asked both times and never told to pay. The second sweep starts when
 * the first has ended, so the first can submit nothing afterwards.
 */
async function expectOnlyLookups(id: string): Promise<void> {
  for (const lookups of [1, 2]) {
    await sweep();
    await waitFor(async () => expect(await custodian.countRequests(id)).toEqual({ submissions: 1, lookups }));
  }
}

async function expectPaidOnce(client: Client, id: string): Promise<void> {
  await waitFor(async () => expect((await client.readWithdrawal(id)).status).toBe('COMPLETED'));
  const paid = (await custodian.listPayouts()).filter(({ payout }) => payout.withdrawalId === id);
  expect(paid.map(({ payments }) => payments)).toEqual([1]);
}

describe('while withdrawals are stopped', () => {
  const freeze = (client: Client, status: string) =>
    operator.operate('PATCH', `/accounts/${client.accountId}`, { status });

  /** Changes a balance without a transfer. */
  const shiftBalance = ({ accountId }: Client, by: number) => {
    const sql = "UPDATE balances SET amount = amount + ? WHERE account = ? AND asset = 'USDT'";
    return runWithoutTriggers(exchange.probe, ['balances_are_explained'], [{ sql, values: [by, accountId] }]);
  };

  const halted = [503, 'withdrawals_suspended'] as const;
  const stops = [
    // This one comes first, because the exchange's first sweep also starts a pass of the reconciliation.
    [
      'a broken invariant, found in the minute of the sweep',
      (client: Client) => shiftBalance(client, 1),
      async (client: Client) => {
        await shiftBalance(client, -1);
        const { reconciliation } = await operator.operate<{ reconciliation: { violations: { id: string }[] } }>(
          'GET',
          '/reconciliation',
        );
        expect(reconciliation.violations).not.toEqual([]);
        for (const { id } of reconciliation.violations) {
          await operator.operate('POST', `/reconciliation/violations/${id}/clear`, { reason: 'a test broke it' });
        }
        await setSettings({ withdrawalsHalted: false, tradingHalted: false });
      },
      halted,
    ],
    [
      'the operator’s halt',
      () => setSettings({ withdrawalsHalted: true }),
      () => setSettings({ withdrawalsHalted: false }),
      halted,
    ],
    [
      'a paused network',
      () => setSettings({ pausedNetworks: ['TRC20'] }),
      () => setSettings({ pausedNetworks: [] }),
      halted,
    ],
    [
      'a frozen account',
      (client: Client) => freeze(client, 'frozen'),
      (client: Client) => freeze(client, 'active'),
      [403, 'account_frozen'],
    ],
  ] as const;

  it.each(stops)(
    'by %s, neither the sweep nor an approval submits anything, and later both withdrawals are paid once',
    async (_, stop, lift, refusal) => {
      const client = await operator.openClient({ USDT: '1000' });
      const unseen = await leaveUnseen(client);
      const pending = await leavePending(client);
      await stop(client);
      await expectOnlyLookups(unseen);
      expect(await readRefusal(await approve(client, pending))).toEqual(refusal);
      expect((await custodian.countRequests(pending)).submissions).toBe(0);
      expect((await client.readWithdrawal(pending)).status).toBe('PENDING');
      await lift(client);
      await sweep();
      await expectPaidOnce(client, unseen);
      expect((await approve(client, pending)).status).toBe(200);
      await expectPaidOnce(client, pending);
    },
  );
});

describe('an approval', () => {
  it('pays no address that is not on the strict allowlist', async () => {
    const client = await operator.openClient({ USDT: '1000' });
    const id = await leavePending(client);
    await setSettings({ allowlistMode: 'strict' });
    expect(await readRefusal(await approve(client, id))).toEqual([403, 'address_not_allowlisted']);
    expect((await custodian.countRequests(id)).submissions).toBe(0);
  });

  it('pays nothing for a key that was revoked since', async () => {
    const client = await operator.openClient({ USDT: '1000' });
    const id = await leavePending(client);
    await operator.operate('DELETE', `/accounts/${client.accountId}/api-keys/${client.keyId}`);
    expect(await readRefusal(await approve(client, id))).toEqual([409, 'invalid_state']);
    expect((await custodian.countRequests(id)).submissions).toBe(0);
  });
});

describe('the review threshold', () => {
  it('cannot be avoided by splitting, neither one after the other nor on two keys at once', async () => {
    await setSettings({ reviewThreshold: '100' });
    const client = await operator.openClient({ USDT: '1000' });
    const other = await operator.createClient(client.accountId);
    const first = await Promise.all([client, other].map((each) => each.takeOut({ amount: '60' })));
    expect(first.map(({ status }) => status).toSorted()).toEqual(['COMPLETED', 'PENDING']);
    expect((await client.takeOut({ amount: '40' })).status).toBe('PENDING');
  });
});

describe('a withdrawal that failed', () => {
  it('shows its holder Bureau’s reason, and not the custodian’s', async () => {
    const client = await operator.openClient({ USDT: '100' });
    await custodian.program({ method: 'PUT', act: 'refuse' });
    const failed = await client.takeOut();
    expect(failed).toMatchObject({ status: 'FAILED', txHash: null, reason: 'refused' });
    expect(await client.readWithdrawal(failed.id)).toEqual(failed);
    expect((await client.balances())['USDT']).toBe('100');
  });
});

describe('dust', () => {
  /**
   * Reports a deposit of USDC on Polygon once a block, and at last when it is confirmed. Returns the answer to the last
   * report, and the rows of the deposit and of the audit.
   */
  async function reportEachBlock(client: Client, amount: string, reports: number) {
    const address = await client.addressOn('POLYGON');
    const txHash = `0x${client.keyId.replaceAll('-', '').padStart(64, '0')}`;
    const body = { network: 'POLYGON', asset: 'USDC', amount, address, txHash, failed: false };
    let deposit: Record<'id' | 'status' | 'reason', string> | undefined;
    for (let report = 1; report <= reports; report += 1) {
      const confirmations = report < reports ? report : CONFIRMED;
      ({ deposit } = await operator.operate<{ deposit: NonNullable<typeof deposit> }>('POST', '/deposits', {
        ...body,
        confirmations,
      }));
    }
    const [deposits = [], audit = []] = await exchange.probe.batch([
      { sql: 'SELECT * FROM deposits WHERE account_id = ?', values: [client.accountId] },
      { sql: 'SELECT * FROM audit WHERE target = ?', values: [deposit?.id ?? ''] },
    ]);
    return { deposit, deposits, audit };
  }

  it('that is reported for every block writes one row and one row of the audit, and is credited to nobody', async () => {
    const client = await operator.openClient();
    const once = await reportEachBlock(client, '0.000001', 1);
    const often = await reportEachBlock(client, '0.000001', REPORTS);
    expect(often).toEqual(once);
    expect(often.deposit).toMatchObject({ status: 'QUARANTINED', reason: 'below_minimum' });
    expect([often.deposits.length, often.audit.length]).toEqual([1, 1]);
    expect((await client.balances())['USDC']).toBe('0');
    const sums = await operator.operate<{ dust: readonly unknown[] }>('GET', '/deposits/dust');
    expect(sums.dust).toEqual([{ asset: 'USDC', network: 'POLYGON', deposits: 1, amount: '0.000001' }]);
  });

  it('ends at the minimum: such a deposit is credited, with a row of the audit for each change of its status', async () => {
    const client = await operator.openClient();
    const { deposit, deposits, audit } = await reportEachBlock(client, '1', REPORTS);
    expect(deposit?.status).toBe('COMPLETED');
    expect([deposits.length, audit.length]).toEqual([1, 2]);
    expect((await client.balances())['USDC']).toBe('1');
  });
});

// This one comes last, because its withdrawals stay stuck.
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
