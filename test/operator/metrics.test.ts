import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import alerts from '../../docs/alerts.yml?raw';
import runbook from '../../docs/operations.md?raw';
import { LedgerGate } from '../../src/orders/gate.ts';
import { LedgerKeeper } from '../../src/keeper/ledger-keeper.ts';
import { PriceHub } from '../../src/markets/price-hub.ts';
import { METRICS_TYPE } from '../../src/operator/metrics.ts';
import type { Venues } from '../../src/operator/venues.ts';
import type { Profit } from '../../src/operator/profit.ts';
import { type Trader, asOperator, openTrader, operate } from '../support/exchange.ts';
import { LedgerHedger } from '../../src/dealing/ledger-hedger.ts';
import { newRecordId } from '../../src/db/record-id.ts';
import { VENUE_NAME, dealtRow, endHedge, fundVenue, openHedge } from '../support/db/house-money.ts';
import { NOON_MS } from '../support/db/raw-ledger.ts';
import { HEDGING } from '../support/dealing/market.ts';
import { reportOf } from '../support/dealing/venue-report.ts';
import { env } from '../support/runtime/test-env.ts';
import { runKeeper } from '../support/reconciliation.ts';
import { countRowsRead } from '../support/runtime/meter.ts';

/** The samples of a scrape, by name and labels, read by the grammar of OpenMetrics. */
async function scrape(): Promise<Map<string, number>> {
  const response = await asOperator('GET', '/metrics');
  expect([response.status, response.headers.get('Content-Type')]).toEqual([200, METRICS_TYPE]);
  const text = await response.text();
  expect(text.endsWith('\n# EOF\n')).toBe(true);
  const samples = new Map<string, number>();
  const declared = new Set<string>();
  for (const line of text.trimEnd().split('\n').slice(0, -1)) {
    const [, kind, name = ''] = /^# (TYPE|UNIT|HELP) (\S+) \S/.exec(line) ?? [];
    if (kind === 'TYPE') {
      expect(declared.has(name), `${name} is declared twice`).toBe(false);
      declared.add(name);
    }
    if (kind !== undefined) continue;
    const [, sample = '', family = '', value] =
      /^(([a-z_]+)(?:\{[a-z]+="[A-Za-z0-9_-]+"(?:,[a-z]+="[A-Za-z0-9_-]+")*\})?) (-?\d+(?:\.\d+)?)$/.exec(line) ?? [];
    expect(declared.has(family), line).toBe(true);
    expect(samples.has(sample), `${sample} is there twice`).toBe(false);
    samples.set(sample, Number(value));
  }
  return samples;
}

