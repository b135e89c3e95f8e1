// @runtime three-ledgers
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openLedger } from '../../src/db/database.ts';
import { assetSymbols } from '../../src/money/assets.ts';
import { sandboxCustody } from '../../src/custody/sandbox.ts';
import { checkPayments } from '../../src/withdrawals/check-payments.ts';
import { type WithdrawalAcross, refuseReceipt } from '../../src/withdrawals/pay-across.ts';
import { sweepAt } from '../support/withdrawals/sweep-at.ts';
import { readAddresses } from '../support/addresses/addresses.ts';
import { readFeed, recordOf } from '../support/events/feed.ts';
import { type Trader, asOperator, expectCode } from '../support/exchange.ts';
import { databaseOf, openTraderIn } from '../support/db/open-in-ledger.ts';
import { CONNECTION_LOST, OVERLOADED, type Moment, aroundBatch, fail } from '../support/runtime/faults.ts';
import { env } from '../support/runtime/test-env.ts';
import { houseHolds, moveClock, setSettings, stopClock, review } from '../support/withdrawals/withdrawals.ts';

const ledgers = [0, 1, 2] as const;

interface Pair {
  readonly sender: Trader;
  readonly recipient: Trader;
  readonly address: string;
}

async function openPair(from: number, to: number): Promise<Pair> {
  const [sender, recipient] = [await openTraderIn(from), await openTraderIn(to)];
  return { sender, recipient, address: (await readAddresses(recipient))['TRC20'] ?? '' };
}

const readEvents = async (trader: Trader) => (await readFeed(trader, { after: 0 })).events;

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

/** The recipient and the receipt of a withdrawal. */
const readAcross = async (ledger: number, id: string) => {
  const query = 'SELECT id, recipient, receipt_id AS receiptId FROM withdrawals WHERE id = ?';
  return (await databaseOf(ledger).prepare(query).bind(id).first()) as unknown as WithdrawalAcross;
};

/** A minute later, when what is open is due. */
async function sweep(ledger: number): Promise<void> {
  moveClock(60_000);
  await sweepAt(Date.now(), [ledger]);
}

const check = (ledger: number) =>
  checkPayments({ bindings: env, custody: sandboxCustody, ledger, now_ms: Date.now() + 60_001 }, {});

const checkAll = async () => (await Promise.all(ledgers.map(check))).flatMap(({ findings }) => findings);

const halt = (ledger: number, isHalted: boolean) =>
  databaseOf(ledger)
    .prepare('UPDATE settings SET withdrawals_halted = ?')
    .bind(isHalted ? 1 : 0)
    .run();

beforeEach(stopClock);
afterEach(async () => {
  for (const ledger of ledgers) await halt(ledger, false);
});

/** A payment between two new accounts, of which one batch fails once. */
async function payAmid(
  from: number,
  to: number,
  batch: 'deposit' | 'settle',
  moment: Moment,
  message = CONNECTION_LOST,
) {
  const pair = await openPair(from, to);
  const fault = aroundBatch(batch, moment, 1, fail(message));
  const { id } = await pair.sender.takeOut({ address: pair.address }, 'lost');
  expect(fault.state.injected).toBe(1);
  return { pair, id, readStatus: async () => (await pair.sender.readWithdrawal(id)).status };
}

