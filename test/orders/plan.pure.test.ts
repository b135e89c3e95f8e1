import { describe, expect, it } from 'vitest';
import { emptyMemory } from '../../src/markets/record-round.ts';
import type { MarketSnapshot } from '../../src/markets/snapshot.ts';
import { type TradingContext, planOrder, readTerms } from '../../src/orders/plan.ts';
import { readBounds, type PlaceOrder } from '../../src/orders/terms.ts';
import { settings } from '../support/operator/settings.ts';

const NOW_MS = Date.UTC(2026, 10, 21, 12);
/** 60,000 USDT. */
const PRICE = 6_000_000_000_000n;

const context: TradingContext = {
  spread_bps: 0,
  minSpread_bps: 0,
  boundsOf: (coin) => readBounds(coin, { min: '1', max: '50000' }, {}),
};

function priced(age_ms: number, dispersion = 0n): MarketSnapshot {
  const agreed = { price: PRICE, dispersion, received_ms: NOW_MS - age_ms, venueTime_ms: null };
  const { snapshot } = emptyMemory;
  return { ...snapshot, round: 7, markets: { ...snapshot.markets, BTC: { shown: null, agreed } } };
}

function plan(
  order: Partial<PlaceOrder>,
  snapshot = priced(0),
  own: Partial<TradingContext> = {},
  spreadBps: number | null = null,
) {
  const whole: PlaceOrder = { coin: 'BTC', side: 'BUY', mode: 'COIN_QTY', value: '0.1', ...order };
  const terms = readTerms(whole, context.boundsOf);
  if (!terms.ok) return terms;
  return planOrder(terms.value, { snapshot, settings: { ...settings, spreadBps } }, { ...context, ...own }, NOW_MS);
}

const codeOf = (planned: ReturnType<typeof plan>) => (planned.ok ? 'filled' : planned.code);

describe('the price of a fill', () => {
  it('was received at most 2 s ago', () => {
    expect(plan({}, priced(2_000))).toMatchObject({ ok: true, value: { executedPrice: PRICE, priceRound: 7 } });
    expect(codeOf(plan({}, priced(2_001)))).toBe('price_unavailable');
  });

  it('includes the environment’s least spread, whatever the settings table says', () => {
    for (const [spreadBps, executedPrice] of [
      [null, 6_006_000_000_000n],
      [0, 6_006_000_000_000n],
      [10, 6_006_000_000_000n],
      [25, 6_015_000_000_000n],
    ] as const) {
      expect(plan({}, priced(0), { minSpread_bps: 10 }, spreadBps)).toMatchObject({ value: { executedPrice } });
    }
    expect(plan({}, priced(0), { spread_bps: 20, minSpread_bps: 10 })).toMatchObject({
      value: { executedPrice: 6_012_000_000_000n },
    });
  });

  it('does not exist when half of the venues’ difference leaves nothing for the seller', () => {
    expect(codeOf(plan({ side: 'SELL', mode: 'USDT_AMOUNT', value: '10' }, priced(0, 2n * PRICE)))).toBe(
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
    expect(codeOf(plan({ limitPrice: '60000' }, priced(0), { spread_bps: 1 }))).toBe('price_limit_exceeded');
  });
});
