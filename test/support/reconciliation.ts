import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test';
import { expect, vi } from 'vitest';
import { openDatabase, openLedger } from '../../src/db/database.ts';
import { type KeeperStanding, reachKeeper } from '../../src/reconciliation/reach-keeper.ts';
import { FIRST_LEDGER } from '../../src/db/record-id.ts';
import { recordKinds } from '../../src/record-kinds.ts';
import { CHAINS, type Chains } from '../../src/reconciliation/history.ts';
import { type Invariant, invariants } from '../../src/reconciliation/invariants.ts';
import { KeptLinks } from '../../src/reconciliation/kept-links.ts';
import { NO_PROGRESS } from '../../src/reconciliation/progress.ts';
import { Reconciler, type SliceLimits } from '../../src/reconciliation/reconciler.ts';
import { DaySums } from '../../src/reconciliation/day-sums.ts';
import { listViolations } from '../../src/reconciliation/violations.ts';
import { type LedgerReconciliation, showReconciliation } from '../../src/operator/reconciliation.ts';
import { type Trader, asOperator, expectCode, openTrader, operate } from './exchange.ts';
import { drawHash, reportDeposit } from './deposits.ts';
import { agreeP2p, agreeQuick, settle } from './operator/settlements.ts';
import { env } from './runtime/test-env.ts';
import { coverAll } from './db/house-money.ts';
import { readTriggers, runWithout } from './db/triggers.ts';
import { review } from './withdrawals/withdrawals.ts';
import { sql } from './db/sql.ts';

/** Limits at which one slice reads everything that a test makes. */
export const WHOLE: SliceLimits = { explained: 10_000, summed: 10_000, rows: 10_000 };

/** Limits at which everything takes many slices. */
export const SMALL: SliceLimits = { explained: 5, summed: 5, rows: 5 };

/** Limits at which a slice reads some whole accounts, but not those with much activity. */
const SOME: SliceLimits = { explained: 60, summed: 60, rows: 20 };

export const SHORT_CHAINS: Chains = {
  transfers: { ...CHAINS.transfers, rowsPerPart: 10, partsPerLink: 3 },
  audit: { ...CHAINS.audit, rowsPerPart: 5 },
};

/** More slices than any pass of a test needs. */
const MAX_SLICES = 5_000;

/** The keeper of the exchange under test, with its own alarm. */
export const keeper = () => env.LEDGER_KEEPER.getByName('0');

/**
 * Wakes the keeper as the schedule does, and waits until it is done. Its alarm is due at once, so the runtime may run
 * it before the test does. Either run is awaited.
 */
export async function runKeeper(
  wake: () => Promise<void> = () => reachKeeper(env, FIRST_LEDGER).wake(),
): Promise<void> {
  const alarms = await runInDurableObject(keeper(), (instance) => vi.spyOn(instance, 'alarm'));
  await wake();
  do {
    await runDurableObjectAlarm(keeper());
    await Promise.all(alarms.mock.results.map(({ value }) => value as Promise<void>));
  } while (await runInDurableObject(keeper(), (_instance, { storage }) => storage.getAlarm()));
  alarms.mockRestore();
}

/** A reconciliation apart from the keeper's, whose slices the test runs itself. */
export interface OwnReconciliation {
  readonly reconciler: Reconciler;
  readonly standing: () => KeeperStanding;
}

/** Runs `use` with a reconciliation that has read nothing yet, and whose links are stored in an object of its own. */
export function withOwn<T>(
  use: (own: OwnReconciliation) => Promise<T>,
  read: Chains = SHORT_CHAINS,
  name: string = crypto.randomUUID(),
  ledger: number = FIRST_LEDGER,
): Promise<T> {
  return runInDurableObject(env.KEY_LANE.getByName(name), (_instance, { storage }) => {
    const links = new KeptLinks(storage.sql);
    const sums = new DaySums(storage.sql);
    const parts = { database: openLedger(env, ledger), ledger, kinds: recordKinds, links, sums };
    const reconciler = new Reconciler(parts, NO_PROGRESS, read);
    const standing = () => ({
      progress: reconciler.progress,
      links: { transfers: links.newest('transfers') ?? null, audit: links.newest('audit') ?? null },
    });
    return use({ reconciler, standing });
  });
}

/** The result as the operator sees it, and the number of slices. */
export type PassResult = LedgerReconciliation & { readonly slices: number };