describe('GET /operator/v1/metrics', () => {
  let trader: Trader;
  let planned_ms: number;
  beforeAll(async () => {
    trader = await openTrader({ USDT: '10000' });
    await trader.trade({ coin: 'BTC', side: 'BUY', mode: 'USDT_AMOUNT', value: '10' });
    await asOperator('PATCH', '/settings', { reviewThreshold: '1', withdrawalsHalted: false });
    await trader.takeOut();
    await asOperator('PATCH', '/settings', { tradingHalted: true });
    await fundVenue({ USDT: '5000000000', BTC: '5000000' });
    planned_ms = Date.now() - 90_000;
    await openHedge(newRecordId(planned_ms), 'BUY', { middle_price: 6_500_000_000_000 }).run();
    const dealt = newRecordId(NOON_MS);
    const ended = dealtRow({ dealt_usdt: 28_345, fee: 1_500_000, ended_at: Date.now() });
    const eth = { coin: 'ETH', set_aside: 40_000, middle_price: 300_000_000_000, limit_price: 310_000_000_000 };
    await env.DB.batch([openHedge(dealt, 'BUY', eth), endHedge(dealt, ended)]);
    await asOperator('PATCH', '/settings', {
      dailyLoss: '2',
      coinTerms: { BTC: { spreadBps: 20, hedging: { venue: VENUE_NAME, ...HEDGING } } },
    });
    await runKeeper();
  });
  beforeEach(() => {
    const balances = [{ asset: 'USDT', amount: '4990' }];
    const report = reportOf(balances);
    const differences = [{ asset: 'USDT', holds: '4990', shouldHold: '5000' }] as const;
    vi.spyOn(LedgerHedger.prototype, 'readVenues').mockResolvedValue([{ venue: VENUE_NAME, report, differences }]);
  });

  it('shows halts, what is open with its age, positions, prices and the reconciliation', async () => {
    const samples = await scrape();
    const expected = {
      bureau_trading_halted: 1,
      bureau_withdrawals_halted: 0,
      bureau_violations_open: 0,
      'bureau_withdrawals_open{status="PENDING"}': 1,
      'bureau_withdrawals_open{status="PROCESSING"}': 0,
      'bureau_withdrawals_oldest_age_seconds{status="PROCESSING"}': 0,
      bureau_payouts_held: 0,
      bureau_payouts_held_oldest_age_seconds: 0,
      'bureau_deposits_open{status="QUARANTINED"}': 0,
      'bureau_in_flight{asset="USDT"}': 51,
      bureau_price_hub_up: 1,
      'bureau_price_sources{coin="BTC"}': 4,
      'bureau_price_source_up{source="sandbox-b"}': 1,
      bureau_gate_up: 1,
      bureau_gate_orders: 0,
      'bureau_orders_of_day{coin="BTC"}': 1,
      'bureau_orders_of_day{coin="LTC"}': 0,
      'bureau_ledger_up{ledger="0"}': 1,
      bureau_keeper_up: 1,
      bureau_hedging_halted: 0,
      'bureau_venue_lateness_seconds{venue="played"}': 20,
      'bureau_venue_difference{venue="played",asset="BTC"}': 0,
      // 900 atoms of ETH for 28,345 of USDT, at a middle of 3,000 worth 27,000, with a fee of 1.5 USDT.
      'bureau_hedge_cost_usdt{coin="ETH"}': 1.501345,
      'bureau_hedge_cost_usdt{coin="BTC"}': 0,
      bureau_reconciliation_transfers_behind: 0,
    };
    for (const [name, value] of Object.entries(expected)) expect([name, samples.get(name)]).toEqual([name, value]);
    expect(samples.get('bureau_owed_to_clients{asset="USDT"}')).toBeCloseTo(10_000 - 10 - 51, 6);
    expect(samples.get('bureau_withdrawals_oldest_age_seconds{status="PENDING"}')).toBeLessThan(60);
    expect(samples.get('bureau_price_age_seconds{coin="BTC"}')).toBeLessThan(60);
    expect(samples.get('bureau_spread_of_day{coin="BTC"}')).toBeGreaterThan(0);
    expect(samples.get('bureau_hedge_open_seconds{venue="played"}')).toBeGreaterThanOrEqual(90);
    const age = (Date.now() - planned_ms) / 1_000;
    expect(samples.get('bureau_hedge_open_seconds{venue="played"}')).toBeLessThanOrEqual(Math.ceil(age));
    expect(samples.get('bureau_position_value{asset="BTC"}')).toBeCloseTo(-10, 0);
    const { venues } = await operate<{ venues: Venues }>('GET', '/venues');
    const usdt = venues.venues[0]?.balances.find(({ asset }) => asset === 'USDT');
    expect(Number(usdt?.difference)).toBeLessThan(-8);
    expect(samples.get('bureau_venue_difference{venue="played",asset="USDT"}')).toBe(Number(usdt?.difference));
    const today = new Date().toISOString().slice(0, 10);
    const { profit } = await operate<{ profit: Profit }>('GET', `/profit?from=${today}`);
    const loss = -Number(profit.sum.profit);
    expect(loss).toBeGreaterThan(1);
    expect(samples.get('bureau_daily_loss_used_ratio{ledger="0"}')).toBe(Math.ceil((loss / 2) * 10_000) / 10_000);
    const ofEth = profit.days.find(({ coin }) => coin === 'ETH');
    expect(samples.get('bureau_profit_of_day{coin="ETH"}')).toBe(Number(ofEth?.profit));
    for (const of of ['median', 'longest'])
      expect(samples.get(`bureau_order_wait_seconds{of="${of}"}`)).toBeGreaterThanOrEqual(0);
  });

  it('has every metric that an alert asks for', async () => {
    const names = new Set([...(await scrape()).keys()].map((sample) => sample.split('{')[0]));
    const asked = [...alerts.matchAll(/\bbureau_[a-z_]+\b/g)].map(([name]) => name);
    expect(asked.length).toBeGreaterThan(10);
    expect(asked.filter((name) => !names.has(name))).toEqual([]);
  });

  it('is described in the runbook, each metric with its labels', async () => {
    // The sandbox's sources have no streams.
    const binance = { standing: 'open', delay_ms: 80, silent_ms: 20, books: 8, reconnects: 1 } as const;
    const played = { sources: { binance: 'good' }, streams: { binance } } as const;
    vi.spyOn(PriceHub.prototype, 'standings').mockResolvedValue(played);
    const text = await (await asOperator('GET', '/metrics')).text();
    const shown = [...text.matchAll(/^# HELP (\S+) (.+)$/gm)].map(([, name = '', help = '']) => {
      const labels = new RegExp(`^${name}\\{([a-z]+)=`, 'm').exec(text)?.[1];
      return `| \`${name}\` | ${labels ?? ''} | ${help} |`.replaceAll('|  |', '| |');
    });
    const [, section = ''] = runbook.split('## Metrics\n');
    expect(section.split('\n').filter((line) => line.startsWith('| `'))).toEqual(shown);
  });

  it('says what cannot be reached, and shows the rest', async () => {
    vi.spyOn(PriceHub.prototype, 'snapshot').mockRejectedValue(new Error('no hub'));
    vi.spyOn(LedgerKeeper.prototype, 'read').mockRejectedValue(new Error('no keeper'));
    vi.spyOn(PriceHub.prototype, 'standings').mockRejectedValue(new Error('no hub'));
    vi.spyOn(LedgerKeeper.prototype, 'readProfit').mockRejectedValue(new Error('no keeper'));
    vi.spyOn(LedgerGate.prototype, 'readLoad').mockRejectedValue(new Error('no gate'));
    const samples = await scrape();
    const ups = ['price_hub', 'keeper', 'gate'].map((name) => samples.get(`bureau_${name}_up`));
    expect(ups).toEqual([0, 0, 0]);
    expect(samples.has('bureau_orders_of_day{coin="BTC"}')).toBe(false);
    expect(samples.has('bureau_price_source_up{source="sandbox-b"}')).toBe(false);
    expect(samples.get('bureau_trading_halted')).toBe(1);
    expect(samples.has('bureau_reconciliation_transfers_behind')).toBe(false);
    expect(samples.has('bureau_price_age_seconds{coin="BTC"}')).toBe(false);
  });

  it('reads few rows', async () => {
    expect(await countRowsRead(() => asOperator('GET', '/metrics'))).toBeLessThan(80);
  });
});
