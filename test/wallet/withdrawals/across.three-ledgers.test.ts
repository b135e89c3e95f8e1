import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { finishMovement } from '../../../src/lane/finish-movement.ts';
import { openLedger } from '../../../src/ledger/ledgers.ts';
import { checkMovements } from '../../../src/ledger/movements/check-movements.ts';
import { refuseMovement } from '../../../src/ledger/movements/refuse-movement.ts';
import { assetSymbols } from '../../../src/money/assets.ts';
import { sandboxCustody } from '../../../src/wallet/custody/sandbox.ts';
import { sweepWithdrawals } from '../../../src/wallet/withdrawals/sweep-withdrawals.ts';
import { readAddresses } from '../../support/addresses/addresses.ts';
import { readFeed as readFeedPage, recordOf } from '../../support/events/feed.ts';
import { type Trader, asOperator } from '../../support/exchange.ts';
import { databaseOf, openTraderIn } from '../../support/ledger/open-in-ledger.ts';
import { CONNECTION_LOST, OVERLOADED, type Moment, aroundBatch } from '../../support/runtime/faults.ts';
import { env } from '../../support/runtime/test-env.ts';
import {
  expectProblem,
  moveClock,
  readFeed,
  readOwn,
  readTaken,
  resetSettings,
  setSettings,
  stopClock,
  withdraw,
} from '../../support/withdrawals/withdrawals.ts';

const ledgers = [0, 1, 2] as const;

interface Pair {
  readonly sender: Trader;
  readonly recipient: Trader;
  readonly address: string;
}

/** An account with 500 USDT in one ledger, and another in another one. */
async function openPair(from: number, to: number): Promise<Pair> {
  const [sender, recipient] = [await openTraderIn(from), await openTraderIn(to)];
  return { sender, recipient, address: (await readAddresses(recipient))['TRC20'] ?? '' };
}

const readEvents = async (trader: Trader) => (await readFeedPage(trader, { after: 0 })).events;

const usdtOf = async (trader: Trader) => (await trader.balances())['USDT'];
const holdingsOf = ({ sender, recipient }: Pair) => Promise.all([usdtOf(sender), usdtOf(recipient)]);

async function readSum(query: string, ...values: string[]): Promise<number> {
  const sums = ledgers.map((ledger) =>
    databaseOf(ledger)
      .prepare(query)
      .bind(...values)
      .first<number>('n'),
  );
  return (await Promise.all(sums)).reduce<number>((sum, n) => sum + Number(n), 0);
}

/** All balances of each ledger sum to zero, and over all ledgers nothing is in transit or waits to be paid. */
async function expectNothingOpen(): Promise<void> {
  for (const asset of assetSymbols) {
    for (const ledger of ledgers) {
      const all = databaseOf(ledger).prepare('SELECT sum(amount) AS n FROM balances WHERE asset = ?').bind(asset);
      expect(await all.first('n')).toBe(0);
    }
    const query = 'SELECT sum(amount) AS n FROM balances WHERE account = ? AND asset = ?';
    for (const house of ['house:transit', 'house:payouts']) expect(await readSum(query, house, asset)).toBe(0);
  }
}

const sweep = (ledger: number) =>
  sweepWithdrawals({
    database: openLedger(env, ledger),
    ledgers: env,
    custody: sandboxCustody,
    now: () => Date.now(),
  });

/** What the keeper of a ledger does about its movements. */
const checkAll = async () => {
  const finish = finishMovement.bind(undefined, env, sandboxCustody);
  const checked = ledgers.map((ledger) => checkMovements(env, ledger, {}, finish, Date.now() + 60_001));
  return (await Promise.all(checked)).flatMap(({ findings }) => findings);
};

const halt = (ledger: number, isHalted: boolean) =>
  databaseOf(ledger)
    .prepare('UPDATE settings SET withdrawals_halted = ?')
    .bind(isHalted ? 1 : 0)
    .run();

