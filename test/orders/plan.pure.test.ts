import { describe, expect, it } from 'vitest';
import type { TradingContext } from '../../src/orders/in-force.ts';
import { planOrder, readTerms, showCost } from '../../src/orders/plan.ts';
import type { OrderPrice } from '../../src/markets/ripe-price.ts';
import { boundsFrom, type PlaceOrder } from '../../src/orders/terms.ts';
import type { Settings } from '../../src/db/settings.ts';
import { settings } from '../support/operator/settings.ts';

const NOW_MS = Date.UTC(2026, 10, 21, 12);
/** 60,000 USDT. */
const PRICE = 6_000_000_000_000n;

const context: TradingContext = {
  spread_bps: 0,
  minSpread_bps: 0,
  boundsOf: boundsFrom({ min: '1', max: '50000' }, {}),
};

function priced(change: Partial<OrderPrice> = {}): OrderPrice {
  return { coin: 'BTC', price: PRICE, dispersion: 0n, round: 7, asOf_ms: NOW_MS, votes: 4, ...change } as OrderPrice;
}

function plan(
  order: Partial<PlaceOrder>,
  price: OrderPrice | undefined = priced(),
  own: Partial<TradingContext> = {},
  changed: Partial<Settings> = {},
) {
  const whole: PlaceOrder = { coin: 'BTC', side: 'BUY', mode: 'COIN_QTY', value: '0.1', ...order };
  const terms = readTerms(whole, context.boundsOf);
  if (!terms.ok) return terms;
  return planOrder(terms.value, price, { ...settings, ...changed }, { ...context, ...own });
}

const codeOf = (planned: ReturnType<typeof plan>) => (planned.ok ? 'filled' : planned.code);

describe('what an order cost', () => {
  it.each([
    ['BUY', 6_013_500_000_000n, 22.5],
    ['SELL', 5_986_500_000_000n, 22.5],
    ['BUY', 6_000_000_000_001n, 0],
    ['SELL', 6_000_000_000_000n, 0],
    ['BUY', 6_000_030_000_000n, 0.05],
    ['BUY', 6_000_003_000_000n, 0.01],
    ['BUY', 6_000_002_999_999n, 0],
    ['SELL', 1n, 10_000],
  ] as const)('is its distance from the middle of 60000: a %s at %s', (side, executed, spreadBps) => {
    expect(showCost(side, executed, PRICE)).toEqual({ midPrice: '60000', spreadBps });
  });

  it('is exact for the smallest and the largest prices, and unknown without a middle', () => {
    expect(showCost('BUY', 2n, 1n)).toEqual({ midPrice: '0.00000001', spreadBps: 10_000 });
    const large = 9n * 10n ** 18n;
    expect(showCost('BUY', large + large / 1_000n, large)).toEqual({ midPrice: '90000000000', spreadBps: 10 });
    expect(showCost('BUY', PRICE, null)).toBeUndefined();
  });
});

