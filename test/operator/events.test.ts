import { describe, expect, it, onTestFinished } from 'vitest';
import type { OperatorEvent } from '../../src/events/operator-event.ts';
import { asOperator, openAccount, openTrader, operate } from '../support/exchange.ts';
import { reportDeposit, reportFor } from '../support/deposits.ts';
import { quarantine } from '../support/operator/quarantine.ts';
import { resetSettings, setSettings } from '../support/withdrawals/withdrawals.ts';
import { sql } from '../support/db/sql.ts';

interface Page {
  readonly events: readonly OperatorEvent[];
  readonly nextAfter: number;
  readonly since: number;
  readonly newest: number;
}

const read = async (query = '') => operate<Page>('GET', `/events?limit=200&${query}`);

/** Everything from now on. */
async function follow(): Promise<() => Promise<readonly OperatorEvent[]>> {
  const { newest } = await read();
  return async () => (await read(`after=${newest}`)).events;
}

const typesOf = (events: readonly OperatorEvent[]) => events.map(({ type }) => type);

const recordOf = ({ data }: OperatorEvent) => Object.values(data)[0] as Readonly<Record<string, unknown>>;

describe('the operator’s feed', () => {
  it('begins with the first read, and gives every row of the audit once, in order, by its number', async () => {
    await openAccount();
    expect(await read()).toEqual({ events: [], nextAfter: 0, since: 0, newest: 0 });
    const before = await sql('SELECT count(*) AS n FROM audit').first<number>('n');
    await openAccount({ USDT: '1' });
    const seen: OperatorEvent[] = [];
    let after = 0;
    for (let pages = 0; ; pages += 1) {
      const page = await operate<Page>('GET', `/events?after=${after}&limit=2`);
      if (page.events.length === 0) {
        expect(page.nextAfter).toBe(after);
        break;
      }
      seen.push(...page.events);
      after = page.nextAfter;
      if (pages < 2) await openAccount();
    }
    expect(seen.map(({ sequence }) => sequence)).toEqual(seen.map((_, at) => at + 1));
    const { entries } = await operate<{ entries: { id: string }[] }>('GET', '/audit?limit=200');
    const told = seen.filter(({ type }) => type === 'audit.added').map(({ data }) => data);
    expect(told).toEqual(
      entries
        .filter(({ id }) => Number(id) > (before ?? 0))
        .toReversed()
        .map((entry) => ({ entry })),
    );
    expect(told.length).toBeGreaterThan(3);
    expect(seen[0]?.id).toBe('evt_operator_0_1');
  });

  it('tells each status of a deposit of any account, as the operator’s list shows it, and nothing below the minimum', async () => {
    const trader = await openTrader();
    const news = await follow();
    const report = await reportFor(trader);
    await reportDeposit({ ...report, confirmations: 1 });
    await reportDeposit(report);
    await reportDeposit(await reportFor(trader, { amount: '0.000000000000000001' }));
    const events = (await news()).filter(({ type }) => type !== 'audit.added');
    expect(typesOf(events)).toEqual(['deposit.pending', 'deposit.completed']);
    const { deposits } = await operate<{ deposits: object[] }>('GET', `/accounts/${trader.accountId}/deposits`);
    expect(events.map(recordOf)).toEqual([deposits.at(-1), deposits.at(-1)]);
  });

  it('tells of a deposit that belongs to nobody, with why it is held and what can be done', async () => {
    const news = await follow();
    const { id } = await quarantine('ETH', '3');
    const [event] = (await news()).filter(({ type }) => type !== 'audit.added');
    expect(event?.type).toBe('deposit.quarantined');
    expect(event && recordOf(event)).toMatchObject({ id, accountId: null, remedies: ['credit', 'keep'] });
  });

  it('tells each status of a withdrawal, also of one that is reviewed and rejected', async () => {
    const trader = await openTrader({ USDT: '500' });
    const news = await follow();
    const paid = await trader.takeOut();
    await setSettings({ reviewThreshold: '0' });
    onTestFinished(resetSettings);
    const waiting = await trader.takeOut();
    const path = `/accounts/${trader.accountId}/withdrawals/${waiting.id}`;
    await operate('POST', `${path}/reject`, { reason: 'no' });
    const events = (await news()).filter(({ type }) => type !== 'audit.added');
    expect(events.map((event) => [event.type, recordOf(event)['id'], recordOf(event)['status']])).toEqual([
      ['withdrawal.processing', paid.id, 'COMPLETED'],
      ['withdrawal.completed', paid.id, 'COMPLETED'],
      ['withdrawal.pending', waiting.id, 'FAILED'],
      ['withdrawal.failed', waiting.id, 'FAILED'],
    ]);
    const { withdrawal } = await operate<{ withdrawal: object }>('GET', path);
    expect(events.at(-1)?.data).toEqual({ withdrawal });
  });

  it('costs a row for each event, and only from the first read on', async () => {
    const trader = await openTrader({ USDT: '500' });
    await follow();
    const count = () => sql('SELECT account_id, count(*) AS n FROM events GROUP BY account_id').all();
    const { results: before } = await count();
    await trader.trade({ coin: 'BTC', side: 'BUY', mode: 'USDT_AMOUNT', value: '10' });
    expect((await count()).results).toEqual(before);
    expect(before.map((row) => row['account_id'])).toEqual(['operator']);
  });

  it('says on each page where it ends, so that its newest events take two reads', async () => {
    const before = await read();
    await openAccount({ USDT: '5' });
    await openAccount();
    const { events, nextAfter, since, newest } = await operate<Page>('GET', '/events?limit=1');
    expect([events.length, nextAfter]).toEqual([1, since + 1]);
    expect(newest).toBeGreaterThan(before.newest + 2);
    const last = await read(`after=${newest - 2}`);
    expect(last.events.map(({ sequence }) => sequence)).toEqual([newest - 1, newest]);
    expect((await read(`after=${newest}`)).events).toEqual([]);
  });

  it('gives the wanted types alone', async () => {
    const { newest } = await read();
    await openAccount({ USDT: '5' });
    const { events } = await read(`after=${newest}&types=deposit.completed,deposit.failed`);
    expect(typesOf(events)).toEqual(['deposit.completed']);
  });

  it.each([
    'after=-1',
    'after=x',
    'limit=0',
    'limit=201',
    'types=order.filled',
    'types=',
    'ledger=1',
    'ledger=x',
    'after=999999999',
  ])('refuses %s', async (query) => {
    await follow();
    expect((await asOperator('GET', `/events?${query}`)).status).toBe(400);
  });
});