function fail(message: string): () => void {
  return () => {
    throw new Error(message);
  };
}

beforeEach(() => {
  stopClock();
  vi.spyOn(console, 'error').mockReturnValue();
});
afterEach(async () => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  for (const ledger of ledgers) await halt(ledger, false);
  await resetSettings();
});

describe('a withdrawal to the address of an account in another ledger', () => {
  it.each([
    [0, 1],
    [1, 0],
    [2, 1],
  ])('is paid there at once, without fee, hash or custodian: from %i to %i', async (from, to) => {
    const pair = await openPair(from, to);
    const asked = [vi.spyOn(sandboxCustody, 'submit'), vi.spyOn(sandboxCustody, 'lookup')];
    const withdrawal = await readTaken(await withdraw(pair.sender, { address: pair.address, amount: '100' }));
    expect(withdrawal).toMatchObject({ status: 'COMPLETED', txHash: null, fee: '0', amount: '100' });
    expect(await readOwn(pair.sender, withdrawal.id)).toEqual(withdrawal);
    expect(await holdingsOf(pair)).toEqual(['400', '600']);
    for (const question of asked) expect(question).not.toHaveBeenCalled();
    await expectNothingOpen();
    expect(await checkAll()).toEqual([]);
  });

  it('shows as INTERNAL_WITHDRAWAL to the sender, and as INTERNAL_DEPOSIT to the recipient', async () => {
    const pair = await openPair(1, 2);
    const { id } = await readTaken(await withdraw(pair.sender, { address: pair.address, amount: '12.5' }));
    const common = { asset: 'USDT', amount: '12.5', usdValue: '12.5', status: 'COMPLETED' };
    const sent = { ...common, id, category: 'WITHDRAWAL', type: 'INTERNAL_WITHDRAWAL' };
    const received = { ...common, category: 'DEPOSIT', type: 'INTERNAL_DEPOSIT' };
    expect(await readFeed(pair.sender)).toContainEqual(expect.objectContaining(sent));
    expect(await readFeed(pair.recipient)).toContainEqual(expect.objectContaining(received));
    for (const type of ['INTERNAL_WITHDRAWAL', 'ONCHAIN_WITHDRAWAL']) {
      const listed = await (await pair.sender.get(`/api/v1/wallet/transactions?type=${type}`)).text();
      expect(listed.includes(id)).toBe(type === 'INTERNAL_WITHDRAWAL');
    }
  });

  it('begins the feed of events of both accounts, where each first listens after it', async () => {
    const pair = await openPair(1, 2);
    const { id } = await readTaken(await withdraw(pair.sender, { address: pair.address, amount: '12.5' }));
    const [sent, received] = [await readEvents(pair.sender), await readEvents(pair.recipient)];
    expect(sent.map(({ sequence, type }) => [sequence, type])).toEqual([
      [1, 'deposit.completed'],
      [2, 'withdrawal.completed'],
    ]);
    expect(recordOf(sent[1])['id']).toBe(id);
    expect(received.map(({ sequence, type }) => [sequence, type])).toEqual([
      [1, 'deposit.completed'],
      [2, 'deposit.completed'],
    ]);
    expect(recordOf(received[1])['amount']).toBe('12.5');
  });

  it('is paid once for one Idempotency-Key, however often it is sent at once', async () => {
    const pair = await openPair(0, 2);
    const body = { address: pair.address, amount: '100' };
    const answers = await Promise.all(Array.from({ length: 5 }, () => withdraw(pair.sender, body, 'once')));
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201, 201]);
    expect(await holdingsOf(pair)).toEqual(['400', '600']);
    await expectNothingOpen();
  });

  it('waits for its review, and is then paid or returned', async () => {
    await setSettings({ reviewThreshold: '10' });
    const pair = await openPair(1, 0);
    const path = (id: string, verb: string) => `/accounts/${pair.sender.accountId}/withdrawals/${id}/${verb}`;
    const first = await readTaken(await withdraw(pair.sender, { address: pair.address }));
    const second = await readTaken(await withdraw(pair.sender, { address: pair.address }));
    expect([first.status, second.status]).toEqual(['PENDING', 'PENDING']);
    expect(await holdingsOf(pair)).toEqual(['400', '500']);
    expect((await asOperator('POST', path(first.id, 'approve'), { reason: 'T' })).status).toBe(200);
    expect((await asOperator('POST', path(second.id, 'reject'), { reason: 'T' })).status).toBe(200);
    expect((await readOwn(pair.sender, first.id)).status).toBe('COMPLETED');
    expect(await holdingsOf(pair)).toEqual(['450', '550']);
    await expectNothingOpen();
  });
});

