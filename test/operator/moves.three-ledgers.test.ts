import { runInDurableObject } from 'cloudflare:test';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { finishMoves } from '../../src/accounts/moves/finish-move.ts';
import { wakeBehind } from '../../src/events/webhooks/reach-sender.ts';
import { KeyLane } from '../../src/lane/key-lane.ts';
import { openLedger } from '../../src/ledger/ledgers.ts';
import { ledgerNumberOf } from '../../src/ledger/record-id.ts';
import { readAddresses } from '../support/addresses/addresses.ts';
import { readFeed, recordOf } from '../support/events/feed.ts';
import { Receiver, createManager, runAlarm, subscribe } from '../support/events/receiver.ts';
import {
  type OrderAnswer,
  type ProblemBody,
  type Trader,
  asOperator,
  createKey,
  json,
  send,
} from '../support/exchange.ts';
import { accepted, signIn, switchTotpOn } from '../support/holder/holders.ts';
import { databaseOf, openTraderIn } from '../support/ledger/open-in-ledger.ts';
import { SMALL, WHOLE, drawHash } from '../support/ledger/reconciliation.ts';
import {
  askMove,
  expectNothingLost,
  expectReconciled,
  move,
  readHeldIn,
  setStatus,
} from '../support/operator/moves.ts';
import { agreeP2p, agreeQuick, readSettled, settle } from '../support/operator/settlements.ts';
import { CONNECTION_LOST, type Batch, type Moment, aroundBatch, fail } from '../support/runtime/faults.ts';
import { countTripsByDatabase, holdWakingsThroughout } from '../support/runtime/meter.ts';
import { env, holderEntrypoint } from '../support/runtime/test-env.ts';
import {
  moveClock,
  readTaken,
  resetSettings,
  setSettings,
  stopClock,
  withdraw,
} from '../support/withdrawals/withdrawals.ts';

const ORDER = { coin: 'BTC', side: 'BUY', mode: 'USDT_AMOUNT', value: '10' };
const TWO_DAYS_MS = 48 * 3_600_000;

const ledgers = [0, 1, 2] as const;

type Row = Readonly<Record<string, unknown>> & { readonly id: string };
type Page = Readonly<Record<string, readonly Row[]>> & { readonly nextCursor: string | null };

holdWakingsThroughout();

beforeEach(() => {
  stopClock();
  vi.spyOn(console, 'error').mockReturnValue();
});
afterEach(async () => {
  await resetSettings();
  vi.useRealTimers();
  vi.restoreAllMocks();
});

async function expectRefused(answer: Response, status: number, code: string, detail = ''): Promise<void> {
  const problem = await json<ProblemBody>(answer);
  expect([answer.status, problem.code]).toEqual([status, code]);
  expect(problem.detail).toContain(detail);
}

async function readPage(trader: Trader, path: string): Promise<Page> {
  const answer = await trader.get(path);
  if (answer.status !== 200) throw new Error(await answer.text());
  return json<Page>(answer);
}

const drawDeposit = (address: string) => {
  return { network: 'ETH', asset: 'ETH', amount: '0.5', address, txHash: drawHash(), confirmations: 99 };
};

function report(address: string, change: Record<string, unknown> = {}): Promise<Response> {
  return asOperator('POST', '/deposits', { ...drawDeposit(address), ...change });
}

async function credit({ accountId }: Trader, asset = 'USDT', amount = '5'): Promise<void> {
  const body = { asset, amount, reference: crypto.randomUUID() };
  expect((await asOperator('POST', `/accounts/${accountId}/credits`, body)).status).toBe(201);
}

