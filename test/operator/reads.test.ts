import { beforeAll, describe, expect, it } from 'vitest';
import { and } from 'drizzle-orm';
import { openLedger } from '../../src/db/database.ts';
import { MAX_LOOKED_AT } from '../../src/http/list.ts';
import { byWords } from '../../src/operator/find-accounts.ts';
import {
  type Trader,
  asOperator,
  createKey,
  json,
  openAccount,
  openTrader,
  operate,
  expectCode,
} from '../support/exchange.ts';
import { openCrowd } from '../support/growth/open-crowd.ts';
import { reportDeposit, reportFor } from '../support/deposits.ts';
import { agreeP2p, readSettled, settle } from '../support/operator/settlements.ts';
import { timestampOfRecord } from '../../src/db/record-id.ts';
import { signIn } from '../support/holder/holders.ts';
import { countRowsRead, holdWakingsThroughout } from '../support/runtime/meter.ts';
import { type Page, type Row, idsOf, walk, withQuery } from '../support/operator/lists.ts';
import { env } from '../support/runtime/test-env.ts';

import { sql, listRows } from '../support/db/sql.ts';

holdWakingsThroughout();

const read = <T = Page>(path: string) => operate<T>('GET', path);

const expectRefused = (path: string, status: number, code: string) =>
  expectCode(asOperator('GET', path), `${status} ${code}`);

async function openNamed(label: string): Promise<string> {
  const { account } = await operate<{ account: { id: string } }>('POST', '/accounts', { label });
  return account.id;
}