describe('a lost connection', () => {
  const cases: [string, 'deposit' | 'settle', Moment][] = [
    ['before it is delivered', 'deposit', 'before'],
    ['after it was delivered', 'deposit', 'after'],
    ['before it is paid', 'settle', 'before'],
    ['after it was paid', 'settle', 'after'],
  ];

  it.each(cases)('%s leaves it held, and the sweep finishes it', async (_, batch, moment) => {
    const pair = await openPair(1, 2);
    const fault = aroundBatch(batch, moment, 1, fail(CONNECTION_LOST));
    const { id } = await readTaken(await withdraw(pair.sender, { address: pair.address }, 'lost'));
    fault.restore();
    expect(fault.state.injected).toBe(1);
    expect(await usdtOf(pair.sender)).toBe('450');
    moveClock(60_000);
    await sweep(1);
    expect((await readOwn(pair.sender, id)).status).toBe('COMPLETED');
    expect(await holdingsOf(pair)).toEqual(['450', '550']);
    await expectNothingOpen();
    const again = await readTaken(await withdraw(pair.sender, { address: pair.address }, 'lost'));
    expect(again.id).toBe(id);
    expect(await holdingsOf(pair)).toEqual(['450', '550']);
  });

  it('between delivery and payment is made good by the keeper of the ledger that paid, too', async () => {
    const pair = await openPair(1, 2);
    const fault = aroundBatch('settle', 'before', 1, fail(CONNECTION_LOST));
    const { id } = await readTaken(await withdraw(pair.sender, { address: pair.address }));
    fault.restore();
    expect((await readOwn(pair.sender, id)).status).toBe('PROCESSING');
    expect(await checkAll()).toEqual([]);
    expect((await readOwn(pair.sender, id)).status).toBe('COMPLETED');
    await expectNothingOpen();
  });
});

