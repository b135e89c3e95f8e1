import { describe, expect, it, vi } from 'vitest';
import { openDatabase } from '../../src/db/database.ts';
import { sandboxCustody } from '../../src/custody/sandbox.ts';
import { selectOpenWithdrawals, takeDueWithdrawals } from '../../src/withdrawals/withdrawal.ts';
import { type Trader, asOperator, json, openTrader, expectCode } from '../support/exchange.ts';
import { env } from '../support/runtime/test-env.ts';
import { WITHDRAWAL, setSettings } from '../support/withdrawals/withdrawals.ts';

const database = openDatabase(env.DB);
const MINUTE_MS = 60_000;

/** Makes withdrawals that the custodian leaves without an answer. */
async function leaveStuck(trader: Trader, count: number): Promise<string[]> {
  const silent = vi.spyOn(sandboxCustody, 'submit').mockResolvedValue({ kind: 'unknown' });
  const ids: string[] = [];
  for (let made = 0; made < count; made += 1) ids.push((await trader.takeOut({ amount: '20' })).id);
  silent.mockRestore();
  return ids;
}

const dueOf = (id: string) =>
  env.DB.prepare('SELECT next_ask_at FROM withdrawals WHERE id = ?').bind(id).first<number>('next_ask_at');

describe('an open withdrawal', () => {
  it('is asked about less and less often, but at least once an hour', async () => {
    const trader = await openTrader({ USDT: '100' });
    const [id = ''] = await leaveStuck(trader, 1);
    const { committed_at: taken_ms } = (await env.DB.prepare('SELECT committed_at FROM withdrawals WHERE id = ?')
      .bind(id)
      .first<{ committed_at: number }>()) ?? { committed_at: 0 };
    const pauses: number[] = [];
    let asked_ms = taken_ms;
    for (let asks = 0; asks < 9; asks += 1) {
      const due_ms = (await dueOf(id)) ?? 0;
      pauses.push((due_ms - asked_ms) / 1_000);
      const taken = async (now_ms: number) => (await takeDueWithdrawals(database, now_ms, 200)).map((row) => row.id);
      expect(await taken(due_ms - 1)).not.toContain(id);
      expect(await taken(due_ms)).toContain(id);
      asked_ms = due_ms;
    }
    expect(pauses).toEqual([30, 60, 120, 240, 480, 960, 1_920, 3_600, 3_600]);
  });

  it('is taken by only one of two sweeps at once', async () => {
    const trader = await openTrader({ USDT: '500' });
    const ids = await leaveStuck(trader, 8);
    const now_ms = Date.now() + MINUTE_MS;
    const [one, two] = await Promise.all([1, 2].map(() => takeDueWithdrawals(database, now_ms, 200)));
    const taken = [...(one ?? []), ...(two ?? [])].map(({ id }) => id).filter((id) => ids.includes(id));
    expect(taken.toSorted()).toEqual(ids.toSorted());
  });

  it.each([
    [
      'the sweep',
      takeDueWithdrawals(database, Date.now(), 60).toSQL(),
      [/SEARCH withdrawals USING PRIMARY KEY/, /SEARCH withdrawals USING COVERING INDEX withdrawals_to_ask/],
    ],
    [
      'a page of the operator’s list',
      selectOpenWithdrawals(database, 'PENDING', null, '01', 50).toSQL(),
      [/SEARCH withdrawals USING INDEX withdrawals_open \(status=\? AND id>\?\)/],
    ],
    [
      'a page of those older than a time',
      selectOpenWithdrawals(database, 'PENDING', Date.now(), '01', 50).toSQL(),
      [/SEARCH withdrawals USING INDEX withdrawals_open \(status=\? AND id>\?\)/],
    ],
  ])('is found through an index of open withdrawals only, without a sort: %s', async (_name, query, steps) => {
    const { results } = await env.DB.prepare(`EXPLAIN QUERY PLAN ${query.sql}`)
      .bind(...query.params)
      .all<{ detail: string }>();
    const plan = results.map(({ detail }) => detail);
    for (const step of steps)
      expect(
        plan.some((line) => step.test(line)),
        plan.join('\n'),
      ).toBe(true);
    expect(plan.filter((line) => /SCAN|TEMP B-TREE/.test(line))).toEqual([]);
  });
});

describe('the operator’s list of open withdrawals', () => {
  interface Page {
    readonly withdrawals: { readonly id: string }[];
    readonly nextCursor: string | null;
  }
  const read = async (query: string) => json<Page>(await asOperator('GET', `/withdrawals?${query}`));

  it('is read page by page, oldest first, each row once, even when rows are added meanwhile', async () => {
    await setSettings({ reviewThreshold: '1' });
    const trader = await openTrader({ USDT: '1000' });
    const ids: string[] = [];
    for (let made = 0; made < 5; made += 1) ids.push((await trader.takeOut(WITHDRAWAL)).id);
    const listed: string[] = [];
    let page = await read('status=PENDING&limit=2');
    while (page.nextCursor !== null) {
      listed.push(...page.withdrawals.map(({ id }) => id));
      if (listed.length === 2) ids.push((await trader.takeOut(WITHDRAWAL)).id);
      page = await read(`status=PENDING&limit=2&cursor=${page.nextCursor}`);
    }
    listed.push(...page.withdrawals.map(({ id }) => id));
    expect(listed).toEqual(ids);
    expect((await read('status=PENDING&olderThanMinutes=60')).withdrawals).toEqual([]);
  });

  it('has one that was made before the clock was set back', async () => {
    await setSettings({ reviewThreshold: '1' });
    const trader = await openTrader({ USDT: '1000' });
    const { id } = await trader.takeOut(WITHDRAWAL);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - 5_000 });
    const { withdrawals } = await read('status=PENDING&limit=200');
    expect(withdrawals.map((listed) => listed.id)).toContain(id);
  });

  it('refuses a cursor of another state, and a client’s cursor', async () => {
    await setSettings({ reviewThreshold: '1' });
    const trader = await openTrader({ USDT: '1000' });
    for (let made = 0; made < 2; made += 1) await trader.takeOut(WITHDRAWAL);
    const { nextCursor } = await read('status=PENDING&limit=1');
    const own = await json<Page>(await trader.get('/api/v1/wallet/withdrawals?limit=1'));
    for (const query of [`status=PROCESSING&cursor=${nextCursor}`, `status=PENDING&cursor=${own.nextCursor}`]) {
      await expectCode(asOperator('GET', `/withdrawals?${query}`), '400 invalid_cursor');
    }
  });
});
