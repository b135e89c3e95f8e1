import { runInDurableObject } from 'cloudflare:test';
import { describe, expect, it, vi } from 'vitest';
import { finishMoves } from '../../src/accounts/moves/finish-move.ts';
import { KeyLane } from '../../src/lane/key-lane.ts';
import { ledgerNumberOf } from '../../src/ledger/record-id.ts';
import { readAddresses } from '../support/addresses/addresses.ts';
import { type OrderAnswer, type ProblemBody, type Trader, asOperator, json } from '../support/exchange.ts';
import { signIn } from '../support/holder/holders.ts';
import { databaseOf, ledgersUnderTest, openTraderIn } from '../support/ledger/open-in-ledger.ts';
import {
  ORDER,
  expectRefused,
  readPage,
  drawDeposit,
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
import { agreeQuick, settle } from '../support/operator/settlements.ts';
import { CONNECTION_LOST, type Batch, type Moment, aroundBatch, fail } from '../support/runtime/faults.ts';
import { env, holderEntrypoint } from '../support/runtime/test-env.ts';
import { withdraw } from '../support/withdrawals/withdrawals.ts';

beginMoves();

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
    for (const ledger of ledgersUnderTest) await finishMoves(env, ledger, Date.now());
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