/** An account with an order, a deposit and a withdrawal that is long over. */
async function openBusy(ledger: number): Promise<Trader> {
  const trader = await openTraderIn(ledger);
  await trader.trade(ORDER);
  await readTaken(await withdraw(trader));
  moveClock(TWO_DAYS_MS + 1);
  return trader;
}

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

  it.each(ledgers)(
    'is paid at its new ledger: by deposits to its addresses, and by an account of ledger %i',
    async (ledger) => {
      const trader = await openTraderIn(0);
      const sender = await openTraderIn(ledger);
      const addresses = await readAddresses(trader);
      await move(trader, 1);
      expect(await readAddresses(trader)).toEqual(addresses);
      expect((await report(addresses['ETH'] ?? '')).status).toBe(201);
      const { status } = await readTaken(await withdraw(sender, { address: addresses['TRC20'], amount: '100' }));
      expect(status).toBe('COMPLETED');
      expect(await trader.balances()).toMatchObject({ USDT: '600', ETH: '0.5' });
      expect(await readHeldIn(0, trader.accountId)).toEqual({});
      await expectNothingLost();
      await expectReconciled();
    },
  );

  it('pays accounts of every ledger, and its own address is still its own', async () => {
    const trader = await openTraderIn(0);
    const own = (await readAddresses(trader))['TRC20'];
    await move(trader, 1);
    for (const ledger of ledgers) {
      const recipient = await openTraderIn(ledger);
      const address = (await readAddresses(recipient))['TRC20'];
      expect((await readTaken(await withdraw(trader, { address, amount: '10' }))).status).toBe('COMPLETED');
      expect(await recipient.balances()).toMatchObject({ USDT: '510' });
    }
    await expectRefused(await withdraw(trader, { address: own }), 422, 'invalid_address');
    await expectNothingLost();
    await expectReconciled();
  });

  it('settles trades as buyer and as seller, with accounts of every ledger and with the house', async () => {
    const trader = await openTraderIn(0);
    await credit(trader, 'ETH', '5');
    const settled = agreeQuick(trader, 'SELL');
    await readSettled(await settle(settled));
    await move(trader, 1);
    await readSettled(await settle(settled), 200);
    for (const ledger of ledgers) {
      const other = await openTraderIn(ledger);
      await credit(other, 'ETH', '5');
      await readSettled(await settle(agreeP2p(trader, other)));
      await readSettled(await settle(agreeP2p(other, trader)));
    }
    await readSettled(await settle(agreeQuick(trader, 'BUY')));
    expect(await trader.balances()).toMatchObject({ USDT: '500', ETH: '5' });
    expect(await readHeldIn(0, trader.accountId)).toEqual({});
    await expectNothingLost();
    await expectReconciled();
  });

  it('keeps its keys, sessions, second factor and approved addresses, which can be changed', async () => {
    const trader = await openTraderIn(0);
    const spare = await createKey(trader.accountId);
    const session = await signIn(trader.accountId);
    const entry = { network: 'TRC20', address: 'TJRyWwFs9wTFGZg3JbrVriFbNfCug5tDeC', label: 'cold' };
    const { id } = await accepted(holderEntrypoint.approveAddress(session.token, entry));
    await switchTotpOn(session.token);
    await move(trader, 2);
    await expectRefused(await withdraw(trader), 403, 'totp_required');
    expect((await accepted(holderEntrypoint.listKeys(session.token))).map((key) => key.id).toSorted()).toEqual(
      [trader.keyId, spare.keyId].toSorted(),
    );
    expect(await session.api.balances()).toMatchObject({ USDT: '500' });
    expect((await accepted(holderEntrypoint.listAddresses(session.token))).map((one) => one.id)).toEqual([id]);
    await accepted(holderEntrypoint.removeAddress(session.token, id));
    await accepted(holderEntrypoint.revokeKey(session.token, spare.keyId));
    expect((await spare.get('/api/v1/wallet/balances')).status).toBe(401);
    expect((await trader.get('/api/v1/wallet/balances')).status).toBe(200);
    const { apiKey, token } = await accepted(
      holderEntrypoint.makeKey(session.token, { label: 'new', scopes: ['read', 'trade'] }),
    );
    expect([ledgerNumberOf(apiKey.id), token.length > 0]).toEqual([2, true]);
    const later = await signIn(trader.accountId);
    expect(await later.api.balances()).toMatchObject({ USDT: '500' });
    const log = await accepted(holderEntrypoint.listSecurityLog(later.token, null));
    expect(log.map(({ action }) => action)).toEqual(
      expect.arrayContaining(['approve_address', 'revoke_api_key', 'open_session']),
    );
    const noted = log.map(({ id: number }) => Number(number));
    expect(noted).toEqual(noted.toSorted((one, other) => other - one));
  });

  it('is frozen, unfrozen and limited where it is', async () => {
    const trader = await openTraderIn(1);
    await move(trader, 0);
    await setStatus(trader, 'frozen');
    await expectRefused(await trader.order(ORDER), 403, 'account_frozen');
    await setStatus(trader, 'active');
    await trader.trade(ORDER);
    const path = `/accounts/${trader.accountId}`;
    expect((await asOperator('PATCH', path, { dailyWithdrawalLimit: '10' })).status).toBe(200);
    await expectRefused(await withdraw(trader), 422, 'daily_limit_exceeded');
    expect((await asOperator('DELETE', `${path}/api-keys/${trader.keyId}`)).status).toBe(200);
    expect((await trader.order(ORDER)).status).toBe(401);
  });

  it('is listed and found once', async () => {
    const label = `moved ${crypto.randomUUID()}`;
    const opened = await asOperator('POST', '/accounts', { label, externalId: label });
    const accountId = (await json<{ account: Row }>(opened)).account.id;
    const trader = await createKey(accountId);
    const address = (await readAddresses(trader))['TRC20'] ?? '';
    await move(trader, ledgerNumberOf(accountId) === 1 ? 2 : 1);
    const find = async (query: string) => {
      const answer = await asOperator('GET', `/accounts?${new URLSearchParams({ query }).toString()}`);
      return (await json<{ accounts: Row[] }>(answer)).accounts.map(({ id }) => id);
    };
    for (const query of [label.slice(0, 30), label, accountId, trader.keyId, address]) {
      expect(await find(query), query).toEqual([accountId]);
    }
    for (const query of [address, accountId, trader.keyId]) {
      const { results } = await json<{ results: Row[] }>(await asOperator('GET', `/search?q=${query}`));
      expect(results, query).toHaveLength(1);
    }
  });

  it('has its webhooks sent what happens after the move, and nothing twice', async () => {
    const trader = await openTraderIn(0);
    const manager = await createManager(trader.accountId);
    const receiver = new Receiver();
    const endpoint = await subscribe(manager, receiver);
    const { id: before } = await trader.trade(ORDER);
    await setStatus(trader, 'frozen');
    await expectRefused(await askMove(trader, 1), 409, 'invalid_state', 'events to send');
    await wakeAll();
    await runAlarm(endpoint);
    expect((await askMove(trader, 1)).status).toBe(200);
    await setStatus(trader, 'active');
    const { id: after } = await trader.trade(ORDER);
    await wakeAll();
    await runAlarm(endpoint);
    const orders = receiver.received.flatMap(({ event }) =>
      event.type === 'order.filled' ? [recordOf(event as never)['id']] : [],
    );
    expect(orders).toEqual([before, after]);
    expect(receiver.types).toEqual(['order.filled', 'account.frozen', 'account.thawed', 'order.filled']);
  });
});

