import { beforeAll, describe, expect, it, vi } from 'vitest';
import { CHAINS } from '../../src/reconciliation/history.ts';
import { recordKinds } from '../../src/record-kinds.ts';
import { JOURNAL_START, scanJournal } from '../../src/reconciliation/scan-journal.ts';
import { type Trader, operate } from '../support/exchange.ts';
import { countRowsRead, holdWakings, measureDatabase } from '../support/runtime/meter.ts';
import {
  SHORT_CHAINS,
  SMALL,
  WHOLE,
  allOk,
  finishPass,
  followAll,
  invariantOf,
  makeActivity,
  reconcileAnew,
  reopen,
  statusesOf,
  withOwn,
} from '../support/reconciliation.ts';
import { env } from '../support/runtime/test-env.ts';
import { readTriggers, runWithout } from '../support/db/triggers.ts';
import { sql, listRows } from '../support/db/sql.ts';

const SMALL_ORDER = { coin: 'BTC', side: 'BUY', mode: 'USDT_AMOUNT', value: '1.234567' };

let traders: Trader[];
beforeAll(async () => {
  traders = await makeActivity(2);
});

async function count(table: string): Promise<string> {
  return String(await sql(`SELECT count(*) AS n FROM ${table}`).first<number>('n'));
}

describe('a pass of the reconciliation', () => {
  it('over all kinds of records finds every invariant kept, and writes nothing', async () => {
    let found: Awaited<ReturnType<typeof reconcileAnew>> | undefined;
    const cost = await measureDatabase(async () => {
      found = await reconcileAnew(WHOLE, SHORT_CHAINS);
    });
    expect(found && statusesOf(found)).toEqual(allOk);
    expect([found?.status, found?.violations]).toEqual(['ok', []]);
    expect(cost.databaseRowsWritten).toBe(0);
  });

  it('checks every row, in as many slices as necessary', async () => {
    const whole = await reconcileAnew(WHOLE, SHORT_CHAINS);
    const sliced = await reconcileAnew(SMALL, SHORT_CHAINS);
    expect(sliced.slices).toBeGreaterThanOrEqual(30);
    expect(sliced.invariants).toEqual(whole.invariants);
    const checked = (name: Parameters<typeof invariantOf>[1]) => invariantOf(sliced, name).figures['checked'];
    expect(checked('journal_has_no_gap')).toBe(await count('transfers'));
    expect(checked('balances_match_transfers')).toBe(await count('balances'));
    expect(checked('rounding_favours_house')).toBe(await count('orders'));
    expect(checked('withdrawals_paid_once')).toBe(await count('withdrawals'));
    expect(checked('withdrawals_within_limit')).toBe(await count('withdrawals'));
    expect(checked('addresses_have_one_owner')).toBe(await count('addresses'));
    const records = await Promise.all(
      ['orders', 'deposits', 'withdrawals', 'settlements', 'fundings', 'hedges'].map(count),
    );
    expect(checked('records_match_transfers')).toBe(String(records.map(Number).reduce((sum, one) => sum + one)));
  });

  it('counts as many transfers named by records as there are transfers, so none is looked up singly', async () => {
    await withOwn(async ({ reconciler }) => {
      await followAll(reconciler, SMALL);
      reconciler.begin(Date.now());
      while (reconciler.progress.pass?.chainsDone === false) await reconciler.advance(SMALL, Date.now());
      expect(String(reconciler.progress.pass?.head)).toBe(await count('transfers'));
      expect(reconciler.progress.pass?.legs).toBe(reconciler.progress.pass?.head);
      const summed = await countRowsRead(() => reconciler.advance(WHOLE, Date.now()));
      const asked = await countRowsRead(() =>
        scanJournal({ database: env.DB, kinds: recordKinds }, JOURNAL_START, WHOLE.explained, 'records'),
      );
      expect(asked - summed).toBeGreaterThan(reconciler.progress.newest.after);
    });
  });

  it('computes what is owed of each asset, to the atom', async () => {
    const { figures } = invariantOf(await reconcileAnew(), 'debts_within_caps');
    const results = await listRows<{ atoms: string }>(`SELECT asset, CAST(sum(amount) AS TEXT) AS atoms FROM balances
       WHERE account NOT LIKE 'house:%' AND asset IN ('USDT', 'BTC') GROUP BY asset ORDER BY asset`);
    const scales = [8, 6];
    const owed = results.map(({ atoms }, asset) => Number(atoms) / 10 ** (scales[asset] ?? 0));
    expect([figures['BTC'], figures['USDT']].map((one) => Number((one as Record<string, string>)['owed']))).toEqual(
      owed,
    );
  });

  it('gives no false alarm while trades go on between its slices and beside them', async () => {
    const [trader] = traders;
    let traded = 0;
    const found = await withOwn((own) =>
      finishPass(own, SMALL, async () => {
        traded += 1;
        if (traded % 4 === 0) await trader?.trade(SMALL_ORDER);
      }),
    );
    expect(statusesOf(found)).toEqual(allOk);
    expect(invariantOf(found, 'journal_has_no_gap').figures['checked']).toBe(await count('transfers'));

    const beside = await withOwn(async (own) => {
      const trading = { on: true };
      const trades = traders.map(async (one) => {
        while (trading.on) await one.trade(SMALL_ORDER);
      });
      const passed = await finishPass(own, { explained: 50, summed: 50, rows: 20 });
      trading.on = false;
      await Promise.all(trades);
      return passed;
    });
    expect(statusesOf(beside)).toEqual(allOk);
  });

  it('compares an account larger than a slice with all its transfers, also those written meanwhile', async () => {
    // Every account has more records of each kind than such a slice, so each is scanned in parts.
    const single = { explained: 10, summed: 10, rows: 2 };
    const [trader] = traders;
    let traded = 0;
    const found = await withOwn((own) =>
      finishPass(own, single, async () => {
        traded += 1;
        if (traded % 40 === 0) await trader?.trade(SMALL_ORDER);
      }),
    );
    expect(statusesOf(found)).toEqual(allOk);
    expect(invariantOf(found, 'balances_match_transfers').figures['checked']).toBe(await count('balances'));

    const triggers = (await readTriggers()).filter(({ name }) => name === 'balances_are_explained');
    const add = (atoms: number) =>
      runWithout(triggers, [
        sql(
          `UPDATE balances SET amount = amount + ${atoms} WHERE account = ? AND asset = 'BTC'`,
          trader?.accountId ?? '',
        ),
      ]);
    await add(1);
    const broken = await reconcileAnew(single);
    expect(broken.violations.map(({ invariant }) => invariant).toSorted()).toEqual([
      'balances_match_transfers',
      'ledger_sums_to_zero',
    ]);
    await add(-1);
    await reopen();
  });
});

