// @runtime three-ledgers
import { runInDurableObject } from 'cloudflare:test';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { openLedger } from '../../src/db/database.ts';
import { reachKeeper } from '../../src/reconciliation/reach-keeper.ts';
import { reportFindings } from '../../src/reconciliation/violations.ts';
import type { House } from '../../src/operator/house.ts';
import type { Reconciliation } from '../../src/operator/reconciliation.ts';
import { type ProblemBody, type Trader, asOperator, json, operate, ORDER } from '../support/exchange.ts';
import { openTraderIn } from '../support/db/open-in-ledger.ts';
import { askWithoutLedger2 } from '../support/operator/lists.ts';
import { env } from '../support/runtime/test-env.ts';
import { sqlIn } from '../support/db/sql.ts';

const ledgers = [0, 1, 2] as const;
async function reconciliationOf(answer: Response): Promise<Reconciliation> {
  expect(answer.status, await answer.clone().text()).toBe(200);
  return (await json<{ reconciliation: Reconciliation }>(answer)).reconciliation;
}

const readReconciliation = async () => reconciliationOf(await asOperator('GET', '/reconciliation'));
const runPasses = async () => reconciliationOf(await asOperator('POST', '/reconciliation/run'));

const houseOf = async (answer: Response) => (await json<{ house: House }>(answer)).house;
const assetOf = <Asset extends { readonly asset: string }>(assets: readonly Asset[] | null | undefined, name: string) =>
  assets?.find(({ asset }) => asset === name);

const figureOf = ({ invariants }: Reconciliation, name: string, figure: string) =>
  invariants.find((one) => one.name === name)?.figures[figure];

/** The sample of a metric; `undefined` where it is absent. */
const sampleOf = (text: string, name: string) =>
  text
    .split('\n')
    .find((line) => line.startsWith(`${name} `))
    ?.slice(name.length + 1);

let traders: Trader[];
beforeAll(async () => {
  traders = await Promise.all(ledgers.map(openTraderIn));
  for (const trader of traders) await trader.trade(ORDER);
  // The other ledgers have one trade more each than the one before.
  for (const trader of [traders[1]!, traders[2]!, traders[2]!]) await trader.trade(ORDER);
});