describe('a refusal', () => {
  it('by the ledger of the recipient, halted before the delivery, returns the money', async () => {
    const pair = await openPair(0, 1);
    await halt(1, true);
    const { id, status, reason } = await readTaken(await withdraw(pair.sender, { address: pair.address }));
    expect([status, reason]).toEqual(['FAILED', 'refused']);
    await halt(1, false);
    expect(await holdingsOf(pair)).toEqual(['500', '500']);
    moveClock(60_000);
    await sweep(0);
    expect((await readOwn(pair.sender, id)).status).toBe('FAILED');
    await expectNothingOpen();
    expect(await checkAll()).toEqual([]);
  });

  it('is final: a delivery that arrives after it is refused, and after a delivery no refusal is taken', async () => {
    const pair = await openPair(0, 2);
    const held = aroundBatch('deposit', 'before', 1, fail(CONNECTION_LOST));
    const { id } = await readTaken(await withdraw(pair.sender, { address: pair.address }));
    held.restore();
    const movement = await databaseOf(0)
      .prepare('SELECT movement FROM withdrawals WHERE id = ?')
      .bind(id)
      .first<string>('movement');
    expect(await refuseMovement(openLedger(env, 2), movement!)).toBe('refused');
    const late = databaseOf(2)
      .prepare(
        `INSERT INTO deposits (account_id, id, type, asset, amount, usd_value, status, withdrawal_id, transfer)
         SELECT ?, ?, 'INTERNAL_DEPOSIT', 'USDT', 50000000, 50000000, 'COMPLETED', ?, max(id) + 1 FROM transfers`,
      )
      .bind(pair.recipient.accountId, movement, id);
    await expect(late.run()).rejects.toThrow('guard: movement_refused');
    moveClock(60_000);
    await sweep(0);
    expect((await readOwn(pair.sender, id)).status).toBe('FAILED');
    expect(await holdingsOf(pair)).toEqual(['500', '500']);
    const paid = await readTaken(await withdraw(pair.sender, { address: pair.address }));
    const other = await databaseOf(0)
      .prepare('SELECT movement FROM withdrawals WHERE id = ?')
      .bind(paid.id)
      .first<string>('movement');
    expect(await refuseMovement(openLedger(env, 2), other!)).toBe('arrived');
    await expectNothingOpen();
  });

  it('of an overloaded ledger is none: the money stays held until the ledger answers', async () => {
    const pair = await openPair(2, 0);
    const fault = aroundBatch('deposit', 'before', 1, fail(OVERLOADED));
    const { id } = await readTaken(await withdraw(pair.sender, { address: pair.address }));
    fault.restore();
    expect((await readOwn(pair.sender, id)).status).toBe('PROCESSING');
    moveClock(60_000);
    await sweep(2);
    expect((await readOwn(pair.sender, id)).status).toBe('COMPLETED');
    await expectNothingOpen();
  });

  it('by hand is not taken while the other ledger may still pay', async () => {
    const pair = await openPair(1, 0);
    const fault = aroundBatch('deposit', 'after', 1, fail(CONNECTION_LOST));
    const { id } = await readTaken(await withdraw(pair.sender, { address: pair.address }));
    fault.restore();
    const path = `/accounts/${pair.sender.accountId}/withdrawals/${id}/settle`;
    await expectProblem(await asOperator('POST', path, { outcome: 'failed', reason: 'T' }), 409, 'invalid_state');
    moveClock(60_000);
    await sweep(1);
    await expectNothingOpen();
  });
});

describe('a freeze or a halt', () => {
  const stops: [string, (pair: Pair, isOn: boolean) => Promise<unknown>][] = [
    [
      'a freeze of the sender',
      ({ sender }, isOn) =>
        asOperator('PATCH', `/accounts/${sender.accountId}`, { status: isOn ? 'frozen' : 'active' }),
    ],
    ['a halt', async (_, isOn) => setSettings({ withdrawalsHalted: isOn })],
  ];

  it.each(stops)('%s before the delivery holds the money, and it is paid afterwards', async (_, stop) => {
    const pair = await openPair(1, 2);
    const fault = aroundBatch('deposit', 'before', 1, fail(CONNECTION_LOST));
    const { id } = await readTaken(await withdraw(pair.sender, { address: pair.address }));
    fault.restore();
    await stop(pair, true);
    moveClock(60_000);
    await sweep(1);
    expect((await readOwn(pair.sender, id)).status).toBe('PROCESSING');
    expect(await usdtOf(pair.recipient)).toBe('500');
    await stop(pair, false);
    moveClock(3_600_000);
    await sweep(1);
    expect((await readOwn(pair.sender, id)).status).toBe('COMPLETED');
    expect(await usdtOf(pair.recipient)).toBe('550');
    await expectNothingOpen();
  });

  it.each(stops)('%s after the delivery does not stop the payment', async (_, stop) => {
    const pair = await openPair(1, 2);
    const fault = aroundBatch('deposit', 'after', 1, fail(CONNECTION_LOST));
    const { id } = await readTaken(await withdraw(pair.sender, { address: pair.address }));
    fault.restore();
    await stop(pair, true);
    moveClock(60_000);
    await sweep(1);
    await stop(pair, false);
    expect((await readOwn(pair.sender, id)).status).toBe('COMPLETED');
    await expectNothingOpen();
  });
});
