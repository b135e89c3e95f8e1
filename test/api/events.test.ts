import { describe, expect, it } from 'vitest';
import { eventTypes } from '../../src/events/event.ts';
import { ORDER, type Trader, asOperator, createKey, json, openTrader, expectCode } from '../support/exchange.ts';
import { readFeed, readTypes, recordOf, tellOld } from '../support/events/feed.ts';
import { agreeP2p, agreeQuick, readSettled, settle } from '../support/operator/settlements.ts';
import { measureDatabase } from '../support/runtime/meter.ts';
import { setSettings } from '../support/withdrawals/withdrawals.ts';
import { runFor } from '../support/db/open-in-ledger.ts';

/** A trader whose account listens. Its first events are its funds: a deposit for each asset. */
async function openListener(funds: Parameters<typeof openTrader>[0] = {}): Promise<Trader> {
  const trader = await openTrader(funds);
  const newest = Object.keys(funds).length;
  expect(await readFeed(trader)).toMatchObject({ nextAfter: newest, since: 0, newest });
  return trader;
}

describe('the feed of events', () => {
  it('shows an order as the list of orders does, with an id that names the account and the number', async () => {
    const trader = await openListener({ USDT: '100' });
    const order = await trader.trade(ORDER);
    const { events, nextAfter, since } = await readFeed(trader, { after: 1 });
    const [event] = events;
    expect(event).toEqual({
      id: `evt_${trader.accountId}_2`,
      type: 'order.filled',
      timestamp: event?.timestamp,
      sequence: 2,
      data: { order },
    });
    expect([nextAfter, since]).toEqual([2, 0]);
    expect(Math.abs(Date.now() - Date.parse(event?.timestamp ?? ''))).toBeLessThan(60_000);
  });

  it('begins at the account’s beginning: an account that has traded finds all of it, once and in order', async () => {
    const trader = await openTrader({ USDT: '5000', ETH: '1' });
    const seller = await openTrader({ ETH: '5' });
    const order = await trader.trade(ORDER);
    const paid = await trader.takeOut();
    const settled = await readSettled(await settle(agreeP2p(trader, seller)));
    await asOperator('POST', '/deposits', {
      network: 'ETH',
      address: await trader.addressOn('ETH'),
      asset: 'ETH',
      amount: '2.5',
      txHash: crypto.getRandomValues(new Uint8Array(32)).toHex().replace(/^/, '0x'),
      confirmations: 1,
    });
    const second = await createKey(trader.accountId);
    const [page, same] = await Promise.all([readFeed(trader, { after: 0 }), readFeed(second, { after: 0 })]);
    expect(same).toEqual(page);
    expect(page.events.map((event) => [event.sequence, event.type, recordOf(event)['id']])).toEqual([
      [1, 'deposit.completed', expect.any(String)],
      [2, 'deposit.completed', expect.any(String)],
      [3, 'order.filled', order.id],
      [4, 'withdrawal.completed', paid.id],
      [5, 'settlement.completed', settled.id],
      [6, 'deposit.pending', expect.any(String)],
    ]);
    expect(page.events.map(({ timestamp }) => timestamp)).toEqual(page.events.map((event) => recordOf(event)['ts']));
    expect([page.since, page.newest, page.nextAfter]).toEqual([0, 6, 6]);
    await trader.trade(ORDER);
    const types = page.events.map(({ type }) => type);
    expect(await readTypes(trader)).toEqual([...types, 'order.filled']);
  });

  it('tells each step of a deposit, and holds back what is too small to be listed', async () => {
    const trader = await openListener();
    const address = await trader.addressOn('ETH');
    const report = (change: object) =>
      asOperator('POST', '/deposits', {
        network: 'ETH',
        address,
        asset: 'ETH',
        amount: '2.5',
        txHash: `0x${'a1'.repeat(31)}${trader.accountId.slice(-2)}`,
        confirmations: 1,
        ...change,
      });
    await report({});
    await report({ confirmations: 2 });
    await report({ confirmations: 32 });
    await report({ txHash: `0x${'b2'.repeat(31)}${trader.accountId.slice(-2)}`, amount: '0.000000000000000001' });
    const { events } = await readFeed(trader);
    expect(events.map(({ type }) => type)).toEqual(['deposit.pending', 'deposit.completed']);
    const { deposits } = await json<{ deposits: object[] }>(await trader.get('/api/v1/wallet/deposits'));
    // Both show the record as it is now.
    expect(events.map((event) => recordOf(event))).toEqual([deposits[0], deposits[0]]);
  });

  it('tells the holder of an address that a deposit is held for the operator', async () => {
    const trader = await openListener();
    const address = await trader.addressOn('LTC');
    // More than the ledger can count, so above every supply cap.
    const amount = '99999999999999999999';
    const txHash = crypto.getRandomValues(new Uint8Array(32)).toHex();
    const report = { network: 'LTC', address, asset: 'LTC', amount, txHash, confirmations: 6 };
    expect((await asOperator('POST', '/deposits', report)).ok).toBe(true);
    const { events } = await readFeed(trader);
    expect(events.map((event) => [event.type, recordOf(event)['status'], recordOf(event)['txHash']])).toEqual([
      ['deposit.quarantined', 'QUARANTINED', txHash],
    ]);
  });

  it('tells each step of a withdrawal, also of one that is reviewed and rejected', async () => {
    const trader = await openListener({ USDT: '500' });
    const paid = await trader.takeOut();
    await setSettings({ reviewThreshold: '0' });
    const waiting = await trader.takeOut();
    const path = `/accounts/${trader.accountId}/withdrawals/${waiting.id}/reject`;
    expect((await asOperator('POST', path, { reason: 'no' })).status).toBe(200);
    const { events } = await readFeed(trader, { after: 1 });
    expect(events.map((event) => [event.type, recordOf(event)['id'], recordOf(event)['status']])).toEqual([
      ['withdrawal.processing', paid.id, 'COMPLETED'],
      ['withdrawal.completed', paid.id, 'COMPLETED'],
      ['withdrawal.pending', waiting.id, 'FAILED'],
      ['withdrawal.failed', waiting.id, 'FAILED'],
    ]);
  });

  it('tells both accounts of a withdrawal inside the exchange and of a settlement', async () => {
    const [one, other] = [await openListener({ USDT: '500' }), await openListener({ ETH: '5' })];
    await one.takeOut({ address: await other.addressOn('TRC20') });
    const settled = await readSettled(await settle(agreeP2p(one, other)));
    await readSettled(await settle(agreeQuick(one, 'BUY')));
    const funded = ['deposit.completed'] as const;
    expect(await readTypes(one, 1)).toEqual(['withdrawal.completed', 'settlement.completed', 'settlement.completed']);
    expect(await readTypes(other, 1)).toEqual([...funded, 'settlement.completed']);
    const { transactions } = await json<{ transactions: { id: string }[] }>(
      await other.get('/api/v1/wallet/transactions'),
    );
    const told = (await readFeed(other)).events.at(-1);
    expect(recordOf(told)).toEqual(transactions.find(({ id }) => id === settled.id));
  });

  it('tells of freezes, keys and approved addresses, and never shows a token', async () => {
    const trader = await openListener();
    const base = `/accounts/${trader.accountId}`;
    await asOperator('PATCH', base, { status: 'frozen' });
    await asOperator('PATCH', base, { status: 'active' });
    const key = await createKey(trader.accountId, { scopes: ['read'] });
    const approved = { network: 'TRC20', address: 'TJRyWwFs9wTFGZg3JbrVriFbNfCug5tDeC', label: 'cold' };
    const { entry } = await json<{ entry: { id: string } }>(await asOperator('POST', `${base}/allowlist`, approved));
    await asOperator('DELETE', `${base}/allowlist/${entry.id}`);
    await asOperator('DELETE', `${base}/api-keys/${key.keyId}`);
    const { events } = await readFeed(trader);
    expect(events.map(({ type }) => type)).toEqual([
      'account.frozen',
      'account.thawed',
      'key.created',
      'allowlist.added',
      'allowlist.removed',
      'key.revoked',
    ]);
    expect(recordOf(events[0])).toEqual({ id: trader.accountId, status: 'active', twoFactor: false });
    expect(recordOf(events[3])).toEqual(entry);
    expect(recordOf(events[4])).toEqual(entry);
    expect(recordOf(events[2])).toMatchObject({ id: key.keyId, scopes: ['read'] });
    expect(JSON.stringify(events)).not.toContain(key.token.slice(-20));
  });

  it('goes on where the reader stopped, in pages of the wanted size, whatever happened meanwhile', async () => {
    const trader = await openListener({ USDT: '1000' });
    const seen: number[] = [];
    let after = 1;
    for (let round = 0; round < 4; round += 1) {
      await trader.trade(ORDER);
      await trader.trade(ORDER);
      await trader.trade(ORDER);
      const page = await readFeed(trader, { after, limit: 2 });
      seen.push(...page.events.map(({ sequence }) => sequence));
      after = page.nextAfter;
    }
    for (let page = await readFeed(trader, { after }); page.events.length > 0;) {
      seen.push(...page.events.map(({ sequence }) => sequence));
      page = await readFeed(trader, { after: page.nextAfter });
    }
    expect(seen).toEqual(Array.from({ length: 12 }, (_, at) => at + 2));
  });

  it('gives the wanted types alone, and looks past all others', async () => {
    const trader = await openListener({ USDT: '1000' });
    await trader.trade(ORDER);
    await trader.takeOut();
    await trader.trade(ORDER);
    const page = await readFeed(trader, { types: 'withdrawal.completed,order.filled' });
    expect(page.events.map(({ type }) => type)).toEqual(['order.filled', 'withdrawal.completed', 'order.filled']);
    expect(await readFeed(trader, { types: 'key.created' })).toEqual({ events: [], nextAfter: 5, since: 0, newest: 5 });
    const first = await readFeed(trader, { types: 'order.filled', limit: 1 });
    expect([first.events.length, first.nextAfter]).toEqual([1, 2]);
  });

  it('looks at two thousand events at most where only some types are wanted, and says how far it came', async () => {
    const trader = await openListener();
    await tellOld(trader, 1, 2_100);
    const page = await readFeed(trader, { types: 'key.created' });
    expect([page.events, page.nextAfter, page.newest]).toEqual([[], 2_000, 2_100]);
    expect((await readFeed(trader, { types: 'key.created', after: 2_000 })).nextAfter).toBe(2_100);
  });

  it('refuses a number below what is kept with 410, and without a number begins with what is kept', async () => {
    const trader = await openListener();
    await tellOld(trader, 1, 5);
    await tellOld(trader, 6, 7, Date.now());
    await runFor(trader.accountId, 'DELETE FROM events WHERE account_id = ? AND sequence <= 4', trader.accountId);
    const { detail } = await expectCode(trader.get('/api/v1/events?after=3'), '410 events_expired');
    expect(detail).toContain('after number 4');
    const page = await readFeed(trader, { limit: 2 });
    expect([page.since, page.events.map(({ sequence }) => sequence), page.newest]).toEqual([4, [5, 6], 7]);
    expect((await readFeed(trader, { after: 4 })).events).toHaveLength(3);
  });

  it('refuses a number that no event has yet, such as one of another exchange', async () => {
    const trader = await openListener();
    const { errors } = await expectCode(trader.get('/api/v1/events?after=1'), '400 invalid_request');
    expect(errors?.[0]?.pointer).toBe('after');
  });

  it.each(['after=-1', 'after=x', 'after=1.5', 'limit=0', 'limit=201', 'types=', 'types=order.failed', 'types=a,b'])(
    'refuses %s',
    async (query) => {
      const trader = await openTrader();
      await expectCode(trader.get(`/api/v1/events?${query}`), '400 invalid_request');
    },
  );

  it('may be read by a frozen account, and shows no other account’s events', async () => {
    const [trader, other] = [await openListener({ USDT: '100' }), await openListener()];
    await trader.trade(ORDER);
    await asOperator('PATCH', `/accounts/${trader.accountId}`, { status: 'frozen' });
    expect(await readTypes(trader, 1)).toEqual(['order.filled', 'account.frozen']);
    expect(await readTypes(other)).toEqual([]);
  });

  it('takes two round trips for any number of events, and reads each event and its record once', async () => {
    const trader = await openListener({ USDT: '1000' });
    for (let placed = 0; placed < 5; placed += 1) await trader.trade(ORDER);
    const cost = await measureDatabase(() => readFeed(trader));
    expect(cost).toMatchObject({ databaseTrips: 2, databaseRowsWritten: 0 });
    const more = await measureDatabase(async () => {
      for (let placed = 0; placed < 5; placed += 1) await trader.trade(ORDER);
    });
    expect(more.databaseRowsWritten).toBe(40);
    const second = await measureDatabase(() => readFeed(trader));
    expect(second.databaseTrips).toBe(2);
    expect(second.databaseRowsRead - cost.databaseRowsRead).toBe(5 * 4);
  });
});