/** Has every ledger look for endpoints that are behind, as its keeper does. */
async function wakeAll(): Promise<void> {
  for (const ledger of ledgers) await wakeBehind(env, openLedger(env, ledger), Date.now());
}

/** Lets the holder of an account of ledger 0 recover it, as two people do. */
async function allowRecovery({ accountId }: Trader): Promise<void> {
  const [database, id, now_ms] = [databaseOf(0), crypto.randomUUID(), Date.now()];
  await database.batch([
    database
      .prepare(
        `INSERT INTO proposals (id, method, path, body, digest, duty, proposed_by, proposed_at, expires_at, status)
         VALUES (?1, 'POST', '/', '', ?1, 'recover_accounts', 'ada', ?2, ?2 + 86400000, 'OPEN')`,
      )
      .bind(id, now_ms),
    database
      .prepare(
        `INSERT INTO audit (id, ts, role, actor, action, target, detail, proposal, request)
         SELECT coalesce(max(id), 0) + 1, ?1, 'admin', 'bob', 'allow_recovery', ?2, '{}', ?3, ?3 FROM audit`,
      )
      .bind(now_ms, accountId, id),
    database.prepare('INSERT INTO allowed_recoveries VALUES (?, ?)').bind(accountId, now_ms + 3 * 86_400_000),
  ]);
}

