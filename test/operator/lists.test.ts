// @runtime three-ledgers
import { beforeAll, describe, expect, it } from 'vitest';
import { openLedger } from '../../src/db/database.ts';
import { ledgerNumberOf } from '../../src/db/record-id.ts';
import { assetSymbols } from '../../src/money/assets.ts';
import { propose } from '../../src/operator/proposals.ts';
import { readAddresses } from '../support/addresses/addresses.ts';
import { type Trader, asOperator, operate } from '../support/exchange.ts';
import { drawHash } from '../support/deposits.ts';
import { openInLedger, openTraderIn } from '../support/db/open-in-ledger.ts';
import { measureDatabase } from '../support/runtime/meter.ts';
import {
  type Page,
  type Row,
  askWithoutLedger2,
  idsOf,
  walk as walkList,
  withQuery,
} from '../support/operator/lists.ts';
import { env } from '../support/runtime/test-env.ts';

import { sqlIn, listRowsIn } from '../support/db/sql.ts';

const ledgers = [0, 1, 2] as const;

const read = (path: string, query: object) => operate<Page>('GET', withQuery(path, query));

const walk = (path: string, name: string, query: Record<string, string> = {}, limit = 2) =>
  walkList(path, name, { ...query, limit: String(limit) });

async function idsIn(query: string): Promise<string[]> {
  const found = await Promise.all(ledgers.map((ledger) => sqlIn(ledger, query).all<{ id: string }>()));
  return found.flatMap(({ results }) => results.map(({ id }) => id));
}

/** Whether the rows of all ledgers are among them, in turn. */
function expectMixed(ids: readonly string[]): void {
  expect(new Set(ids.map(ledgerNumberOf))).toEqual(new Set(ledgers));
  const changes = ids.filter((id, place) => place > 0 && ledgerNumberOf(id) !== ledgerNumberOf(ids[place - 1] ?? id));
  expect(changes.length).toBeGreaterThan(ledgers.length);
}

function report(address: string, amount: string, confirmations: number): Promise<Response> {
  const body = { network: 'BTC', address, asset: 'BTC', amount, txHash: drawHash('BTC'), confirmations };
  return asOperator('POST', '/deposits', body);
}

let traders: Trader[];
let addresses: string[];
beforeAll(async () => {
  traders = await Promise.all(ledgers.map(openTraderIn));
  addresses = await Promise.all(traders.map(async (trader) => (await readAddresses(trader))['BTC'] ?? ''));
  await asOperator('PATCH', '/settings', { reviewThreshold: '1' });
  for (let round = 0; round < 3; round += 1) {
    for (const [ledger, trader] of traders.entries()) {
      await trader.takeOut({ amount: '20' });
      await report(addresses[ledger] ?? '', '0.5', 0);
      const request = { method: 'PATCH', path: '/operator/v1/settings', body: JSON.stringify({ round }) };
      const actor = { role: 'admin', now_ms: Date.now() } as const;
      await propose(openLedger(env, ledger), ledger, request, 'change_settings', actor);
    }
  }
});