/** Reads everything new and then runs a whole pass. `between` runs before each slice. */
export async function finishPass(
  { reconciler, standing }: OwnReconciliation,
  limits: SliceLimits = WHOLE,
  between: () => Promise<void> = async () => {},
): Promise<PassResult> {
  await followAll(reconciler, limits);
  reconciler.begin(Date.now());
  for (let slices = 1; slices <= MAX_SLICES; slices += 1) {
    await between();
    await reconciler.advance(limits, Date.now());
    if (reconciler.isUnderWay) continue;
    return { ...(await showOwn({ reconciler, standing })), slices };
  }
  throw new Error('the pass does not end');
}

export async function showOwn({ standing }: OwnReconciliation): Promise<LedgerReconciliation> {
  return showReconciliation(standing(), await listViolations(openDatabase(env.DB)));
}

/** Reads everything new. Returns the number of slices. */
export async function followAll(reconciler: Reconciler, limits: SliceLimits = WHOLE): Promise<number> {
  let slices = 1;
  while ((await reconciler.follow(limits, Date.now())).isMore) slices += 1;
  return slices;
}

/**
 * A pass from nothing, whatever was read before. Its chains are by default as long as production's, because short ones
 * take a slice for every few rows.
 */
export function reconcileAnew(
  limits: SliceLimits = WHOLE,
  read: Chains = CHAINS,
  ledger: number = FIRST_LEDGER,
): Promise<PassResult> {
  return withOwn((own) => finishPass(own, limits), read, undefined, ledger);
}

function brokenOf(found: LedgerReconciliation): Invariant[] {
  return found.invariants.filter(({ status }) => status === 'broken').map(({ name }) => name);
}

export function invariantOf(found: LedgerReconciliation, name: Invariant): LedgerReconciliation['invariants'][number] {
  const invariant = found.invariants.find((one) => one.name === name);
  if (!invariant) throw new Error(`there is no invariant ${name}`);
  return invariant;
}

/** Clears all violations and lifts the halts, as an operator does. */
export async function reopen(): Promise<void> {
  for (const { id } of await listViolations(openDatabase(env.DB))) {
    const cleared = await asOperator('POST', `/reconciliation/violations/${id}/clear`, { reason: 'a test broke it' });
    expect(cleared.status).toBe(200);
  }
  await operate('PATCH', '/settings', { tradingHalted: false, withdrawalsHalted: false });
}

export const allOk = Object.fromEntries(invariants.map((name) => [name, 'ok']));

export function statusesOf(found: LedgerReconciliation): Record<string, string> {
  return Object.fromEntries(found.invariants.map(({ name, status }) => [name, status]));
}

/** Every table that is checked. */
const MONEY = [
  'balances',
  'transfers',
  'orders',
  'deposits',
  'withdrawals',
  'settlements',
  'fundings',
  'hedges',
  'addresses',
];

/** Copies the money as it is now, for `restoreMoney`. Once in a file. */
export async function saveMoney(): Promise<void> {
  await env.DB.batch(MONEY.map((table) => sql(`CREATE TABLE saved_${table} AS SELECT * FROM ${table}`)));
}

export async function restoreMoney(): Promise<void> {
  const triggers = (await readTriggers()).filter((trigger) => MONEY.includes(trigger.tbl_name));
  await runWithout(
    triggers,
    MONEY.flatMap((table) => [sql(`DELETE FROM ${table}`), sql(`INSERT INTO ${table} SELECT * FROM saved_${table}`)]),
  );
}

/**
 * Changes the money as if these triggers did not exist, and expects a pass to find exactly these invariants broken: in
 * one slice and in many, from nothing and after everything had been read before the change. Each order's rounding is
 * judged exactly once, and what it explains is counted once. Then it restores the copy of `saveMoney`, and expects that nothing is broken. Returns what was
 * found.
 */
export function expectBroken(
  broken: readonly Invariant[],
  triggers: readonly string[],
  ...statements: readonly D1PreparedStatement[]
): Promise<PassResult> {
  return withOwn(async (own) => {
    await followAll(own.reconciler);
    return breakMoney(own, broken, triggers, statements);
  }, CHAINS);
}

async function breakMoney(
  own: OwnReconciliation,
  broken: readonly Invariant[],
  triggers: readonly string[],
  statements: readonly D1PreparedStatement[],
): Promise<PassResult> {
  const dropped = (await readTriggers()).filter(({ name }) => triggers.includes(name));
  expect(dropped).toHaveLength(triggers.length);
  const unchecked = [
    sql('PRAGMA ignore_check_constraints = ON'),
    sql('PRAGMA ignore_check_constraints = OFF'),
  ] as const;
  await runWithout(dropped, [unchecked[0], ...statements, unchecked[1]]);
  try {
    const found = await reconcileAnew();
    expect(brokenOf(found)).toEqual(broken);
    expect(brokenOf(await reconcileAnew(SOME))).toEqual(broken);
    const isJudgedAgain = (name: Invariant) => name !== 'rounding_favours_house' && name !== 'pnl_unexplained';
    expect(brokenOf(await finishPass(own)).filter(isJudgedAgain)).toEqual(broken.filter(isJudgedAgain));
    expect(found.status).toBe(broken.length > 0 ? 'broken' : 'ok');
    expect(found.violations.map(({ invariant }) => invariant).toSorted()).toEqual(broken.toSorted());
    return found;
  } finally {
    await restoreMoney();
    await reopen();
  }
}