describe('a withdrawal to the address of another account, in its own ledger or another', () => {
  it.each([
    [0, 1],
    [1, 0],
    [2, 1],
    [1, 1],
  ])('is paid there at once, without fee, hash or custodian: from %i to %i', async (from, to) => {
    const pair = await openPair(from, to);
    const asked = [vi.spyOn(sandboxCustody, 'submit'), vi.spyOn(sandboxCustody, 'lookup')];
    const before = [await houseHolds('fees'), await houseHolds('custody')];
    const withdrawal = await pair.sender.takeOut({ address: pair.address, amount: '100' });
    expect(withdrawal).toMatchObject({ status: 'COMPLETED', txHash: null, fee: '0', amount: '100' });
    expect(await pair.sender.readWithdrawal(withdrawal.id)).toEqual(withdrawal);
    expect(await holdingsOf(pair)).toEqual(['400', '600']);
    expect([await houseHolds('fees'), await houseHolds('custody')]).toEqual(before);
    for (const question of asked) expect(question).not.toHaveBeenCalled();
    await expectNothingOpen();
    expect(await checkAll()).toEqual([]);
  });

  it.each([1, 2])('shows as INTERNAL_WITHDRAWAL to the sender, and as INTERNAL_DEPOSIT to ledger %i', async (to) => {
    const pair = await openPair(1, to);
    const { id } = await pair.sender.takeOut({ address: pair.address, amount: '12.5' });
    const common = { asset: 'USDT', amount: '12.5', usdValue: '12.5', status: 'COMPLETED' };
    const sent = { ...common, id, category: 'WITHDRAWAL', type: 'INTERNAL_WITHDRAWAL' };
    const received = { ...common, category: 'DEPOSIT', type: 'INTERNAL_DEPOSIT' };
    expect(await pair.sender.feed()).toContainEqual(expect.objectContaining(sent));
    const shown = (await pair.recipient.feed()).find(({ amount }) => amount === '12.5');
    expect(shown).toMatchObject(received);
    expect(shown?.['id']).not.toBe(id);
    for (const type of ['INTERNAL_WITHDRAWAL', 'ONCHAIN_WITHDRAWAL']) {
      const listed = await (await pair.sender.get(`/api/v1/wallet/transactions?type=${type}`)).text();
      expect(listed.includes(id)).toBe(type === 'INTERNAL_WITHDRAWAL');
    }
  });

  it('begins the feed of events of both accounts, where each first listens after it', async () => {
    const pair = await openPair(1, 2);
    // Records of one millisecond have no order.
    moveClock(1);
    const { id } = await pair.sender.takeOut({ address: pair.address, amount: '12.5' });
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

  it.each([0, 2])('is paid once to ledger %i for one Idempotency-Key, however often it is sent at once', async (to) => {
    const pair = await openPair(0, to);
    const body = { address: pair.address, amount: '100' };
    const answers = await Promise.all(Array.from({ length: 10 }, () => pair.sender.withdraw(body, 'once')));
    expect(new Set(await Promise.all(answers.map((answer) => answer.text()))).size).toBe(1);
    expect(await holdingsOf(pair)).toEqual(['400', '600']);
    await expectNothingOpen();
  });

  it('waits for its review, and is then paid or returned', async () => {
    await setSettings({ reviewThreshold: '10' });
    const pair = await openPair(1, 0);
    const first = await pair.sender.takeOut({ address: pair.address });
    const second = await pair.sender.takeOut({ address: pair.address });
    expect([first.status, second.status]).toEqual(['PENDING', 'PENDING']);
    expect(await holdingsOf(pair)).toEqual(['400', '500']);
    expect((await review(pair.sender, first.id, 'approve')).status).toBe(200);
    expect((await review(pair.sender, second.id, 'reject')).status).toBe(200);
    expect((await pair.sender.readWithdrawal(first.id)).status).toBe('COMPLETED');
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
    const { pair, id, readStatus } = await payAmid(1, 2, batch, moment);
    expect(await usdtOf(pair.sender)).toBe('450');
    await sweep(1);
    expect(await readStatus()).toBe('COMPLETED');
    expect(await holdingsOf(pair)).toEqual(['450', '550']);
    await expectNothingOpen();
    const again = await pair.sender.takeOut({ address: pair.address }, 'lost');
    expect(again.id).toBe(id);
    expect(await holdingsOf(pair)).toEqual(['450', '550']);
  });

  it('between delivery and payment is made good by the keeper of the ledger that paid, too', async () => {
    const { readStatus } = await payAmid(1, 2, 'settle', 'before');
    expect(await readStatus()).toBe('PROCESSING');
    expect(await checkAll()).toEqual([]);
    expect(await readStatus()).toBe('COMPLETED');
    await expectNothingOpen();
  });
});

describe('a refusal', () => {
  it('by the ledger of the recipient, halted before the delivery, returns the money', async () => {
    const pair = await openPair(0, 1);
    await halt(1, true);
    const { id, status, reason } = await pair.sender.takeOut({ address: pair.address });
    expect([status, reason]).toEqual(['FAILED', 'refused']);
    await halt(1, false);
    expect(await holdingsOf(pair)).toEqual(['500', '500']);
    await sweep(0);
    expect((await pair.sender.readWithdrawal(id)).status).toBe('FAILED');
    await expectNothingOpen();
    expect(await checkAll()).toEqual([]);
  });

  it('is final: a delivery that arrives after it is refused, and after a delivery no refusal is taken', async () => {
    const { pair, id } = await payAmid(0, 2, 'deposit', 'before');
    const receipt = await readAcross(0, id);
    expect((await refuseReceipt(openLedger(env, 2), receipt)).kind).toBe('refused');
    const late = databaseOf(2)
      .prepare(
        `INSERT INTO deposits (account_id, id, type, asset, amount, usd_value, status, withdrawal_id, transfer)
         SELECT ?, ?, 'INTERNAL_DEPOSIT', 'USDT', 50000000, 50000000, 'COMPLETED', ?, max(id) + 1 FROM transfers`,
      )
      .bind(pair.recipient.accountId, receipt.receiptId, id);
    await expect(late.run()).rejects.toThrow('guard: receipt_refused');
    await sweep(0);
    expect((await pair.sender.readWithdrawal(id)).status).toBe('FAILED');
    expect(await holdingsOf(pair)).toEqual(['500', '500']);
    const paid = await pair.sender.takeOut({ address: pair.address });
    expect((await refuseReceipt(openLedger(env, 2), await readAcross(0, paid.id))).kind).toBe('sent');
    await expectNothingOpen();
  });

  it('of an overloaded ledger is none: the money stays held until the ledger answers', async () => {
    const { readStatus } = await payAmid(2, 0, 'deposit', 'before', OVERLOADED);
    expect(await readStatus()).toBe('PROCESSING');
    await sweep(2);
    expect(await readStatus()).toBe('COMPLETED');
    await expectNothingOpen();
  });

  it('by hand is not taken while the other ledger may still pay', async () => {
    const { pair, id } = await payAmid(1, 0, 'deposit', 'after');
    const path = `/accounts/${pair.sender.accountId}/withdrawals/${id}/settle`;
    await expectCode(asOperator('POST', path, { outcome: 'failed', reason: 'T' }), '409 invalid_state');
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
    const { pair, readStatus } = await payAmid(1, 2, 'deposit', 'before');
    await stop(pair, true);
    await sweep(1);
    expect(await readStatus()).toBe('PROCESSING');
    expect(await usdtOf(pair.recipient)).toBe('500');
    await stop(pair, false);
    moveClock(3_600_000);
    await sweep(1);
    expect(await readStatus()).toBe('COMPLETED');
    expect(await usdtOf(pair.recipient)).toBe('550');
    await expectNothingOpen();
  });

  it.each(stops)('%s after the delivery does not stop the payment', async (_, stop) => {
    const { pair, readStatus } = await payAmid(1, 2, 'deposit', 'after');
    await stop(pair, true);
    await sweep(1);
    await stop(pair, false);
    expect(await readStatus()).toBe('COMPLETED');
    await expectNothingOpen();
  });
});

describe('a payment between two ledgers', () => {
  /** A payment from ledger 1 to ledger 2 that is made and compared. */
  async function pay(): Promise<WithdrawalAcross> {
    const pair = await openPair(1, 2);
    const { id } = await pair.sender.takeOut({ address: pair.address });
    expect(await checkAll()).toEqual([]);
    return readAcross(1, id);
  }

  /** Runs a statement in a ledger as if some triggers did not exist. */
  async function force(
    ledger: number,
    triggers: readonly string[],
    statement: string,
    ...values: string[]
  ): Promise<void> {
    const database = databaseOf(ledger);
    const find = (trigger: string) =>
      database.prepare('SELECT sql FROM sqlite_schema WHERE name = ?').bind(trigger).first<string>('sql');
    const made = await Promise.all(triggers.map(find));
    await database.batch([
      ...triggers.map((trigger) => database.prepare(`DROP TRIGGER ${trigger}`)),
      database.prepare(statement).bind(...values),
      ...made.map((text) => database.prepare(text ?? '')),
    ]);
  }

  it.each([
    ['its receipt is gone', 2, ['deposits_are_not_deleted'], 'DELETE FROM deposits WHERE id = ?', 'missing'],
    [
      'its receipt is of another amount',
      2,
      ['deposits_move_on', 'deposits_take_their_next_effect'],
      'UPDATE deposits SET amount = 1 WHERE id = ?',
      'differs',
    ],
  ])('is found to be broken when %s', async (_case, ledger, triggers, statement, fault) => {
    const { id, receiptId } = await pay();
    await force(ledger, triggers, statement, receiptId);
    const { findings } = await check(1);
    expect(findings).toMatchObject([{ invariant: 'payments_have_both_sides', example: { withdrawal: id } }]);
    expect(JSON.stringify(findings)).toContain(fault);
    await force(1, ['withdrawals_are_not_deleted'], 'DELETE FROM withdrawals WHERE id = ?', id);
    if (fault === 'differs')
      await force(2, ['deposits_are_not_deleted'], 'DELETE FROM deposits WHERE id = ?', receiptId);
  });

  it('is found to be broken when its withdrawal is gone, and unknown while its ledger does not answer', async () => {
    const { id, receiptId } = await pay();
    await force(1, ['withdrawals_are_not_deleted'], 'DELETE FROM withdrawals WHERE id = ?', id);
    const { findings } = await check(2);
    expect(findings).toMatchObject([{ example: { withdrawal: id, receipt: receiptId } }]);
    const broken = { prepare: fail('D1_ERROR: no connection'), batch: fail('D1_ERROR: no connection') } as never;
    const unknown = checkPayments(
      { bindings: { ...env, DB_1: broken }, custody: sandboxCustody, ledger: 2, now_ms: Date.now() },
      {},
    );
    expect((await unknown).findings).toEqual([]);
    await force(2, ['deposits_are_not_deleted'], 'DELETE FROM deposits WHERE id = ?', receiptId);
  });

  it('is compared once, in whatever number, and then no more', async () => {
    const pair = await openPair(0, 1);
    for (let made = 0; made < 3; made += 1) {
      await pair.sender.takeOut({ address: pair.address, amount: '5' });
    }
    const first = await check(0);
    expect(first.whole).toBeGreaterThanOrEqual(3);
    const again = await checkPayments(
      { bindings: env, custody: sandboxCustody, ledger: 0, now_ms: Date.now() },
      first.next,
    );
    expect(again).toEqual({ next: first.next, whole: 0, findings: [] });
  });
});