describe('the operator’s lists over three ledgers', () => {
  it.each([
    ['/withdrawals', 'withdrawals', { status: 'PENDING' }, 'SELECT id FROM withdrawals', 1],
    ['/deposits', 'deposits', { status: 'PENDING' }, "SELECT id FROM deposits WHERE status = 'PENDING'", 1],
    ['/proposals', 'proposals', { status: 'OPEN' }, 'SELECT id FROM proposals', -1],
    ['/accounts', 'accounts', {}, 'SELECT id FROM accounts', -1],
    ['/accounts', 'accounts', { status: 'active' }, 'SELECT id FROM accounts', -1],
  ] as const)('%s has every row of each once, in one order', async (path, name, query, stored, direction) => {
    if (path === '/accounts') for (const ledger of [2, 0, 1, 2, 1, 0]) await openInLedger(ledger, Date.now());
    const all = (await idsIn(stored)).toSorted();
    for (const limit of [1, 2, 200]) {
      const walked = idsOf(await walk(path, name, query, limit));
      expect(walked).toEqual(direction > 0 ? all : all.toReversed());
      expectMixed(walked);
    }
  });

  it('read one page more of no ledger than of one', async () => {
    const limit = 2;
    const cost = await measureDatabase(() => read('/accounts', { limit: String(limit) }));
    // Of the accounts that are shown also their balances and their last sign-in are read, in their own ledgers alone.
    expect(cost.databaseTrips).toBeLessThanOrEqual(ledgers.length + limit);
    expect(cost.databaseRowsRead).toBeLessThanOrEqual(ledgers.length * (limit + 1) + limit * (assetSymbols.length + 4));
  });

  it('find accounts by the beginning of a word, in the order of the words, frozen ones alone too', async () => {
    const labels = ['m\u{20000}', 'm\u{FA0E}', 'x mb', 'ma', 'mb', 'ma mz', 'm', 'mc', 'ma'];
    const opened: { id: string; label: string; ledger: number }[] = [];
    for (const [place, label] of labels.entries()) {
      const ledger = place % 3;
      opened.push({ id: await openInLedger(ledger, Date.now(), undefined, label), label, ledger });
    }
    const rank = ['m', 'ma', 'ma mz', 'mb', 'mc', 'm\u{FA0E}', 'm\u{20000}'];
    const wordsOf = (label: string) => (label === 'x mb' ? 'mb' : label);
    const sorted = opened.toSorted(
      (one, other) =>
        rank.indexOf(wordsOf(one.label)) - rank.indexOf(wordsOf(other.label)) || (one.id < other.id ? -1 : 1),
    );
    for (const limit of [1, 2, 5]) {
      expect(idsOf(await walk('/accounts', 'accounts', { query: 'm' }, limit))).toEqual(idsOf(sorted));
    }
    const frozen = sorted.filter(({ label }) => label === 'ma' || label === 'mb');
    for (const { id } of frozen) await asOperator('PATCH', `/accounts/${id}`, { status: 'frozen' });
    expect(idsOf(await walk('/accounts', 'accounts', { query: 'm', status: 'frozen' }))).toEqual(idsOf(frozen));
  });

  it('find an account of any ledger by its id, its key, its address and the operator’s own id', async () => {
    for (const [ledger, trader] of traders.entries()) {
      const externalId = `customer-${ledger}`;
      const id = await openInLedger(ledger, Date.now(), externalId);
      expect(idsOf((await read('/accounts', { query: externalId }))['accounts'] ?? [])).toEqual([id]);
      for (const query of [trader.accountId, trader.keyId, addresses[ledger] ?? '']) {
        expect(idsOf((await read('/accounts', { query }))['accounts'] ?? [])).toEqual([trader.accountId]);
      }
    }
  });

  it('find addresses and transactions of any ledger', async () => {
    for (const [ledger, trader] of traders.entries()) {
      const address = addresses[ledger] ?? '';
      const found = await read('/search', { q: address });
      expect(found['results']).toMatchObject([{ kind: 'address', id: address, accountId: trader.accountId }]);
      const [deposit] = await walk('/accounts/'.concat(trader.accountId, '/deposits'), 'deposits');
      const byHash = await read('/search', { q: String(deposit?.['txHash']) });
      expect(byHash['results']).toMatchObject([{ kind: 'deposit', id: deposit?.id, accountId: trader.accountId }]);
    }
  });

  it('add up dust', async () => {
    await operate('PATCH', '/settings', { depositMinimums: { BTC: { BTC: '0.01' } } });
    for (const address of addresses) expect((await report(address, '0.001', 9)).status).toBe(201);
    const { dust } = await read('/deposits/dust', {});
    expect(dust).toEqual([{ asset: 'BTC', network: 'BTC', deposits: 3, amount: '0.003' }]);
  });

  it('fail when a ledger does not answer, rather than pass over its rows', async () => {
    expect((await askWithoutLedger2('/accounts')).status).toBe(503);
  });
});

describe('the audit of three ledgers', () => {
  const numbersIn = async (ledger: number, condition = '1') => {
    const query = `SELECT CAST(id AS TEXT) AS id FROM audit WHERE ${condition} ORDER BY audit.id DESC`;
    return (await listRowsIn<{ id: string }>(ledger, query)).map(({ id }) => id);
  };

  const expectWhole = async (rows: readonly Row[], condition?: string) => {
    for (const ledger of ledgers) {
      const own = rows.filter((row) => row.ledger === ledger);
      expect(idsOf(own), `ledger ${ledger}`).toEqual(await numbersIn(ledger, condition));
    }
    const times = rows.map(({ ts }) => String(ts));
    expect(times).toEqual(times.toSorted().toReversed());
  };

  it('has every row of each once, newest first, whatever the size of a page', async () => {
    for (const limit of [1, 3, 200]) await expectWhole(await walk('/audit', 'entries', {}, limit));
  });

  it('is found by its filters in all of them', async () => {
    const proposed = await walk('/audit', 'entries', { action: 'propose' });
    expect(proposed).toHaveLength(9);
    await expectWhole(proposed, "action = 'propose'");
    const since = new Date(Date.now() - 3_600_000).toISOString();
    await expectWhole(await walk('/audit', 'entries', { from: since }, 7));
    const target = traders[2]?.accountId ?? '';
    expect(new Set((await walk('/audit', 'entries', { target })).map(({ ledger }) => ledger))).toEqual(new Set([2]));
  });

  it('names the ledger of a row in the operator’s events as well', async () => {
    await operate('GET', '/events?ledger=2');
    await asOperator('PATCH', `/accounts/${traders[2]?.accountId}`, { status: 'active' });
    const { events } = await operate<{ events: { data: { entry: Row } }[] }>('GET', '/events?ledger=2');
    expect(events.map(({ data }) => data.entry.ledger)).toEqual([2]);
  });
});