describe('a move is refused', () => {
  const expectStays = async (trader: Trader, detail: string) => {
    await expectRefused(await askMove(trader, 1), 409, 'invalid_state', detail);
    const row = await databaseOf(0)
      .prepare('SELECT moved_to FROM accounts WHERE id = ?')
      .bind(trader.accountId)
      .first();
    expect(row).toEqual({ moved_to: null });
  };

  it('to a ledger that does not exist, and of an account that does not', async () => {
    const trader = await openTraderIn(0);
    await setStatus(trader, 'frozen');
    await expectRefused(await askMove(trader, 3), 400, 'invalid_request');
    await expectRefused(await askMove(trader, 0), 409, 'invalid_state', 'in this ledger');
    await expectRefused(await askMove({ accountId: trader.keyId }, 1), 404, 'not_found');
  });

  it('while the account is not frozen', async () => {
    await expectStays(await openTraderIn(0), 'Freeze');
  });

  it('for 48 hours after a withdrawal', async () => {
    const trader = await openTraderIn(0);
    await readTaken(await withdraw(trader));
    await setStatus(trader, 'frozen');
    moveClock(TWO_DAYS_MS - 1);
    await expectStays(trader, '48 hours');
    moveClock(1);
    expect((await askMove(trader, 1)).status).toBe(200);
  });

  it('while a withdrawal waits for its review, from it or to it', async () => {
    await setSettings({ reviewThreshold: '10' });
    const [sender, recipient] = [await openTraderIn(0), await openTraderIn(0)];
    const address = (await readAddresses(recipient))['TRC20'];
    expect((await readTaken(await withdraw(sender, { address }))).status).toBe('PENDING');
    moveClock(TWO_DAYS_MS + 1);
    for (const trader of [sender, recipient]) {
      await setStatus(trader, 'frozen');
      await expectStays(trader, 'A withdrawal from it or to it is open');
    }
  });

  it('while a deposit is not confirmed', async () => {
    const trader = await openTraderIn(0);
    expect((await report((await readAddresses(trader))['ETH'] ?? '', { confirmations: 0 })).status).toBe(201);
    await setStatus(trader, 'frozen');
    await expectStays(trader, 'deposit');
  });

  it('while a trade with an account of another ledger is held', async () => {
    const [trader, seller] = [await openTraderIn(0), await openTraderIn(1)];
    await credit(seller, 'ETH');
    const lost = aroundBatch('settlement', 'before', 1, fail(CONNECTION_LOST));
    const agreed = agreeP2p(trader, seller);
    expect((await settle(agreed)).status).toBe(504);
    lost.restore();
    await setStatus(trader, 'frozen');
    await expectStays(trader, 'trade');
  });

  it('while a recovery of it is allowed, or a proposal about it is open', async () => {
    const trader = await openTraderIn(0);
    await setStatus(trader, 'frozen');
    const propose = databaseOf(0)
      .prepare(
        `INSERT INTO proposals (id, method, path, body, digest, duty, proposed_by, proposed_at, expires_at, status)
         VALUES (?1, 'POST', ?2, '', ?1, 'credit', 'ada', ?3, ?3 + 86400000, 'OPEN')`,
      )
      .bind(crypto.randomUUID(), `/operator/v1/accounts/${trader.accountId}/credits`, Date.now());
    await propose.run();
    await expectStays(trader, 'proposal');
    moveClock(86_400_001);
    await allowRecovery(trader);
    await expectStays(trader, 'recover');
    moveClock(3 * 86_400_000);
    expect((await askMove(trader, 1)).status).toBe(200);
  });

  it('when something of the account changes after it was looked at', async () => {
    const trader = await openTraderIn(0);
    await setStatus(trader, 'frozen');
    const meanwhile = aroundBatch('leave', 'before', 1, async () => {
      meanwhile.restore();
      await setStatus(trader, 'active');
      await setStatus(trader, 'frozen');
    });
    await expectStays(trader, 'at the same moment');
    expect((await askMove(trader, 1)).status).toBe(200);
  });

  it('when the lane of a key was not reached', async () => {
    const trader = await openTraderIn(0);
    await trader.balances();
    await setStatus(trader, 'frozen');
    const unreachable = vi.spyOn(KeyLane.prototype, 'reloadRecord').mockRejectedValue(new Error('no'));
    await expectRefused(await askMove(trader, 1), 503, 'service_unavailable');
    unreachable.mockRestore();
    expect(await readHeldIn(0, trader.accountId)).toEqual({ USDT: 500_000_000 });
  });
});