describe('the price of a fill', () => {
  it('is that of the market, with its number and as of when it is', () => {
    expect(plan({})).toMatchObject({ ok: true, value: { executedPrice: PRICE, priceRound: 7, priceAsOf_ms: NOW_MS } });
  });

  it('does not exist where the market has none, which is told after a halt', () => {
    const terms = readTerms({ coin: 'BTC', side: 'BUY', mode: 'COIN_QTY', value: '0.1' }, context.boundsOf);
    if (!terms.ok) throw new Error(terms.detail);
    const planned = (tradingHalted: boolean) =>
      codeOf(planOrder(terms.value, undefined, { ...settings, tradingHalted }, context));
    expect([planned(false), planned(true)]).toEqual(['price_unavailable', 'trading_halted']);
  });

  it('is of four votes for a large order, and of three for a tenth of the largest', () => {
    const of = (value: string, votes: number) => codeOf(plan({ mode: 'USDT_AMOUNT', value }, priced({ votes })));
    expect([of('50000', 4), of('5000', 3), of('5000.01', 3)]).toEqual(['filled', 'filled', 'amount_above_maximum']);
  });

  it('includes the environment’s least spread, whatever the settings table says', () => {
    for (const [spreadBps, executedPrice] of [
      [null, 6_006_000_000_000n],
      [0, 6_006_000_000_000n],
      [10, 6_006_000_000_000n],
      [25, 6_015_000_000_000n],
    ] as const) {
      expect(plan({}, priced(), { minSpread_bps: 10 }, { spreadBps })).toMatchObject({ value: { executedPrice } });
    }
    expect(plan({}, priced(), { spread_bps: 20, minSpread_bps: 10 })).toMatchObject({
      value: { executedPrice: 6_012_000_000_000n },
    });
  });

  it('does not exist when half of the venues’ difference leaves nothing for the seller', () => {
    expect(codeOf(plan({ side: 'SELL', mode: 'USDT_AMOUNT', value: '10' }, priced({ dispersion: 2n * PRICE })))).toBe(
      'price_unavailable',
    );
  });
});

describe('the limit of an order', () => {
  it.each([
    ['BUY', '60000', 'filled'],
    ['BUY', '60000.00000000', 'filled'],
    ['BUY', '59999.99999999', 'price_limit_exceeded'],
    ['BUY', '70000', 'filled'],
    ['BUY', '0', 'price_limit_exceeded'],
    ['SELL', '60000', 'filled'],
    ['SELL', '60000.00000001', 'price_limit_exceeded'],
    ['SELL', '0', 'filled'],
    ['SELL', '1.000000001', 'precision_exceeded'],
  ] as const)('of a %s at 60000 is the worst price that is accepted: %s, %s', (side, limitPrice, code) => {
    expect(codeOf(plan({ side, limitPrice }))).toBe(code);
  });

  it('never makes the price better or worse than the market’s', () => {
    expect(plan({ limitPrice: '65000' })).toMatchObject({ value: { executedPrice: PRICE } });
  });

  it('is compared with the price including the spread', () => {
    expect(codeOf(plan({ limitPrice: '60000' }, priced(), { spread_bps: 1 }))).toBe('price_limit_exceeded');
  });
});

describe('the terms of a coin', () => {
  const terms = (coinTerms: Settings['coinTerms'], more: Partial<Settings> = {}) => ({ coinTerms, ...more });

  it('have a spread of its own, and never less than the environment’s', () => {
    for (const [own, spreadBps, executedPrice] of [
      [30, 10, 6_018_000_000_000n],
      [5, 30, 6_006_000_000_000n],
    ] as const) {
      const changed = terms({ BTC: { spreadBps: own } }, { spreadBps });
      expect(plan({}, priced(), { minSpread_bps: 10 }, changed)).toMatchObject({ value: { executedPrice } });
    }
    expect(plan({}, priced(), {}, terms({ ETH: { spreadBps: 30 } }))).toMatchObject({
      value: { executedPrice: PRICE },
    });
  });

  it('have a largest order of its own, within that of all', () => {
    const of = (value: string, maxNotional: string, votes = 4) =>
      codeOf(plan({ mode: 'USDT_AMOUNT', value }, priced({ votes }), {}, terms({ BTC: { maxNotional } })));
    expect([of('700', '700'), of('700.01', '700'), of('50000.01', '90000'), of('71', '700', 3)]).toEqual([
      'filled',
      'amount_above_maximum',
      'amount_above_maximum',
      'amount_above_maximum',
    ]);
  });

  it('may halt it, and no other', () => {
    expect(codeOf(plan({}, priced(), {}, { haltedCoins: ['BTC'] }))).toBe('trading_halted');
    expect(codeOf(plan({}, priced(), {}, { haltedCoins: ['ETH'] }))).toBe('filled');
  });
});
