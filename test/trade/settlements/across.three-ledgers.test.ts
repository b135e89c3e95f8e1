import { runDurableObjectAlarm } from 'cloudflare:test';
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { finishMovement } from '../../../src/lane/finish-movement.ts';
import { openLedger } from '../../../src/ledger/ledgers.ts';
import { checkMovements } from '../../../src/ledger/movements/check-movements.ts';
import { refuseMovement } from '../../../src/ledger/movements/refuse-movement.ts';
import { assetSymbols } from '../../../src/money/assets.ts';
import { finishHolds } from '../../../src/trade/settlements/finish-holds.ts';
import { sandboxCustody } from '../../../src/wallet/custody/sandbox.ts';
import { type Trader, asOperator, json } from '../../support/exchange.ts';
import { databaseOf, openTraderIn } from '../../support/ledger/open-in-ledger.ts';
import { SMALL, allOk, reconcileAnew, statusesOf } from '../../support/ledger/reconciliation.ts';
import { agreeP2p, agreeQuick, expectHoldings, readSettled, settle } from '../../support/operator/settlements.ts';
import { CONNECTION_LOST, OVERLOADED, type Moment, aroundBatch, fail } from '../../support/runtime/faults.ts';
import { env } from '../../support/runtime/test-env.ts';
import { expectProblem } from '../../support/withdrawals/withdrawals.ts';

const ledgers = [0, 1, 2] as const;

/** A buyer with 500 USDT in one ledger, and a seller with 2 ETH and 500 USDT in another. */
async function openPair(from: number, to: number): Promise<[buyer: Trader, seller: Trader]> {
  const [buyer, seller] = [await openTraderIn(from), await openTraderIn(to)];
  const body = { asset: 'ETH', amount: '2', reference: 'coins' };
  expect((await asOperator('POST', `/accounts/${seller.accountId}/credits`, body)).ok).toBe(true);
  return [buyer, seller];
}

/** The batches of the steps. */
const batches = { hold: 'hold', delivery: 'settlement', payment: 'holdEnd', refusal: 'refusal' } as const;

type Step = keyof typeof batches;

const aroundStep = (step: Step, moment: Moment, message = CONNECTION_LOST) =>
  aroundBatch(batches[step], moment, 1, fail(message));

async function expectNothingOpen(): Promise<void> {
  for (const asset of assetSymbols) {
    const transit: number[] = [];
    for (const ledger of ledgers) {
      const read = (query: string) => databaseOf(ledger).prepare(query).bind(asset).first<number>('n');
      expect(await read('SELECT sum(amount) AS n FROM balances WHERE asset = ?')).toBe(0);
      transit.push(
        Number(await read("SELECT amount AS n FROM balances WHERE account = 'house:transit' AND asset = ?")),
      );
      expect(await read("SELECT amount AS n FROM balances WHERE account = 'house:payouts' AND asset = ?")).toBe(0);
    }
    expect(transit.reduce((sum, amount) => sum + amount, 0)).toBe(0);
  }
}

/** What the keepers do about movements a minute later. */
async function checkAllMovements(): Promise<void> {
  const finish = finishMovement.bind(undefined, env, sandboxCustody);
  for (const ledger of ledgers) {
    const { findings } = await checkMovements(env, ledger, {}, finish, Date.now() + 60_001);
    expect(findings).toEqual([]);
  }
}

/** What the keepers do a minute later about holds, and then about movements. */
async function runKeepers(): Promise<void> {
  for (const ledger of ledgers) await finishHolds(env, ledger, Date.now() + 60_001);
  await checkAllMovements();
}

const halt = (ledger: number, isHalted: boolean) =>
  databaseOf(ledger)
    .prepare('UPDATE settings SET trading_halted = ?')
    .bind(isHalted ? 1 : 0)
    .run();

const freeze = (trader: Trader, isFrozen = true) =>
  asOperator('PATCH', `/accounts/${trader.accountId}`, { status: isFrozen ? 'frozen' : 'active' });

beforeEach(() => {
  vi.spyOn(console, 'error').mockReturnValue();
});
afterEach(async () => {
  vi.restoreAllMocks();
  for (const ledger of ledgers) await halt(ledger, false);
});

