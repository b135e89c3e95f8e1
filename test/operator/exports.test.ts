import { beforeAll, describe, expect, it } from 'vitest';
import { asOperator, expectCode, openTrader, operate } from '../support/exchange.ts';
import { openCrowd } from '../support/growth/open-crowd.ts';
import { drawHash } from '../support/deposits.ts';
import { type Page, type Row, walk, withQuery } from '../support/operator/lists.ts';

async function exportList(list: string, query?: Record<string, string>): Promise<string[]> {
  const response = await asOperator('POST', '/exports', { list: `/operator/v1${list}`, ...(query && { query }) });
  expect([response.status, response.headers.get('Content-Type')]).toEqual([200, 'text/csv']);
  const lines = (await response.text()).split('\r\n');
  expect(lines.at(-1)).toBe('');
  return lines.slice(0, -1);
}

const readNewestAudit = async () => (await operate<Page>('GET', '/audit?limit=1'))['entries']?.[0];

/** A row as a line, where no cell needs a quote or an apostrophe. */
const toLine = (columns: readonly string[], row: Row) => columns.map((name) => row[name] as string | null).join();

let accountId: string;
beforeAll(async () => {
  const trader = await openTrader({ USDT: '100' });
  ({ accountId } = trader);
  await trader.trade({ coin: 'BTC', side: 'BUY', mode: 'USDT_AMOUNT', value: '10' });
  const report = { network: 'BTC', asset: 'BTC', address: await trader.addressOn('BTC'), amount: '0.5' };
  await operate('POST', '/deposits', { ...report, txHash: drawHash('BTC'), confirmations: 0 });
});

describe('POST /operator/v1/exports', () => {
  it('writes every page of a list in its order, and notes it in the audit', async () => {
    await openCrowd(0, 450);
    const [header = '', ...lines] = await exportList('/accounts', { status: 'active' });
    const columns = header.split(',');
    expect(columns).toContain('dailyWithdrawalLimit');
    const rows = await walk('/accounts', 'accounts', { status: 'active', limit: '200' });
    expect(rows.length).toBeGreaterThan(450);
    expect(lines).toEqual(rows.map((row) => toLine(columns, row)));
    expect(await readNewestAudit()).toMatchObject({
      actor: 'operator',
      action: 'export_list',
      target: '/operator/v1/accounts',
      detail: { status: 'active' },
    });
  });

  it.each([
    ['/audit', {}],
    ['/deposits', { status: 'PENDING' }],
    ['/deposits/dust', {}],
    ['/withdrawals', { status: 'PENDING' }],
    ['/proposals', {}],
    ['/staff', {}],
    ['/payout-claims', {}],
  ])('writes %s with %o', async (list, query) => {
    const { nextCursor: _next, ...page } = await operate<Page>('GET', withQuery(list, { ...query }));
    const lines = await exportList(list, query);
    const [rows = []] = Object.values(page) as Row[][];
    expect(lines.length - 1).toBe(rows.length);
  });

  it.each(['transactions', 'orders', 'withdrawals', 'deposits'])('writes the %s of an account', async (name) => {
    const path = `/accounts/${accountId}/${name}`;
    const [header = '', ...lines] = await exportList(path);
    const rows = await walk(path, name);
    expect(lines).toHaveLength(rows.length);
    const columns = header.split(',');
    for (const row of rows) expect(Object.keys(row).filter((member) => !columns.includes(member))).toEqual([]);
  });

  it('has no formula that a customer could have written into a name', async () => {
    await operate('POST', '/accounts', { label: '=HYPERLINK("http://x.test","a bill")' });
    const lines = await exportList('/accounts', { query: 'hyperlink' });
    expect(lines[1]).toContain(`"'=HYPERLINK(""http://x.test"",""a bill"")"`);
  });

  it.each([
    ['/house', undefined, '400 invalid_request'],
    ['/metrics', undefined, '400 invalid_request'],
    ['/exports', undefined, '400 invalid_request'],
    ['/../../api/v1/assets', undefined, '400 invalid_request'],
    ['/accounts', { limit: '1' }, '400 invalid_request'],
    ['/accounts', { cursor: 'x' }, '400 invalid_request'],
    ['/accounts', { status: 'closed' }, '400 invalid_request'],
    ['/accounts/01a1fcca-895a-7000-b43c-11f474a4f8d5/orders', undefined, '404 not_found'],
  ])('refuses %s with %o, and notes nothing', async (list, query, code) => {
    const before = await readNewestAudit();
    await expectCode(asOperator('POST', '/exports', { list: `/operator/v1${list}`, query }), code);
    expect(await readNewestAudit()).toEqual(before);
  });
});