it('what is new since the last slice is read once, when it comes', async () => {
  await withOwn(async ({ reconciler }) => {
    await followAll(reconciler, WHOLE);
    const before = reconciler.progress.newest.after;
    expect(String(before)).toBe(await count('transfers'));
    await traders[0]?.trade(SMALL_ORDER);
    const cost = await measureDatabase(() => reconciler.follow(WHOLE, Date.now()));
    expect(reconciler.progress.newest.after).toBe(before + 2);
    expect(cost.databaseRowsWritten).toBe(0);
    expect(cost.databaseRowsRead).toBeLessThan(400);
    // With chains as long as production's, no part of one ends between the two transfers.
  }, CHAINS);
});

it('a slice reads the same number of rows however many exist', async () => {
  const limits = { explained: 20, summed: 20, rows: 12 };
  const costs = () =>
    withOwn(async ({ reconciler }) => {
      const read: number[] = [];
      reconciler.begin(Date.now());
      while (reconciler.isUnderWay) read.push(await countRowsRead(() => reconciler.advance(limits, Date.now())));
      return Math.max(...read);
    });
  // Some accounts fit into a slice, and some do not.
  await makeActivity(2);
  // Once for all slices: each measurement would otherwise wait for the keeper.
  const wakings = await holdWakings();
  const before = await costs();
  await makeActivity(4);
  const after = await costs();
  wakings.restore();
  // Slices differ a little in content, but the number of rows outside of a slice makes no difference.
  expect(after).toBeLessThan(before * 1.2);
});