afterAll(async () => {
  for (const ledger of ledgers) {
    expect(statusesOf(await reconcileAnew(undefined, undefined, ledger))).toEqual(allOk);
    expect(statusesOf(await reconcileAnew(SMALL, undefined, ledger))).toEqual(allOk);
  }
});

describe('a trade between accounts of two ledgers', () => {
  it.each([
    [0, 1],
    [1, 0],
    [2, 1],
  ])('moves both amounts, once: buyer in ledger %i, seller in %i', async (from, to) => {
    const [buyer, seller] = await openPair(from, to);
    const agreed = agreeP2p(buyer, seller);
    const settled = await readSettled(await settle(agreed));
    expect(settled).toMatchObject({ ...agreed, status: 'COMPLETED' });
    await expectHoldings(buyer, '400', '0.5');
    await expectHoldings(seller, '600', '1.5');
    expect(await readSettled(await settle(agreed), 200)).toEqual(settled);
    await expectProblem(await settle({ ...agreed, usdtAmount: '101' }), 409, 'invalid_state');
    await expectHoldings(buyer, '400', '0.5');
    await expectNothingOpen();
    await runKeepers();
  });

  it('is shown to both, and their statements add up', async () => {
    const [buyer, seller] = await openPair(1, 2);
    const { id } = await readSettled(await settle(agreeP2p(buyer, seller)));
    for (const [trader, type] of [
      [buyer, 'P2P_BUY'],
      [seller, 'P2P_SELL'],
    ] as const) {
      const feed = await json<{ transactions: unknown[] }>(await trader.get('/api/v1/wallet/transactions'));
      expect(feed.transactions).toContainEqual(expect.objectContaining({ id, type, asset: 'ETH', amount: '0.5' }));
      const answer = await trader.get('/api/v1/account/statement?from=2020-01-01T00:00:00Z');
      const statement = await json<{
        movements: { id: string; type: string; asset: string; amount: string }[];
        closing: { asset: string; amount: string }[];
      }>(answer);
      for (const asset of ['USDT', 'ETH']) {
        const moved = statement.movements.filter((one) => one.asset === asset);
        const sum = moved.reduce((total, { amount }) => total + Number(amount), 0);
        expect(statement.closing.find((one) => one.asset === asset)?.amount).toBe(String(sum));
        expect(moved.some((one) => one.id === id && one.type === type)).toBe(true);
      }
    }
  });

  it('is made once when it is sent several times at once, and one of two ledgers wins a reference', async () => {
    const [buyer, seller] = await openPair(0, 1);
    const agreed = agreeP2p(buyer, seller);
    const answers = await Promise.all([1, 2, 3].map(() => settle(agreed)));
    expect(answers.every(({ status }) => [200, 201].includes(status))).toBe(true);
    await expectHoldings(buyer, '400', '0.5');
    const [other, third] = await openPair(2, 0);
    for (let round = 0; round < 4; round += 1) {
      const reference = `two-ledgers-${round}`;
      const small = { reference, coinAmount: '0.01', usdtAmount: '2' };
      const raced = await Promise.all([settle(agreeP2p(buyer, seller, small)), settle(agreeP2p(other, third, small))]);
      expect(raced.map(({ status }) => status).toSorted((one, two) => one - two)).toEqual([201, 409]);
    }
    await expectNothingOpen();
    await runKeepers();
  });

  it('is refused where the buyer lacks the money or the seller the coin, and the money comes back', async () => {
    const [buyer, seller] = await openPair(2, 0);
    const poor = await settle(agreeP2p(buyer, seller, { usdtAmount: '501' }));
    expect((await expectProblem(poor, 422, 'insufficient_balance')).detail).toContain(
      `buyer, account ${buyer.accountId}`,
    );
    const agreed = agreeP2p(buyer, seller, { coinAmount: '3' });
    const bare = await expectProblem(await settle(agreed), 422, 'insufficient_balance');
    expect(bare.detail).toContain(`seller, account ${seller.accountId}`);
    await expectHoldings(buyer, '500', '0');
    await expectNothingOpen();
    // The same reference may be used again, as after every refusal.
    await readSettled(await settle({ ...agreed, coinAmount: '1' }));
    await expectHoldings(buyer, '400', '1');
    await runKeepers();
    await expectNothingOpen();
  });

  it('is refused for an account that does not exist in either ledger', async () => {
    const [buyer, seller] = await openPair(0, 1);
    const nobody = seller.accountId.replace(/.$/, (digit) => (digit === '0' ? '1' : '0'));
    await expectProblem(await settle({ ...agreeP2p(buyer, seller), sellerAccountId: nobody }), 404, 'not_found');
    const nowhere = `${seller.accountId.slice(0, 15)}fff${seller.accountId.slice(18)}`;
    await expectProblem(await settle({ ...agreeP2p(buyer, seller), sellerAccountId: nowhere }), 404, 'not_found');
    await expectHoldings(buyer, '500', '0');
  });
});