describe('a move that is cut off', () => {
  const steps: readonly [Batch, Moment][] = (['leave', 'account', 'home', 'arrived'] as const).flatMap((step) =>
    (['before', 'after'] as const).map((moment) => [step, moment] as [Batch, Moment]),
  );
  const cut = async (trader: Trader, step: Batch, moment: Moment): Promise<void> => {
    const fault = aroundBatch(step, moment, 1, fail(CONNECTION_LOST));
    const answer = await askMove(trader, 2);
    fault.restore();
    expect(fault.state.injected).toBe(1);
    // The answer may say that all is well where the loss was noticed and looked into.
    expect([200, 503]).toContain(answer.status);
  };
  const hasLeft = async ({ accountId }: Trader) =>
    (await databaseOf(1).prepare('SELECT moved_to FROM accounts WHERE id = ?').bind(accountId).first('moved_to')) !==
    null;

  it.each(steps)('at the step %s, %s it was made, is finished by the same request', async (step, moment) => {
    const trader = await openBusy(1);
    const balances = await trader.balances();
    await setStatus(trader, 'frozen');
    await cut(trader, step, moment);
    expect((await askMove(trader, 2)).status).toBe(200);
    await setStatus(trader, 'active');
    expect(await trader.balances()).toEqual(balances);
    expect(await readHeldIn(1, trader.accountId)).toEqual({});
    await trader.trade(ORDER);
    await expectNothingLost();
  });

  it.each(steps)('at the step %s, %s it was made, is finished by the keeper', async (step, moment) => {
    const trader = await openBusy(1);
    const balances = await trader.balances();
    await setStatus(trader, 'frozen');
    await cut(trader, step, moment);
    for (const ledger of ledgers) await finishMoves(env, ledger, Date.now());
    if (!(await hasLeft(trader))) {
      expect([step, moment]).toEqual(['leave', 'before']);
      expect((await askMove(trader, 2)).status).toBe(200);
    }
    await setStatus(trader, 'active');
    expect(await trader.balances()).toEqual(balances);
    expect(await readHeldIn(1, trader.accountId)).toEqual({});
    await trader.trade(ORDER);
    await expectNothingLost();
  });

  it('shows no balance and takes nothing while the account is on its way, and every client may try again', async () => {
    const trader = await openTraderIn(1);
    const session = await signIn(trader.accountId);
    const [addresses, sender] = [await readAddresses(trader), await openTraderIn(1)];
    await trader.balances();
    await setStatus(trader, 'frozen');
    await cut(trader, 'account', 'before');
    const path = `/accounts/${trader.accountId}`;
    const since = encodeURIComponent(new Date(Date.now() - 1_000).toISOString());
    const deposit = drawDeposit(addresses['ETH'] ?? '');
    const asked = [
      trader.get('/api/v1/wallet/balances'),
      trader.get('/api/v1/wallet/transactions'),
      trader.get(`/api/v1/account/statement?from=${since}`),
      trader.order(ORDER, 'k'),
      withdraw(trader),
      asOperator('GET', path),
      asOperator('PATCH', path, { status: 'active' }),
      asOperator('POST', `${path}/credits`, { asset: 'USDT', amount: '1', reference: 'r' }),
      settle(agreeQuick(trader, 'BUY')),
      asOperator('POST', '/deposits', deposit),
      withdraw(sender, { address: addresses['TRC20'] }),
    ];
    for (const answer of await Promise.all(asked)) await expectRefused(answer, 503, 'service_unavailable');
    const described = await holderEntrypoint.describe(session.token);
    expect(described.ok ? 'shown' : described.code).toBe('service_unavailable');
    await runInDurableObject(env.LEDGER_KEEPER.getByName('1'), async (keeper) => {
      await keeper.wake();
      await keeper.alarm();
    });
    await setStatus(trader, 'active');
    expect((await asOperator('POST', '/deposits', deposit)).status).toBe(201);
    expect((await asOperator('POST', '/deposits', deposit)).status).toBe(200);
    expect(await trader.balances()).toMatchObject({ USDT: '500', ETH: '0.5' });
    expect((await trader.order(ORDER, 'k')).status).toBe(201);
    await expectNothingLost();
  });

  it('shows no zeros to a read that began before the account left', async () => {
    const trader = await openTraderIn(1);
    await trader.balances();
    await setStatus(trader, 'frozen');
    await trader.balances();
    const { admit } = KeyLane.prototype;
    const late = vi.spyOn(KeyLane.prototype, 'admit').mockImplementationOnce(async function wait(this: never, call) {
      const reply = await admit.call(this, call);
      expect((await askMove(trader, 2)).status).toBe(200);
      return reply;
    });
    await expectRefused(await trader.get('/api/v1/wallet/balances'), 503, 'service_unavailable');
    late.mockRestore();
    expect(await trader.balances()).toMatchObject({ USDT: '500' });
  });
});