describe('the history', () => {
  const KEEPER = 'a history of its own';

  it('that was rewritten together with its records and balances is found, by its links alone', async () => {
    await withOwn(
      async (own) => {
        expect(statusesOf(await finishPass(own))).toEqual(allOk);
        expect(own.standing().links.transfers?.number).toBeGreaterThan(1);
        expect(own.standing().links.audit?.number).toBeGreaterThan(1);
        // An old trade is changed by one USDT in both rows, the transfer and both balances.
        const trade = await sql(
          "SELECT id, account_id, counterparty, first_transfer FROM settlements WHERE type = 'P2P_BUY' ORDER BY first_transfer LIMIT 1",
        ).first<{ id: string; account_id: string; counterparty: string; first_transfer: number }>();
        const { id = '', account_id: buyer = '', counterparty: seller = '', first_transfer: first = 0 } = trade ?? {};
        const pay = (account: string, atoms: number) =>
          sql(`UPDATE balances SET amount = amount + (${atoms}) WHERE account = ? AND asset = 'USDT'`, account);
        const rewrite = (atoms: number) => [
          sql(`UPDATE settlements SET usdt_amount = usdt_amount + (${atoms}) WHERE id = ?`, id),
          sql(`UPDATE transfers SET amount = amount + (${atoms}) WHERE id = ?`, first),
          pay(buyer, -atoms),
          pay(seller, atoms),
        ];
        const triggers = (await readTriggers()).filter(({ name }) =>
          ['settlements_are_not_changed', 'transfers_are_not_changed', 'balances_are_explained'].includes(name),
        );
        await runWithout(triggers, rewrite(1_000_000));
        const found = await finishPass(own);
        expect(found.violations.map(({ invariant }) => invariant)).toEqual(['history_unchanged']);
        expect(invariantOf(found, 'history_unchanged').examples).toMatchObject([{ chain: 'transfers' }]);
        await runWithout(triggers, rewrite(-1_000_000));
        await reopen();
        expect(statusesOf(await finishPass(own))).toEqual(allOk);
      },
      undefined,
      KEEPER,
    );
  });

  it('of the audit is found to be rewritten', async () => {
    await withOwn(async (own) => {
      await finishPass(own);
      const triggers = (await readTriggers()).filter(({ name }) => name === 'audit_is_not_changed');
      const role = (name: string) => sql(`UPDATE audit SET role = ? WHERE id = 7`, name);
      await runWithout(triggers, [role('nobody')]);
      const found = await finishPass(own);
      expect(found.violations.map(({ invariant }) => invariant)).toEqual(['history_unchanged']);
      expect(invariantOf(found, 'history_unchanged').examples).toMatchObject([{ chain: 'audit', link: '2' }]);
      await runWithout(triggers, [role('operator')]);
      await reopen();
    });
  });

  it('that is unchanged is not summed again: the journal is read from the newest link on, otherwise from its beginning', async () => {
    await withOwn(async (own) => {
      /** The number after which a pass begins to read the journal, or `null` before it does. */
      const readFrom = async () => {
        let from: number | null = null;
        await finishPass(own, WHOLE, () => {
          const { pass } = own.reconciler.progress;
          if (pass?.chainsDone) from ??= pass.journal?.after ?? null;
          return Promise.resolve();
        });
        return from;
      };
      const { rowsPerPart, partsPerLink } = SHORT_CHAINS.transfers;
      const rowsPerLink = rowsPerPart * partsPerLink;
      const links = Math.floor(Number(await count('transfers')) / rowsPerLink);
      expect(links).toBeGreaterThan(2);
      expect(await readFrom()).toBe(links * rowsPerLink);

      const triggers = (await readTriggers()).filter(({ name }) => name === 'transfers_are_not_changed');
      expect(triggers).toHaveLength(1);
      const move = (seconds: number) => sql('UPDATE transfers SET ts = ts + ? WHERE id = 3', seconds);
      await runWithout(triggers, [move(1)]);
      expect(await readFrom()).toBe(0);
      await runWithout(triggers, [move(-1)]);
      await reopen();
      expect(await readFrom()).toBe(links * rowsPerLink);
    });
  });

  it('that ends before its links is found, until an operator accepts a new start', async () => {
    await withOwn(async (own) => {
      await finishPass(own);
      const { progress } = own.reconciler;
      await env.DB.exec('CREATE TABLE saved_transfers AS SELECT * FROM transfers');
      const triggers = (await readTriggers()).filter(({ name }) => name === 'transfers_are_not_deleted');
      await runWithout(triggers, [sql('DELETE FROM transfers WHERE id > ?', progress.newest.after - 40)]);
      const found = await finishPass(own);
      expect(found.violations.map(({ invariant }) => invariant)).toContain('history_unchanged');
      own.reconciler.beginAnew();
      expect(own.standing().links.transfers).toBeNull();
      const anew = await finishPass(own);
      expect(invariantOf(anew, 'history_unchanged').status).toBe('ok');
      const refill = (await readTriggers()).filter(({ tbl_name }) => tbl_name === 'transfers');
      await runWithout(refill, [
        sql('INSERT INTO transfers SELECT * FROM saved_transfers WHERE id > ?', progress.newest.after - 40),
      ]);
      await reopen();
      await operate('GET', '/settings');
    });
    vi.restoreAllMocks();
    expect(statusesOf(await reconcileAnew())).toEqual(allOk);
  });
});