/**
 * Expects that nothing is broken: before the first case of a file, and after the last, since each restores what it
 * changed.
 */
export async function expectAllWell(): Promise<void> {
  expect(statusesOf(await reconcileAnew())).toEqual(allOk);
}

export const ORDER = { coin: 'BTC', side: 'BUY', mode: 'USDT_AMOUNT', value: '25.5' };

/** Places orders of both sides and both modes. */
export async function tradeAll(trader: Trader): Promise<string[]> {
  const ids: string[] = [];
  for (const body of [
    ORDER,
    { coin: 'ETH', side: 'BUY', mode: 'COIN_QTY', value: '0.00312345' },
    { coin: 'BTC', side: 'SELL', mode: 'USDT_AMOUNT', value: '7.123457' },
    { coin: 'ETH', side: 'SELL', mode: 'COIN_QTY', value: '0.00100007' },
    { coin: 'DOGE', side: 'BUY', mode: 'USDT_AMOUNT', value: '13.333333' },
  ]) {
    ids.push((await trader.trade(body)).id);
  }
  return ids;
}

/** Reports deposits in every state: credited at once and later, failed, pending, and to an unknown address. */
async function depositAll(trader: Trader): Promise<void> {
  const deposit = {
    network: 'ETH',
    asset: 'ETH',
    amount: '0.500000000000000001',
    address: await trader.addressOn('ETH'),
  };
  const later = { ...deposit, txHash: drawHash() };
  await reportDeposit({ ...deposit, txHash: drawHash(), confirmations: 99 });
  await reportDeposit({ ...later, confirmations: 1 });
  await reportDeposit({ ...later, confirmations: 99 });
  await reportDeposit({ ...deposit, txHash: drawHash(), confirmations: 1 });
  await reportDeposit({ ...deposit, txHash: drawHash(), confirmations: 1, failed: true });
  const nobodys = '0x52908400098527886E0F7030069857D2E4169EE7';
  await reportDeposit({ ...deposit, txHash: drawHash(), confirmations: 99, address: nobodys });
}

/**
 * Makes withdrawals with every end: paid to other addresses and in the ledger, at once and after a review, rejected,
 * and still waiting.
 */
async function withdrawAll(trader: Trader, other: Trader): Promise<void> {
  const inside = { network: 'ETH', address: await other.addressOn('ETH') };
  await trader.takeOut();
  await trader.takeOut(inside);
  await asOperator('PATCH', '/settings', { reviewThreshold: '20' });
  for (const change of [{}, inside]) {
    for (const verb of ['approve', 'reject'] as const) {
      const { id } = await trader.takeOut(change);
      await expectCode(review(trader, id, verb), '200');
    }
    await trader.takeOut(change);
  }
  await asOperator('PATCH', '/settings', { reviewThreshold: null });
}

/** Settles trades that were agreed elsewhere: with the house on both sides, and with another account. */
async function settleAll(trader: Trader, other: Trader): Promise<void> {
  const settlements = [agreeQuick(trader, 'BUY'), agreeQuick(trader, 'SELL')];
  for (const agreed of other === trader ? settlements : [...settlements, agreeP2p(other, trader)]) {
    expect((await settle(agreed)).status).toBe(201);
  }
}

/** Opens accounts and makes records of every kind that moves money. */
export async function makeActivity(accounts: number): Promise<Trader[]> {
  const traders: Trader[] = [];
  for (let opened = 0; opened < accounts; opened += 1) {
    traders.push(await openTrader({ USDT: '1000', BTC: '1' }));
  }
  await coverAll();
  for (const [position, trader] of traders.entries()) {
    const other = traders[(position + 1) % traders.length] ?? trader;
    await tradeAll(trader);
    await depositAll(trader);
    await withdrawAll(trader, other);
    await settleAll(trader, other);
    // A credit whose reference has the form of a receipt's.
    const rejected = (await sql(
      "SELECT id FROM withdrawals WHERE account_id = ? AND status = 'FAILED'",
      trader.accountId,
    ).first<{ id: string }>())!;
    await asOperator('POST', `/accounts/${trader.accountId}/credits`, {
      asset: 'USDT',
      amount: '3',
      reference: `withdrawal ${rejected.id}`,
    });
  }
  return traders;
}
