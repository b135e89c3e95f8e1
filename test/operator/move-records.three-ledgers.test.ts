import { describe, expect, it } from 'vitest';
import { ledgerNumberOf } from '../../src/ledger/record-id.ts';
import { readAddresses } from '../support/addresses/addresses.ts';
import { readFeed, recordOf } from '../support/events/feed.ts';
import { type OrderAnswer, asOperator, json, send } from '../support/exchange.ts';
import { databaseOf, openTraderIn } from '../support/ledger/open-in-ledger.ts';
import { SMALL, WHOLE } from '../support/ledger/reconciliation.ts';
import {
  ORDER,
  TWO_DAYS_MS,
  expectRefused,
  readPage,
  report,
  credit,
  openBusy,
  beginMoves,
  type Row,
  type Page,
} from '../support/operator/moved-accounts.ts';
import {
  askMove,
  expectNothingLost,
  expectReconciled,
  move,
  readHeldIn,
  setStatus,
} from '../support/operator/moves.ts';
import { CONNECTION_LOST, aroundBatch, fail } from '../support/runtime/faults.ts';
import { countTripsByDatabase } from '../support/runtime/meter.ts';
import { env } from '../support/runtime/test-env.ts';
import { moveClock, readTaken, withdraw } from '../support/withdrawals/withdrawals.ts';

beginMoves();

