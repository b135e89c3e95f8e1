import { beforeAll, describe, expect, it } from 'vitest';
import { NO_PROFIT, type ProfitOfDay } from '../../src/reconciliation/profit-of-day.ts';
import { type Profit, describeProfit } from '../../src/operator/profit.ts';
import { asOperator, expectCode, openTrader, operate } from '../support/exchange.ts';
import { runKeeper, tradeAll } from '../support/reconciliation.ts';

const today = () => new Date().toISOString().slice(0, 10);
const read = async (query = '') => (await operate<{ profit: Profit }>('GET', `/profit${query}`)).profit;

describe('GET /operator/v1/profit', () => {
  beforeAll(async () => {
    await tradeAll(await openTrader({ USDT: '1000', BTC: '1', ETH: '1' }));
    await runKeeper();
  });

  it('is by day and coin the parts, which add up to the profit, and their sum', async () => {
    const { days, sum, ledgers, from, to } = await read();
    expect(to).toBe(today());
    expect((Date.parse(to) - Date.parse(from)) / 86_400_000).toBe(30);
    expect(days.map(({ coin, orders }) => [coin, orders])).toEqual([
      ['BTC', 2],
      ['ETH', 2],
      ['DOGE', 1],
    ]);
    for (const row of [...days, sum]) {
      const parts = [row.spread, row.hedges, row.fees, row.settlements, row.revaluation].map(Number);
      expect(Number(row.profit)).toBeCloseTo(
        parts.reduce((total, part) => total + part, 0),
        9,
      );
      expect(Number(row.spread)).toBeGreaterThan(0);
    }
    expect(sum.orders).toBe(5);
    expect(ledgers).toEqual([{ ledger: 0, profit: sum.profit }]);
  });

  it('is of the days that are asked for', async () => {
    expect((await read(`?from=${today()}&to=${today()}`)).days).toHaveLength(3);
    expect(await read('?from=2026-01-01&to=2026-02-01')).toMatchObject({
      from: '2026-01-01',
      to: '2026-02-01',
      days: [],
    });
    expect((await read('?to=2026-02-01')).from).toBe('2026-01-02');
  });

  it.each(['from=2026-02-02&to=2026-02-01', 'from=2025-01-01&to=2026-01-02', 'from=2026-02-30', 'day=2026-02-01'])(
    'refuses %s',
    async (query) => {
      await expectCode(asOperator('GET', `/profit?${query}`), '400 invalid_request');
    },
  );

  it('is a table for a spreadsheet, too', async () => {
    const response = await asOperator('GET', '/profit?format=csv');
    expect(response.headers.get('content-type')).toBe('text/csv');
    const lines = (await response.text()).split('\r\n');
    expect(lines[0]).toBe('day,coin,orders,spread,hedges,fees,settlements,revaluation,profit');
    const { days } = await read();
    const [first] = days;
    expect(lines[1]).toBe([first!.day, 'BTC', 2, first!.spread, 0, 0, 0, first!.revaluation, first!.profit].join());
    expect(lines.slice(1)).toHaveLength(days.length + 1);
  });

  it('is added up over the ledgers, and names one that does not answer', () => {
    const day: ProfitOfDay = {
      ...NO_PROFIT,
      day: '2026-11-21',
      coin: 'BTC',
      orders: 1,
      spread: '1000000',
      fees: '-250000',
    };
    const later = { ...day, day: '2026-11-22' };
    const answers = [
      { ledger: 0, answer: [day, later] },
      { ledger: 1, answer: undefined },
      { ledger: 2, answer: [{ ...day, revaluation: '-3000000' }] },
    ];
    const shown = describeProfit(answers, { from: '2026-11-20', to: '2026-11-21' }, 0);
    expect(shown.days).toMatchObject([
      { day: '2026-11-21', coin: 'BTC', orders: 2, spread: '2', fees: '-0.5', revaluation: '-3', profit: '-1.5' },
    ]);
    expect(shown.sum.profit).toBe('-1.5');
    expect(shown.ledgers.map(({ profit }) => profit)).toEqual(['0.75', null, '-2.25']);
  });
});