describe('GET /operator/v1/accounts', () => {
  it('finds one by its id, by a key and by each of its deposit addresses', async () => {
    const trader = await openTrader();
    const addresses = await Promise.all(['BTC', 'ETH', 'SOL', 'TRC20'].map((network) => trader.addressOn(network)));
    for (const query of [trader.accountId, trader.keyId, ...addresses, addresses[1]?.toLowerCase() ?? '']) {
      expect(idsOf(await walk('/accounts', 'accounts', { query })), query).toEqual([trader.accountId]);
    }
    expect(await walk('/accounts', 'accounts', { query: trader.accountId, status: 'frozen' })).toEqual([]);
  });

  it('finds those of whom any word begins with a text, whatever the case and the accents, each once', async () => {
    const fitting = ['Ada B', 'Åda', 'ADA-Ada', 'Bob (ada)', "Ada' OR 1=1 --", 'Ada%', 'x ada b.'];
    const labels = [...fitting, 'Ad', 'Adb', 'Canada', 'a d a', '%'];
    const ids = new Map<string, string>();
    for (const label of labels) ids.set(label, await openNamed(label));
    const find = async (query: string, limit = '200') =>
      (await walk('/accounts', 'accounts', { query, limit })).map(({ label }) => String(label));
    for (const limit of ['1', '2', '200']) {
      const found = await find('Ada', limit);
      expect(found).toHaveLength(fitting.length);
      expect(new Set(found)).toEqual(new Set(fitting));
    }
    expect((await find('aDa  b')).toSorted()).toEqual(['Ada B', 'x ada b.']);
    expect(await find('bob a')).toEqual(['Bob (ada)']);
    for (const query of ['nobody at all', '%', '--', 'ada ada ada']) expect(await find(query), query).toEqual([]);
  });

  it('finds by words in their index, without a sort', async () => {
    const order = byWords('ada');
    const within = and(order.isBehind({ id: 'x', words: 'ada' }), order.isUpTo(undefined));
    const query = order.select(openLedger(env, 0), within, 50).toSQL();
    const plan = await listRows<{ detail: string }>(`EXPLAIN QUERY PLAN ${query.sql}`, ...query.params);
    expect(plan.map(({ detail }) => detail)).toEqual([
      expect.stringMatching(/^SEARCH account_words USING COVERING INDEX account_words_in_order \(.*>/),
      'CORRELATED SCALAR SUBQUERY 1',
      'SEARCH earlier USING PRIMARY KEY (account_id=? AND words>? AND words<?)',
      'SEARCH accounts USING PRIMARY KEY (id=?)',
    ]);
  });

  it('finds accounts by their ids, up to a hundred', async () => {
    const ids = [await openNamed('one of'), await openNamed('one of')];
    const ask = (list: readonly string[]) => walk('/accounts', 'accounts', { ids: list.join(',') });
    expect(idsOf(await ask(ids))).toEqual(ids.toReversed());
    expect(await ask(['01a1fcca-895a-7000-b43c-11f474a4f8d5'])).toEqual([]);
    await expectRefused(`/accounts?ids=${Array(101).fill(ids[0]).join(',')}`, 400, 'invalid_request');
  });

  it('lists the frozen ones among thousands, a bounded look at a time', async () => {
    await openCrowd(0, 4_000);
    const [old, young] = [await openNamed('cold 1'), await openNamed('cold 2')];
    const first = await sql('SELECT id FROM accounts ORDER BY id LIMIT 1').first<string>('id');
    for (const id of [old, young, first]) await asOperator('PATCH', `/accounts/${id}`, { status: 'frozen' });
    const results = await listRows<Row>("SELECT id FROM accounts WHERE status = 'frozen' ORDER BY id DESC");
    expect(idsOf(await walk('/accounts', 'accounts', { status: 'frozen' }))).toEqual(idsOf(results));
    expect(results.length).toBeGreaterThanOrEqual(3);
    const queries: Record<string, string>[] = [
      { status: 'frozen' },
      { status: 'frozen', query: 'cold' },
      { query: 'crowd' },
      { query: 'crowd', openedTo: '2000-01-01T00:00:00Z' },
      { openedTo: '2000-01-01T00:00:00Z' },
      { status: 'frozen', openedFrom: '2000-01-01T00:00:00Z' },
      {},
    ];
    for (const query of queries) {
      const path = withQuery('/accounts', query);
      expect(await countRowsRead(() => read(path)), path).toBeLessThanOrEqual(MAX_LOOKED_AT);
    }
  });

  it('finds those that were opened between two times, a page at a time and with the other filters', async () => {
    const ids: string[] = [];
    for (const label of ['dated one', 'dated two', 'dated three']) ids.push(await openNamed(label));
    const [, middle = '', last = ''] = ids;
    const [openedFrom, openedTo] = [middle, last].map(timestampOfRecord);
    const find = async (filter: Record<string, string | undefined>, limit = '200') =>
      idsOf(await walk('/accounts', 'accounts', { ...(filter as Record<string, string>), limit }));
    // Two of one millisecond are on the same side.
    const later = (time = '') => ids.filter((id) => timestampOfRecord(id) >= time).toReversed();
    const [fromMiddle, fromLast] = [later(openedFrom), later(openedTo)];
    const between = fromMiddle.filter((id) => !fromLast.includes(id));
    for (const limit of ['1', '200']) {
      expect(await find({ openedFrom }, limit)).toEqual(fromMiddle);
      expect(await find({ openedFrom, openedTo }, limit)).toEqual(between);
      expect((await find({ openedFrom, openedTo, query: 'dated' }, limit)).toSorted()).toEqual(between.toSorted());
      expect(await find({ openedFrom, openedTo, status: 'active' }, limit)).toEqual(between);
      expect(await find({ openedFrom, status: 'frozen' }, limit)).toEqual([]);
    }
    expect(await find({ openedTo, query: last })).toEqual([]);
    const before = ids.filter((id) => !fromLast.includes(id)).toReversed();
    expect(await find({ openedTo, ids: ids.join(',') })).toEqual(before);
  });

  it('shows what accounts are worth, what they traded in 30 days, and when somebody last signed in', async () => {
    const trader = await openTrader({ USDT: '100' });
    const { accountId } = trader;
    const list = async () => (await walk('/accounts', 'accounts', { ids: accountId }))[0];
    const fresh = { usdValue: '100', volume: '0', isVolumeWhole: true, lastSignInAt: null };
    expect(await list()).toMatchObject(fresh);
    await trader.trade({ coin: 'BTC', side: 'BUY', mode: 'USDT_AMOUNT', value: '10' });
    await trader.trade({ coin: 'BTC', side: 'BUY', mode: 'USDT_AMOUNT', value: '30' });
    const { sessionId } = await signIn(accountId);
    const { account } = await read<{ account: Row }>(`/accounts/${accountId}`);
    const row = await list();
    expect(row).toMatchObject({ usdValue: account['usdValue'], volume: '40', isVolumeWhole: true });
    expect(row?.['lastSignInAt']).toBe(timestampOfRecord(sessionId));
  });

  it('binds its cursors to its filters', async () => {
    const page = await read('/accounts?limit=1');
    const cursor = page.nextCursor ?? '';
    await expectRefused(withQuery('/accounts', { cursor, status: 'active' }), 400, 'invalid_cursor');
    await expectRefused(withQuery('/accounts', { cursor, query: 'test' }), 400, 'invalid_cursor');
    await expectRefused(withQuery('/accounts', { cursor, openedFrom: '2026-01-01T00:00:00Z' }), 400, 'invalid_cursor');
    await expectRefused('/accounts?openedFrom=yesterday', 400, 'invalid_request');
    await expectRefused('/accounts?query=', 400, 'invalid_request');
    await expectRefused('/accounts?status=closed', 400, 'invalid_request');
  });
});

describe('GET /operator/v1/accounts/{id}', () => {
  it('has balances with their value, what is used of the limit, the second factor, keys and addresses', async () => {
    const trader = await openTrader({ USDT: '1000', BTC: '0.5' });
    await trader.takeOut();
    await asOperator('POST', `/accounts/${trader.accountId}/allowlist`, {
      network: 'ETH',
      address: '0x52908400098527886E0F7030069857D2E4169EE7',
      label: 'cold',
    });
    const { account } = await read<{ account: Record<string, unknown> }>(`/accounts/${trader.accountId}`);
    const balances = account['balances'] as { asset: string; amount: string; usdValue: string }[];
    expect(Object.fromEntries(balances.map(({ asset, amount }) => [asset, amount]))).toEqual(await trader.balances());
    const valueOf = (asset: string) => Number(balances.find((one) => one.asset === asset)?.usdValue);
    expect(valueOf('USDT')).toBe(949);
    expect(valueOf('BTC')).toBeGreaterThan(1_000);
    expect(Number(account['usdValue'])).toBeCloseTo(valueOf('USDT') + valueOf('BTC'), 5);
    expect(account).toMatchObject({
      dailyWithdrawals: { limit: '5000', used: '50', remaining: '4950' },
      totp: { enabled: false, lockedUntil: null },
      apiKeys: [{ id: trader.keyId }],
      allowlist: [{ label: 'cold', network: 'ETH' }],
    });
  });

  it('shows when each key was last used, and of one that never was nothing', async () => {
    const trader = await openTrader();
    await createKey(trader.accountId);
    await trader.balances();
    const { account } = await read<{ account: { apiKeys: { id: string; lastUsedAt: string | null }[] } }>(
      `/accounts/${trader.accountId}`,
    );
    const uses = Map.groupBy(account.apiKeys, ({ lastUsedAt }) => lastUsedAt !== null);
    expect(uses.get(true)?.map(({ id }) => id)).toEqual([trader.keyId]);
    expect(uses.get(false)).toHaveLength(1);
  });

  it('shows no secret, and is not found for an unknown id', async () => {
    const trader = await openTrader();
    const { secret } = await operate<{ secret: string }>('POST', `/accounts/${trader.accountId}/totp`);
    const shown = await (await asOperator('GET', `/accounts/${trader.accountId}`)).text();
    expect(shown).not.toContain(secret);
    expect(shown).not.toContain(trader.token.slice(-60));
    await expectRefused('/accounts/01a1fcca-895a-7000-b43c-11f474a4f8d5', 404, 'not_found');
  });
});

describe('the records of an account', () => {
  let trader: Trader;
  beforeAll(async () => {
    trader = await openTrader({ USDT: '5000', ETH: '10' });
    await trader.trade({ coin: 'BTC', side: 'BUY', mode: 'USDT_AMOUNT', value: '10' });
    await trader.trade({ coin: 'ETH', side: 'SELL', mode: 'COIN_QTY', value: '0.1' });
    await trader.takeOut();
  });

  it.each([
    ['transactions', '/api/v1/wallet/transactions'],
    ['orders', '/api/v1/orders'],
  ])('%s are what their holder sees', async (name, path) => {
    const own = await json<Page>(await trader.get(path));
    expect(own[name]?.length).toBeGreaterThan(0);
    expect(await walk(`/accounts/${trader.accountId}/${name}`, name, { limit: '2' })).toEqual(own[name]);
  });

  it('withdrawals and deposits have what the operator needs besides', async () => {
    const [withdrawal] = await walk(`/accounts/${trader.accountId}/withdrawals`, 'withdrawals', {
      status: 'COMPLETED',
    });
    expect(withdrawal).toMatchObject({ accountId: trader.accountId, usdValue: '50', type: 'ONCHAIN_WITHDRAWAL' });
    const deposits = await walk(`/accounts/${trader.accountId}/deposits`, 'deposits', { limit: '1' });
    expect(deposits).toMatchObject([
      { asset: 'ETH', reference: 'fund ETH', network: null, remedies: [] },
      { asset: 'USDT', reference: 'fund USDT', accountId: trader.accountId },
    ]);
  });

  it.each(['transactions', 'orders', 'withdrawals', 'deposits'])(
    '%s of an unknown account are not found, and their cursors open no other account’s',
    async (name) => {
      await expectRefused(`/accounts/01a1fcca-895a-7000-b43c-11f474a4f8d5/${name}`, 404, 'not_found');
      const busy = await openTrader({ USDT: '5000', BTC: '1', ETH: '1' });
      for (let done = 0; done < 2; done += 1) {
        await busy.trade({ coin: 'BTC', side: 'BUY', mode: 'USDT_AMOUNT', value: '10' });
        await busy.takeOut();
      }
      const { nextCursor } = await read(`/accounts/${busy.accountId}/${name}?limit=1`);
      expect(nextCursor).not.toBeNull();
      const other = withQuery(`/accounts/${trader.accountId}/${name}`, { cursor: nextCursor ?? '' });
      await expectRefused(other, 400, 'invalid_cursor');
    },
  );
});

describe('GET /operator/v1/deposits', () => {
  it('lists what waits for confirmations, and what is quarantined with what can be done', async () => {
    const trader = await openTrader();
    const report = async (change: object) => (await reportDeposit(await reportFor(trader, change))).id;
    const pending = [await report({ confirmations: 1 }), await report({ confirmations: 2 })];
    const unknown = await report({ address: '0x52908400098527886E0F7030069857D2E4169EE7' });
    const unsupported = await report({ asset: 'SHIB' });
    const inner = await report({ outputIndex: 2 ** 31 });
    const overCap = await report({ amount: '9999999999' });
    const dust = await report({ amount: '0.0000000001' });
    for (const limit of ['1', '200']) {
      expect(idsOf(await walk('/deposits', 'deposits', { status: 'PENDING', limit }))).toEqual(pending);
      const quarantined = await walk('/deposits', 'deposits', { status: 'QUARANTINED', limit });
      expect(quarantined.map(({ id, reason, remedies, accountId }) => [id, reason, remedies, accountId])).toEqual([
        [unknown, 'unknown_address', ['credit', 'keep'], null],
        [unsupported, 'unsupported_asset', ['keep'], null],
        [inner, 'inner_payment', ['credit', 'keep'], trader.accountId],
        [overCap, 'supply_cap', ['raise_supply_cap', 'credit', 'keep'], trader.accountId],
      ]);
      expect(idsOf(quarantined)).not.toContain(dust);
    }
    const { nextCursor } = await read('/deposits?status=PENDING&limit=1');
    await expectRefused(
      withQuery('/deposits', { status: 'QUARANTINED', cursor: nextCursor ?? '' }),
      400,
      'invalid_cursor',
    );
    await expectRefused('/deposits', 400, 'invalid_request');
    expect(await countRowsRead(() => read('/deposits?status=QUARANTINED'))).toBeLessThan(10);
  });
});

describe('POST /operator/v1/accounts/{id}/notes', () => {
  it('writes who noted what and when, for the audit alone, and finds it there', async () => {
    const id = await openNamed('noted');
    const { entry } = await operate<{ entry: Row }>('POST', `/accounts/${id}/notes`, { text: '  called, identified ' });
    expect(entry).toMatchObject({ actor: 'operator', target: id, detail: { text: 'called, identified' } });
    expect(await walk('/audit', 'entries', { target: id, action: 'note_account' })).toEqual([entry]);
    for (const text of ['', '   ', 'x'.repeat(2_001)]) {
      await expectCode(asOperator('POST', `/accounts/${id}/notes`, { text }), '400 invalid_request');
    }
  });
});

describe('GET /operator/v1/audit', () => {
  it('has every change, newest first, and finds those of a target, an action and an actor', async () => {
    const id = await openNamed('audited');
    await asOperator('PATCH', `/accounts/${id}`, { status: 'frozen', reason: 'a lost telephone' });
    await asOperator('PATCH', `/accounts/${id}`, { status: 'active' });
    const own = await walk('/audit', 'entries', { target: id, limit: '1' });
    expect(own).toMatchObject([
      { action: 'change_account', actor: 'operator', detail: { status: 'active' } },
      { action: 'change_account', detail: { status: 'frozen', because: 'a lost telephone' } },
      { action: 'open_account', detail: { label: 'audited' } },
    ]);
    expect(await walk('/audit', 'entries', { target: id, action: 'open_account' })).toEqual([own[2]]);
    expect(await walk('/audit', 'entries', { target: id, actor: 'deposits' })).toEqual([]);
    const results = await listRows<Row>('SELECT CAST(id AS TEXT) AS id FROM audit ORDER BY audit.id DESC');
    expect(idsOf(await walk('/audit', 'entries', { limit: '200' }))).toEqual(idsOf(results));
  });

  it('has a span of time, and reads a bounded part of it however long the audit is', async () => {
    const day_ms = 86_400_000;
    const [head, begin_ms, count] = [
      (await sql('SELECT max(id) AS head FROM audit').first<number>('head')) ?? 0,
      Date.now() + 30 * day_ms,
      6_000,
    ];
    await env.DB.batch(
      Array.from({ length: count / 1_000 }, (_, thousand) =>
        sql(
          `WITH RECURSIVE n (i) AS (SELECT ?1 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < ?1 + 1000)
           INSERT INTO audit (id, ts, role, action, target, detail)
           SELECT ?2 + i, ?3 + i * 60000, 'deposits', 'report_deposit', 'crowd', '{}' FROM n`,
          thousand * 1_000 + 1,
          head,
          begin_ms,
        ),
      ),
    );
    const at = (minutes: number) => new Date(begin_ms + minutes * 60_000).toISOString();
    const spans = [
      [100, 110],
      [1, 3],
      [5_990, 9_000],
    ] as const;
    for (const [from, to] of spans) {
      const path = withQuery('/audit', { from: at(from), to: at(to), limit: '200' });
      const page = await read(path);
      expect(page['entries']?.length).toBe(Math.min(to, count + 1) - from);
      expect(await countRowsRead(() => read(path))).toBeLessThan(150);
    }
    const rare = withQuery('/audit', { actor: 'operator', from: at(0) });
    expect(await countRowsRead(() => read(rare))).toBeLessThanOrEqual(MAX_LOOKED_AT + 60);
    expect(await walk('/audit', 'entries', { actor: 'operator', from: at(0) })).toEqual([]);
    const old = await walk('/audit', 'entries', { actor: 'operator' });
    expect(old.length).toBeGreaterThan(3);
  });

  it('binds its cursors to its filters', async () => {
    const { nextCursor } = await read('/audit?limit=1');
    await expectRefused(withQuery('/audit', { cursor: nextCursor ?? '', actor: 'operator' }), 400, 'invalid_cursor');
    await expectRefused('/audit?from=monday', 400, 'invalid_request');
  });
});

describe('GET /operator/v1/keys/{keyId}', () => {
  it('is the key of whichever account, also once it is revoked', async () => {
    const { accountId, keyId } = await createKey(await openAccount());
    const known = await read<{ apiKey: Row }>(`/keys/${keyId}`);
    expect(known.apiKey).toMatchObject({ id: keyId, accountId, revokedAt: null });
    await asOperator('DELETE', `/accounts/${accountId}/api-keys/${keyId}`);
    expect((await read<{ apiKey: Row }>(`/keys/${keyId}`)).apiKey['revokedAt']).not.toBeNull();
    await expectRefused(`/keys/${accountId}`, 404, 'not_found');
  });
});

describe('GET /operator/v1/search', () => {
  const find = (q: string) => read<{ results: Row[] }>(withQuery('/search', { q }));

  it('finds accounts, keys, orders, settlements, credits, deposits and withdrawals by their id', async () => {
    const [trader, other] = [
      await openTrader({ USDT: '5000', ETH: '1' }),
      await openTrader({ USDT: '5000', ETH: '10' }),
    ];
    const { accountId } = trader;
    const order = await trader.trade({ coin: 'BTC', side: 'BUY', mode: 'USDT_AMOUNT', value: '10' });
    const withdrawal = await trader.takeOut();
    const settlement = await readSettled(await settle(agreeP2p(trader, other)));
    const [credit] = await walk(`/accounts/${accountId}/deposits`, 'deposits');
    const body = await reportFor(trader, { confirmations: 1 });
    const deposit = await reportDeposit(body);
    const expected = [
      [accountId, 'account'],
      [trader.keyId, 'api_key'],
      [order.id, 'order'],
      [withdrawal.id, 'withdrawal'],
      [credit?.id ?? '', 'deposit'],
      [deposit.id, 'deposit'],
    ] as const;
    for (const [id, kind] of expected) {
      expect((await find(id)).results).toMatchObject([{ kind, id, accountId }]);
    }
    const parties = (await find(settlement.id)).results.map(
      ({ kind, accountId: party }) => `${String(kind)} ${String(party)}`,
    );
    expect(new Set(parties)).toEqual(new Set([accountId, other.accountId].map((party) => `settlement ${party}`)));
    expect((await find(body.txHash.toUpperCase().replace('0X', '0x'))).results).toEqual([
      { kind: 'deposit', id: deposit.id, accountId, network: 'ETH' },
    ]);
    expect((await find(withdrawal.txHash ?? '')).results).toEqual([
      { kind: 'withdrawal', id: withdrawal.id, accountId, network: 'TRC20' },
    ]);
    expect((await find(body.address)).results).toContainEqual({
      kind: 'address',
      id: body.address,
      accountId,
      network: 'ETH',
    });
  });

  it.each(['01a1fcca-895a-7000-b43c-11f474a4f8d5', 'nothing', "x' OR 1=1 --", `0x${'0'.repeat(64)}`])(
    'finds nothing of %s',
    async (q) => {
      expect(await find(q)).toEqual({ results: [] });
    },
  );

  it('reads a bounded number of rows', async () => {
    const trader = await openTrader({ USDT: '5000' });
    const order = await trader.trade({ coin: 'BTC', side: 'BUY', mode: 'USDT_AMOUNT', value: '10' });
    expect(await countRowsRead(() => find(order.id))).toBeLessThanOrEqual(2_200);
    await expectRefused('/search', 400, 'invalid_request');
  });
});