describe('a freeze or a halt', () => {
  it.each([
    [
      'a frozen buyer',
      'account_frozen',
      async ([buyer]: Trader[]) => freeze(buyer!),
      async ([buyer]: Trader[]) => freeze(buyer!, false),
    ],
    [
      'a frozen seller',
      'account_frozen',
      async ([, seller]: Trader[]) => freeze(seller!),
      async ([, seller]: Trader[]) => freeze(seller!, false),
    ],
    ['a halt in the buyer’s ledger', 'trading_halted', async () => halt(1, true), async () => halt(1, false)],
    ['a halt in the seller’s ledger', 'trading_halted', async () => halt(2, true), async () => halt(2, false)],
  ])('before the delivery refuses the trade: %s', async (_, code, stop, lift) => {
    const pair = await openPair(1, 2);
    await stop(pair);
    const answer = await settle(agreeP2p(...pair));
    expect((await json<{ code: string }>(answer)).code).toBe(code);
    await lift(pair);
    await expectHoldings(pair[0], '500', '0');
    await expectHoldings(pair[1], '500', '2');
    await expectNothingOpen();
    await runKeepers();
  });

  it('between hold and delivery refuses the trade, and the money comes back', async () => {
    const [buyer, seller] = await openPair(1, 2);
    const frozen = aroundBatch('settlement', 'before', 1, async () => void (await freeze(seller)));
    await expectProblem(await settle(agreeP2p(buyer, seller)), 403, 'account_frozen');
    frozen.restore();
    await freeze(seller, false);
    await expectHoldings(buyer, '500', '0');
    await expectHoldings(seller, '500', '2');
    await expectNothingOpen();
    await runKeepers();
  });

  it('after the delivery stops no credit', async () => {
    const [buyer, seller] = await openPair(1, 2);
    const fault = aroundStep('payment', 'before');
    await expectProblem(await settle(agreeP2p(buyer, seller)), 504, 'outcome_unknown');
    fault.restore();
    await freeze(buyer);
    await freeze(seller);
    for (const ledger of ledgers) await halt(ledger, true);
    await runKeepers();
    await freeze(buyer, false);
    await freeze(seller, false);
    await expectHoldings(buyer, '400', '0.5');
    await expectHoldings(seller, '600', '1.5');
    await expectNothingOpen();
  });
});