describe('a move under load', () => {
  it('loses nothing: other accounts go on, and its own clients retry until its new ledger answers', async () => {
    vi.useRealTimers();
    const trader = await openTraderIn(1);
    const others = [await openTraderIn(1), await openTraderIn(2)];
    const load = { isOver: false };
    const made: string[] = [];
    // What a busy machine may answer as well, and a client repeats.
    const passing = ['service_unavailable', 'price_unavailable', 'outcome_unknown'];
    const client = async (name: string) => {
      for (let round = 0; !load.isOver; round += 1) {
        await scheduler.wait(5);
        for (;;) {
          const answer = await trader.order({ ...ORDER, value: '1' }, `${name}-${round}`);
          if (answer.status === 201) {
            made.push((await json<OrderAnswer>(answer)).order.id);
            break;
          }
          const { code } = await json<ProblemBody>(answer);
          expect(['account_frozen', ...passing]).toContain(code);
          await scheduler.wait(5);
        }
      }
    };
    const neighbour = async (other: Trader) => {
      let count = 0;
      while (!load.isOver) {
        const answer = await other.order({ ...ORDER, value: '1' });
        if (answer.status === 201) count += 1;
        else expect(passing).toContain((await json<ProblemBody>(answer)).code);
        await scheduler.wait(5);
      }
      return count;
    };
    const running = Promise.all([client('a'), client('b')]);
    const beside = Promise.all(others.map(neighbour));
    while (made.length < 4) await scheduler.wait(1);
    await move(trader, 2);
    const before = made.length;
    while (made.length < before + 6) await scheduler.wait(1);
    load.isOver = true;
    await running;
    for (const count of await beside) expect(count).toBeGreaterThan(0);
    const orders: Row[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const page: Page = await readPage(trader, `/api/v1/orders?limit=50${cursor === '' ? '' : `&cursor=${cursor}`}`);
      orders.push(...(page['orders'] ?? []));
      cursor = page.nextCursor;
    }
    expect(orders.map(({ id }) => id).toSorted()).toEqual(made.toSorted());
    expect(new Set(orders.map(({ id }) => ledgerNumberOf(id)))).toEqual(new Set([1, 2]));
    const paid = orders.reduce((sum, { usdtAmount }) => sum + Math.round(Number(usdtAmount) * 1e6), 0);
    expect((await readHeldIn(2, trader.accountId))['USDT']).toBe(500_000_000 - paid);
    await expectNothingLost();
    await expectReconciled();
  });
});