it('the catalogue of events is what the document shows as webhooks, each with an example of its type', async () => {
  const document = await json<{ webhooks: Record<string, { post: { requestBody: Content } }> }>(
    await (await openTrader()).get('/api/v1/openapi.json'),
  );
  expect(Object.keys(document.webhooks)).toEqual([...eventTypes]);
  for (const [type, { post }] of Object.entries(document.webhooks)) {
    expect(post.requestBody.content['application/json'].example).toMatchObject({ type });
  }
});

interface Content {
  readonly content: { readonly 'application/json': { readonly example: unknown } };
}

describe('a listener', () => {
  const rowsOf = async (work: () => Promise<unknown>) => (await measureDatabase(work)).databaseRowsWritten;

  it('costs one row more for each event: an order, a credit, a withdrawal, a settlement', async () => {
    const [silent, other] = [await openTrader({ USDT: '5000', ETH: '5' }), await openTrader({ ETH: '5' })];
    const [heard, third] = [await openListener({ USDT: '5000', ETH: '5' }), await openListener({ ETH: '5' })];
    const costs = async (trader: Trader, seller: Trader) => {
      await trader.withdraw({}, 'warm');
      await trader.trade(ORDER);
      return {
        order: await rowsOf(() => trader.trade(ORDER)),
        credit: await rowsOf(() =>
          asOperator('POST', `/accounts/${trader.accountId}/credits`, { asset: 'ETH', amount: '1', reference: 'one' }),
        ),
        withdrawal: await rowsOf(async () => trader.takeOut({}, 'measured')),
        settlement: await rowsOf(async () => readSettled(await settle(agreeP2p(trader, seller)))),
      };
    };
    const without = await costs(silent, other);
    expect(without.order).toBe(7);
    const events = { order: 1, credit: 1, withdrawal: 2, settlement: 2 };
    const expected = Object.entries(without).map(([name, rows]) => [name, rows + events[name as keyof typeof events]]);
    expect(await costs(heard, third)).toEqual(Object.fromEntries(expected));
  });
});