describe('the reconciliation of three ledgers', () => {
  it('runs in each, and shows the last pass and the status of each', async () => {
    const before = await readReconciliation();
    expect(before.ledgers.map(({ ledger, status }) => [ledger, status])).toEqual([
      [0, 'pending'],
      [1, 'pending'],
      [2, 'pending'],
    ]);
    expect(before.status).toBe('pending');
    const after = await runPasses();
    expect([after.status, ...after.ledgers.map(({ status }) => status)]).toEqual(['ok', 'ok', 'ok', 'ok']);
    expect(after.ledgers.map(({ lastPass }) => lastPass?.pass)).toEqual([1, 1, 1]);
    const read = after.ledgers.map(({ progress }) => Number(progress?.transfersRead));
    expect(read).toEqual([3, 5, 7]);
    expect(await readReconciliation()).toEqual(after);
  });

  it('adds up the figures of all ledgers', async () => {
    const shown = await runPasses();
    expect(figureOf(shown, 'records_match_transfers', 'checked')).toBe(String(1 + 1 + 1 + 1 + 2 + 3));
    const owed = (asset: string) => (figureOf(shown, 'debts_within_caps', asset) as Record<string, string>)['owed'];
    expect(owed('USDT')).toBe(String(3 * 500 - 6 * 10));
    const { house } = await operate<{ house: House }>('GET', '/house');
    expect(owed('BTC')).toBe(assetOf(house.assets, 'BTC')?.owedToClients);
    expect((figureOf(shown, 'ledger_sums_to_zero', 'BTC') as Record<string, string>)['sum']).toBe('0');
  });

  it('shows of whichever ledger’s pass is the longest ago when it was', async () => {
    await reachKeeper(env, 0).run();
    await reachKeeper(env, 2).run();
    const shown = await readReconciliation();
    expect(shown.lastPass).toEqual(shown.ledgers[1]?.lastPass);
    expect(shown.lastPass?.pass).toBeLessThan(shown.ledgers[0]?.lastPass?.pass ?? 0);
    expect([shown.progress, shown.history]).toEqual([shown.ledgers[1]?.progress, shown.ledgers[1]?.history]);
  });

  it('is broken when one ledger is, and says which', async () => {
    const finding = { invariant: 'journal_has_no_gap', example: { transfer: '7' } } as const;
    await reportFindings({ database: openLedger(env, 2), ledger: 2 }, [finding], 9, Date.now());
    const shown = await readReconciliation();
    expect([shown.status, ...shown.ledgers.map(({ status }) => status)]).toEqual(['broken', 'ok', 'ok', 'broken']);
    expect(shown.violations).toMatchObject([{ invariant: 'journal_has_no_gap', pass: 9 }]);
    expect(shown.ledgers.map(({ violations }) => violations)).toEqual([[], [], shown.violations]);
    const text = await (await asOperator('GET', '/metrics')).text();
    const samples = ['violations_open', 'trading_halted'].map((name) => sampleOf(text, `bureau_${name}`));
    expect(samples).toEqual(['1', '1']);
    const id = shown.violations[0]?.id ?? '';
    const cleared = await asOperator('POST', `/reconciliation/violations/${id}/clear`, { reason: 'a test broke it' });
    expect((await reconciliationOf(cleared)).status).toBe('ok');
    const lifted = await asOperator('PATCH', '/settings', { tradingHalted: false, withdrawalsHalted: false });
    expect(lifted.status).toBe(200);
  });

  it('says which ledger does not answer, is not ok without it, and shows the others', async () => {
    const logged = vi.spyOn(console, 'error').mockReturnValue();
    const whole = await runPasses();
    await runInDurableObject(env.LEDGER_KEEPER.getByName('1'), (keeper) =>
      vi.spyOn(keeper, 'read').mockRejectedValue(new Error('no keeper')),
    );
    const shown = await readReconciliation();
    expect([shown.status, ...shown.ledgers.map(({ status }) => status)]).toEqual([
      'pending',
      'ok',
      'unreachable',
      'ok',
    ]);
    expect(shown.ledgers[1]).toMatchObject({ lastPass: null, progress: null, history: null });
    expect([shown.ledgers[0], shown.ledgers[2]]).toEqual([whole.ledgers[0], whole.ledgers[2]]);
    expect(logged.mock.calls.flat().join()).toContain('ledger_unreachable');
    const text = await (await asOperator('GET', '/metrics')).text();
    expect([sampleOf(text, 'bureau_keeper_up'), sampleOf(text, 'bureau_ledger_up{ledger="1"}')]).toEqual(['0', '1']);
  });

  it('says the same when the database of a ledger fails', async () => {
    const shown = await reconciliationOf(await askWithoutLedger2('/reconciliation'));
    expect([shown.status, ...shown.ledgers.map(({ status }) => status)]).toEqual([
      'pending',
      'ok',
      'ok',
      'unreachable',
    ]);
  });

  it('begins a ledger’s history anew where that ledger’s database was restored', async () => {
    const accept = (ledger: number) => asOperator('POST', '/reconciliation/history/accept', { reason: 'T', ledger });
    const shown = await reconciliationOf(await accept(2));
    expect(shown.ledgers.map(({ progress }) => progress?.transfersRead)).toEqual(['3', '5', '0']);
    const newest = 'SELECT action FROM audit ORDER BY id DESC LIMIT 1';
    expect(await sqlIn(2, newest).first('action')).toBe('accept_history');
    expect(await sqlIn(0, newest).first('action')).not.toBe('accept_history');
    const refused = await accept(3);
    expect([refused.status, (await json<ProblemBody>(refused)).errors?.[0]?.pointer]).toEqual([400, '/ledger']);
  });
});

describe('the position of the house in three ledgers', () => {
  it('is shown of each, and added up', async () => {
    const house = await houseOf(await asOperator('GET', '/house'));
    const owed = house.ledgers.map(({ assets }) => assetOf(assets, 'USDT')?.owedToClients);
    expect(owed).toEqual(['490', '480', '470']);
    expect(assetOf(house.assets, 'USDT')).toMatchObject({ owedToClients: '1440', custodyShouldHold: '1500' });
    const inventory = house.ledgers.map(({ assets }) => Number(assetOf(assets, 'BTC')?.inventory));
    expect(inventory.every((amount) => amount < 0)).toBe(true);
    const sum = inventory.reduce((total, amount) => total + amount, 0);
    expect(Number(assetOf(house.assets, 'BTC')?.inventory)).toBeCloseTo(sum, 8);
    const caps = house.ledgers.map(({ assets }) => Number(assetOf(assets, 'BTC')?.supplyCap));
    expect(Number(assetOf(house.assets, 'BTC')?.supplyCap)).toBe(caps.reduce((total, cap) => total + cap, 0));
  });

  it('is shown without a ledger that does not answer, and says so', async () => {
    const house = await houseOf(await askWithoutLedger2('/house'));
    expect(house.ledgers.map(({ assets }) => assets === null)).toEqual([false, false, true]);
    expect(assetOf(house.assets, 'USDT')?.owedToClients).toBe('970');
  });

  it('is in the metrics, of all ledgers or not at all', async () => {
    const whole = await (await asOperator('GET', '/metrics')).text();
    expect(sampleOf(whole, 'bureau_owed_to_clients{asset="USDT"}')).toBe('1440');
    const partial = await (await askWithoutLedger2('/metrics')).text();
    expect(sampleOf(partial, 'bureau_owed_to_clients{asset="USDT"}')).toBeUndefined();
    expect(ledgers.map((ledger) => sampleOf(partial, `bureau_ledger_up{ledger="${ledger}"}`))).toEqual(['1', '1', '0']);
    expect(sampleOf(partial, 'bureau_trading_halted')).toBe('0');
  });
});