describe('an account that is moved', () => {
  it.each([
    [0, 1],
    [1, 2],
    [2, 0],
  ])('has all that it had, in its new ledger alone: from %i to %i', async (from, to) => {
    const trader = await openBusy(from);
    const [balances, held] = [await trader.balances(), await readHeldIn(from, trader.accountId)];
    await setStatus(trader, 'frozen');
    const answer = await askMove(trader, to);
    expect([answer.status, await json(answer)]).toEqual([200, { move: { accountId: trader.accountId, from, to } }]);
    expect(await trader.balances()).toEqual(balances);
    expect(await readHeldIn(from, trader.accountId)).toEqual({});
    expect(await readHeldIn(to, trader.accountId)).toEqual(held);
    await setStatus(trader, 'active');
    const order = await trader.trade(ORDER);
    expect(ledgerNumberOf(order.id)).toBe(to);
    const detail = await asOperator('GET', `/accounts/${trader.accountId}`);
    const { account } = await json<{ account: { ledger: number; balances: { asset: string; amount: string }[] } }>(
      detail,
    );
    expect(account.ledger).toBe(to);
    const shown = Object.fromEntries(account.balances.map(({ asset, amount }) => [asset, amount]));
    expect(shown).toEqual(await trader.balances());
    await expectNothingLost();
    for (const limits of [WHOLE, SMALL]) await expectReconciled(limits);
  });

  it('is moved once: the same request gets the same answer, and every other one is refused', async () => {
    const trader = await openTraderIn(0);
    await setStatus(trader, 'frozen');
    const first = await json(await askMove(trader, 1));
    const again = await askMove(trader, 1);
    expect([again.status, await json(again)]).toEqual([200, first]);
    await setStatus(trader, 'active');
    expect((await askMove(trader, 1)).status).toBe(200);
    await setStatus(trader, 'frozen');
    for (const ledger of [0, 2])
      await expectRefused(await askMove(trader, ledger), 409, 'invalid_state', 'moved before');
    expect(await readHeldIn(1, trader.accountId)).toEqual({ USDT: 500_000_000 });
    const query = "SELECT action FROM audit WHERE target = ? AND action IN ('move_account', 'receive_account')";
    const rows = await Promise.all(
      [0, 1].map((ledger) => databaseOf(ledger).prepare(query).bind(trader.accountId).all()),
    );
    expect(rows.map(({ results }) => results)).toEqual([[{ action: 'move_account' }], [{ action: 'receive_account' }]]);
  });

  it('without any balance is moved as well', async () => {
    const trader = await openTraderIn(2);
    await trader.trade({ ...ORDER, value: '500' });
    await trader.trade({
      coin: 'BTC',
      side: 'SELL',
      mode: 'COIN_QTY',
      value: (await trader.balances())['BTC'] ?? '',
    });
    const sold = (await trader.balances())['USDT'] ?? '';
    await readTaken(await withdraw(trader, { amount: String(Number(sold) - 1) }));
    expect(Object.keys(await readHeldIn(2, trader.accountId))).toEqual([]);
    moveClock(TWO_DAYS_MS + 1);
    await move(trader, 1);
    await credit(trader);
    expect(await readHeldIn(1, trader.accountId)).toEqual({ USDT: 5_000_000 });
    await expectNothingLost();
  });

  it('has orders and balances that touch its new database alone', async () => {
    const trader = await openTraderIn(1);
    await move(trader, 2);
    await trader.trade(ORDER);
    await trader.balances();
    const order = await countTripsByDatabase(() => trader.trade(ORDER));
    expect([...order]).toEqual([[2, 1]]);
    const balances = await countTripsByDatabase(() => trader.balances());
    expect([...balances]).toEqual([[2, 1]]);
  });

  it.each(['/api/v1/orders', '/api/v1/wallet/transactions', '/api/v1/wallet/withdrawals', '/api/v1/wallet/deposits'])(
    'shows its whole history, and a cursor of before goes on: %s',
    async (path) => {
      const trader = await openTraderIn(1);
      const address = (await readAddresses(trader))['ETH'] ?? '';
      const act = async () => {
        for (let round = 0; round < 3; round += 1) {
          moveClock(1_000);
          await trader.trade(ORDER);
          await readTaken(await withdraw(trader, { amount: '10' }));
          expect((await report(address)).status).toBe(201);
        }
      };
      await act();
      const name = path.split('/').at(-1) ?? '';
      const before = await readPage(trader, `${path}?limit=100`);
      const first = await readPage(trader, `${path}?limit=2`);
      moveClock(TWO_DAYS_MS + 1);
      await move(trader, 2);
      const rest: Row[] = [];
      for (let cursor = first.nextCursor; cursor !== null;) {
        const page = await readPage(trader, `${path}?limit=2&cursor=${cursor}`);
        rest.push(...(page[name] ?? []));
        cursor = page.nextCursor;
      }
      expect([...(first[name] ?? []), ...rest]).toEqual(before[name]);
      await act();
      const all: Row[] = [];
      for (let cursor: string | null = ''; cursor !== null;) {
        const page: Page = await readPage(trader, `${path}?limit=4${cursor === '' ? '' : `&cursor=${cursor}`}`);
        all.push(...(page[name] ?? []));
        cursor = page.nextCursor;
      }
      const added = path.endsWith('transactions') ? 9 : 3;
      expect(all.slice(added)).toEqual(before[name]);
      expect(new Set(all.map(({ id }) => id)).size).toBe(all.length);
      for (const { id } of all.slice(0, added)) expect(ledgerNumberOf(id)).toBe(2);
    },
  );

  it('shows each record of before by its id', async () => {
    const trader = await openTraderIn(0);
    const order = await trader.trade(ORDER);
    const withdrawal = await readTaken(await withdraw(trader));
    moveClock(TWO_DAYS_MS + 1);
    await move(trader, 1);
    expect(await json(await trader.get(`/api/v1/orders/${order.id}`))).toEqual({ order });
    const shown = await trader.get(`/api/v1/wallet/withdrawals/${withdrawal.id}`);
    expect((await json<{ withdrawal: Row }>(shown)).withdrawal).toMatchObject({ id: withdrawal.id });
  });

  it('goes on with its events from a number of before', async () => {
    const trader = await openTraderIn(1);
    await readFeed(trader);
    for (let round = 0; round < 3; round += 1) await trader.trade(ORDER);
    const first = await readFeed(trader, { limit: 2 });
    await move(trader, 0);
    const order = await trader.trade(ORDER);
    const types: string[] = [];
    let after = first.nextAfter;
    for (let page = await readFeed(trader, { after, limit: 2 }); page.nextAfter > after;) {
      types.push(...page.events.map(({ type }) => type));
      after = page.nextAfter;
      page = await readFeed(trader, { after, limit: 2 });
      if (page.events.some((event) => event.type === 'order.filled' && recordOf(event)['id'] === order.id)) {
        types.push(...page.events.map(({ type }) => type));
        after = page.nextAfter;
        break;
      }
    }
    expect(types).toEqual(['order.filled', 'account.frozen', 'account.thawed', 'order.filled']);
    expect(await readFeed(trader, { after })).toMatchObject({ events: [], newest: 6, since: 0 });
  });

  it('has a statement over both ledgers: opening balance plus movements is closing balance', async () => {
    const begin_ms = Date.now() - 86_400_000;
    const trader = await openBusy(0);
    // The database has a clock of its own.
    await scheduler.wait(5);
    const middle_ms = Number(await databaseOf(0).prepare('SELECT max(ts) + 1 AS n FROM transfers').first('n'));
    await move(trader, 2);
    await trader.trade(ORDER);
    moveClock(1_000);
    type Amounts = readonly { readonly asset: string; readonly amount: string }[];
    const usdtOf = (amounts: Amounts) =>
      amounts.reduce((sum, { asset, amount }) => sum + (asset === 'USDT' ? Number(amount) : 0), 0);
    for (const [from_ms, opening, movements] of [
      [begin_ms, 0, 6],
      [middle_ms, 439, 2],
    ] as const) {
      moveClock(61_000);
      const from = new Date(from_ms).toISOString();
      const answer = await trader.get(`/api/v1/account/statement?from=${from}`);
      const statement = await json<Record<'opening' | 'movements' | 'closing', Amounts>>(answer);
      expect([usdtOf(statement.opening), statement.movements.length]).toEqual([opening, movements]);
      expect(usdtOf(statement.opening) + usdtOf(statement.movements)).toBeCloseTo(429, 6);
      const closing = Object.fromEntries(statement.closing.map(({ asset, amount }) => [asset, amount]));
      expect(closing).toEqual(await trader.balances());
    }
  });

  it('gets the first answers again for an order, a credit and a key of before, which are not made again', async () => {
    const trader = await openTraderIn(0);
    const order = await json<OrderAnswer>(await trader.order(ORDER, 'o'));
    const path = `/operator/v1/accounts/${trader.accountId}`;
    const make = async () => {
      const headers = { Authorization: `Bearer ${env.OPERATOR_TOKEN}`, 'Content-Type': 'application/json' };
      const post = (what: string, body: object) =>
        send(`${path}/${what}`, {
          method: 'POST',
          headers: { ...headers, ...(what === 'api-keys' && { 'Idempotency-Key': trader.accountId }) },
          body: JSON.stringify(body),
        });
      const { credit: made } = await json<{ credit: Row }>(
        await post('credits', { asset: 'USDC', amount: '3', reference: 'once' }),
      );
      const { apiKey } = await json<{ apiKey: Row }>(await post('api-keys', { label: 'once', scopes: ['read'] }));
      return [made, apiKey];
    };
    const first = await make();
    await move(trader, 1);
    expect(await make()).toEqual(first);
    expect(await trader.balances()).toMatchObject({ USDC: '3' });
    const again = await trader.order(ORDER, 'o');
    expect([again.status, await json(again)]).toEqual([201, order]);
    expect((await readPage(trader, '/api/v1/orders'))['orders']).toHaveLength(1);
    expect(await trader.balances()).toMatchObject({ USDT: '490' });
  });

  it('makes an order once that was lost before the move: the retry has it in the new ledger', async () => {
    const trader = await openTraderIn(1);
    const lost = aroundBatch('order', 'before', 3, fail(CONNECTION_LOST));
    const answer = await trader.order(ORDER, 'lost');
    lost.restore();
    await expectRefused(answer, 504, 'outcome_unknown');
    moveClock(61_000);
    await move(trader, 2);
    const made = await trader.order(ORDER, 'lost');
    expect(made.status).toBe(201);
    const { order } = await json<OrderAnswer>(made);
    expect(ledgerNumberOf(order.id)).toBe(2);
    expect(await json(await trader.order(ORDER, 'lost'))).toEqual({ order });
    expect((await readPage(trader, '/api/v1/orders'))['orders']).toHaveLength(1);
  });
});