describe('a lost connection', () => {
  const cases: [Step, Moment][] = [
    ['hold', 'after'],
    ['delivery', 'before'],
    ['delivery', 'after'],
    ['payment', 'before'],
    ['payment', 'after'],
  ];

  it.each(cases)('at the %s, %s it: the keepers finish the trade', async (step, moment) => {
    const [buyer, seller] = await openPair(2, 1);
    const fault = aroundStep(step, moment);
    await settle(agreeP2p(buyer, seller));
    fault.restore();
    expect(fault.state.injected).toBe(1);
    await runKeepers();
    await expectHoldings(buyer, '400', '0.5');
    await expectHoldings(seller, '600', '1.5');
    await expectNothingOpen();
  });

  it.each(cases)('at the %s, %s it: the same request finishes the trade', async (step, moment) => {
    const [buyer, seller] = await openPair(0, 2);
    const agreed = agreeP2p(buyer, seller);
    const fault = aroundStep(step, moment);
    await settle(agreed);
    fault.restore();
    expect([200, 201]).toContain((await settle(agreed)).status);
    await expectHoldings(buyer, '400', '0.5');
    await expectNothingOpen();
  });

  it('before the hold leaves nothing', async () => {
    const [buyer, seller] = await openPair(0, 2);
    const fault = aroundStep('hold', 'before', OVERLOADED);
    await expectProblem(await settle(agreeP2p(buyer, seller)), 503, 'service_unavailable');
    fault.restore();
    await expectHoldings(buyer, '500', '0');
    await expectNothingOpen();
  });

  it.each([
    ['refusal', 'before'],
    ['refusal', 'after'],
    ['payment', 'before'],
    ['payment', 'after'],
  ] as [Step, Moment][])(
    'while it is refused, at the %s, %s it: the keepers return the money',
    async (step, moment) => {
      const [buyer, seller] = await openPair(0, 1);
      const fault = aroundStep(step, moment);
      await settle(agreeP2p(buyer, seller, { coinAmount: '3' }));
      fault.restore();
      expect(fault.state.injected).toBe(1);
      await runKeepers();
      await expectHoldings(buyer, '500', '0');
      await expectHoldings(seller, '500', '2');
      await expectNothingOpen();
    },
  );

  it('leaves no delivery that arrives after the refusal', async () => {
    const [buyer, seller] = await openPair(0, 1);
    const fault = aroundStep('delivery', 'before');
    await settle(agreeP2p(buyer, seller));
    fault.restore();
    const query = 'SELECT usdt_movement FROM settlement_holds WHERE account_id = ?';
    const movement = await databaseOf(0).prepare(query).bind(buyer.accountId).first<string>('usdt_movement');
    expect(await refuseMovement(openLedger(env, 1), movement!)).toBe('refused');
    await runKeepers();
    await expectHoldings(buyer, '500', '0');
    await expectHoldings(seller, '500', '2');
    await expectNothingOpen();
  });

  it('between delivery and payment is made good by the keeper of the seller’s ledger, too', async () => {
    const [buyer, seller] = await openPair(1, 2);
    const fault = aroundStep('payment', 'before');
    await settle(agreeP2p(buyer, seller));
    fault.restore();
    await checkAllMovements();
    await expectHoldings(buyer, '400', '0.5');
    await expectNothingOpen();
  });

  it('is made good by the keeper’s own alarm', async () => {
    const [buyer, seller] = await openPair(1, 2);
    const fault = aroundStep('delivery', 'before');
    await settle(agreeP2p(buyer, seller));
    fault.restore();
    vi.useFakeTimers({ now: Date.now() + 60_000, toFake: ['Date'] });
    const keeper = env.LEDGER_KEEPER.getByName('1');
    await keeper.wake();
    await runDurableObjectAlarm(keeper);
    vi.useRealTimers();
    await expectHoldings(buyer, '400', '0.5');
    await expectNothingOpen();
  });

  it('keeps the reference for the trade that holds it', async () => {
    const [buyer, seller] = await openPair(0, 1);
    const agreed = agreeP2p(buyer, seller);
    const fault = aroundStep('delivery', 'after');
    await expectProblem(await settle(agreed), 504, 'outcome_unknown');
    fault.restore();
    const { reference } = agreed;
    for (const other of [
      agreeQuick(buyer, 'BUY', { reference }),
      agreeP2p(buyer, seller, { reference, coin: 'BTC' }),
    ]) {
      await expectProblem(await settle(other), 409, 'invalid_state');
    }
    await runKeepers();
    await expectHoldings(buyer, '400', '0.5');
    await expectNothingOpen();
  });

  it('after the delivery that lasts a day returns nothing: the trade is paid', async () => {
    const [buyer, seller] = await openPair(1, 0);
    const fault = aroundStep('payment', 'before');
    await settle(agreeP2p(buyer, seller));
    fault.restore();
    await finishHolds(env, 1, Date.now() + 86_400_000);
    await expectHoldings(buyer, '400', '0.5');
    await expectNothingOpen();
  });

  it('that lasts a day gives the money back', async () => {
    const [buyer, seller] = await openPair(1, 0);
    const fault = aroundStep('delivery', 'before');
    await settle(agreeP2p(buyer, seller));
    fault.restore();
    await finishHolds(env, 1, Date.now() + 86_400_000);
    await expectHoldings(buyer, '500', '0');
    await expectHoldings(seller, '500', '2');
    await expectNothingOpen();
  });
});
