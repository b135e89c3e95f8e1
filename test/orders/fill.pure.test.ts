import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Coin, coinSymbols } from '../../src/money/assets.ts';
import { type Mode, type Side, fill, checkBounds, boundsFrom } from '../../src/orders/terms.ts';
import type { OrderPrice } from '../../src/markets/ripe-price.ts';
import { quotePrice } from '../../src/orders/plan.ts';
import { forAll } from '../support/for-all.ts';

const coins = fc.constantFrom(...coinSymbols);
const sides = fc.constantFrom<Side[]>('BUY', 'SELL');
const modes = fc.constantFrom<Mode[]>('COIN_QTY', 'USDT_AMOUNT');
const values = fc.bigInt({ min: 1n, max: 10n ** 15n });
const dust = fc.bigInt({ min: 1n, max: 10_000n });
const prices = fc.oneof(fc.bigInt({ min: 1n, max: 10n ** 6n }), fc.bigInt({ min: 1n, max: 10n ** 14n }));

/** One coin, times the unit of a price, per atom of USDT. It makes the two sides of an order comparable. */
function unitOf(coin: Coin): bigint {
  return coin === 'USDC' ? 10n ** 8n : 10n ** 10n;
}

function firmAt(price: bigint, dispersion = 0n): OrderPrice {
  return { coin: 'BTC', price, dispersion, round: 1, asOf_ms: 0, votes: 4 } as OrderPrice;
}

describe('the amounts of an order', () => {
  it('are those of a calculation by hand', () => {
    const price = 6_000_000_000_000n; // 60,000 USDT
    expect(fill('BTC', 'BUY', 'COIN_QTY', 1_500_000n, price)).toEqual({
      coinAmount: 1_500_000n,
      usdtAmount: 900_000_000n,
    });
    expect(fill('BTC', 'BUY', 'USDT_AMOUNT', 100_000_000n, price)).toEqual({
      coinAmount: 166_666n,
      usdtAmount: 100_000_000n,
    });
    expect(fill('BTC', 'SELL', 'USDT_AMOUNT', 100_000_000n, price)).toEqual({
      coinAmount: 166_667n,
      usdtAmount: 100_000_000n,
    });
  });

  it('keep the side that the client fixed exact', () => {
    forAll(coins, sides, modes, values, prices, (coin, side, mode, value, price) => {
      const { coinAmount, usdtAmount } = fill(coin, side, mode, value, price);
      expect(mode === 'COIN_QTY' ? coinAmount : usdtAmount).toBe(value);
    });
  });

  it('round the other side in the house’s favour, by less than one atom of its asset', () => {
    forAll(coins, sides, modes, values, prices, (coin, side, mode, value, price) => {
      const { coinAmount, usdtAmount } = fill(coin, side, mode, value, price);
      // Both sides in one exact unit: the USDT, and the value of the coins.
      const paid = usdtAmount * unitOf(coin);
      const worth = coinAmount * price;
      const houseGains = side === 'BUY' ? paid - worth : worth - paid;
      const oneAtom = mode === 'COIN_QTY' ? unitOf(coin) : price;
      expect(houseGains >= 0n && houseGains < oneAtom).toBe(true);
    });
  });
});

describe('dust amounts', () => {
  it('never gains a client anything in 10,000 round trips, at any price, spread and mode', () => {
    const spreads_bps = fc.constantFrom(0, 1, 10, 20);
    fc.assert(
      fc.property(coins, prices, dust, modes, spreads_bps, (coin, price, value, mode, spread_bps) => {
        const spread = spread_bps;
        const bought = fill(coin, 'BUY', mode, value, quotePrice('BUY', firmAt(price), spread));
        const back = quotePrice('SELL', firmAt(price), spread);
        if (back === 0n) return;
        const sold = fill(coin, 'SELL', 'COIN_QTY', bought.coinAmount, back);
        expect(sold.usdtAmount <= bought.usdtAmount).toBe(true);
        const refunded = fill(coin, 'SELL', 'USDT_AMOUNT', bought.usdtAmount, back);
        expect(refunded.coinAmount >= bought.coinAmount).toBe(true);
      }),
      { numRuns: 10_000 },
    );
  });

  it('never gains a client anything who sells first and buys back', () => {
    fc.assert(
      fc.property(coins, prices, dust, modes, (coin, price, value, mode) => {
        const sold = fill(coin, 'SELL', mode, value, price);
        const boughtBack = fill(coin, 'BUY', 'USDT_AMOUNT', sold.usdtAmount, price);
        expect(boughtBack.coinAmount <= sold.coinAmount).toBe(true);
      }),
      { numRuns: 10_000 },
    );
  });
});

describe('the quote of the house', () => {
  it('is the firm price when the spread is zero', () => {
    const spread = 0;
    expect(quotePrice('BUY', firmAt(6_000_012_345_678n), spread)).toBe(6_000_012_345_678n);
    expect(quotePrice('SELL', firmAt(6_000_012_345_678n), spread)).toBe(6_000_012_345_678n);
  });

  it('is higher for a buyer and lower for a seller, by the spread', () => {
    const spread = 20;
    expect(quotePrice('BUY', firmAt(6_000_000_000_000n), spread)).toBe(6_012_000_000_000n);
    expect(quotePrice('SELL', firmAt(6_000_000_000_000n), spread)).toBe(5_988_000_000_000n);
  });

  it('is also higher and lower by half of the agreeing venues’ difference, rounded up', () => {
    const firm = firmAt(6_000_000_000_000n, 30_000_000_001n);
    expect(quotePrice('BUY', firm, 20)).toBe(6_012_000_000_000n + 15_000_000_001n);
    expect(quotePrice('SELL', firm, 20)).toBe(5_988_000_000_000n - 15_000_000_001n);
  });

  it('is rounded against the client, by less than the last decimal of a price', () => {
    forAll(prices, fc.integer({ min: 0, max: 1000 }), (price, spread_bps) => {
      const spread = spread_bps;
      const buyExcess = quotePrice('BUY', firmAt(price), spread) * 10_000n - price * BigInt(10_000 + spread_bps);
      const sellExcess = price * BigInt(10_000 - spread_bps) - quotePrice('SELL', firmAt(price), spread) * 10_000n;
      for (const excess of [buyExcess, sellExcess]) expect(excess >= 0n && excess < 10_000n).toBe(true);
    });
  });
});

describe('the bounds of an order', () => {
  const general = { min: '1', max: '50000' };

  it('are the general ones for a symbol without its own', () => {
    expect(boundsFrom(general, {})('BTC')).toEqual({ min: 1_000_000n, max: 50_000_000_000n });
  });

  it('are the symbol’s own when it has some, and only for that symbol', () => {
    const own = { DOGE: { min: '5.5', max: '10000' } };
    expect(boundsFrom(general, own)('DOGE')).toEqual({ min: 5_500_000n, max: 10_000_000_000n });
    expect(boundsFrom(general, own)('BTC')).toEqual({ min: 1_000_000n, max: 50_000_000_000n });
  });

  it('must be whole atoms of USDT: a finer one throws instead of being rounded', () => {
    expect(() => boundsFrom({ min: '0.0000001', max: '1' }, {})('BTC')).toThrow(RangeError);
  });

  it.each([
    ['one atom below the minimum', 999_999n, 'amount_below_minimum'],
    ['nothing', 0n, 'amount_below_minimum'],
    ['one atom above the maximum', 50_000_000_001n, 'amount_above_maximum'],
  ])('refuse %s', (_, usdtAmount, code) => {
    const checked = checkBounds(usdtAmount, boundsFrom(general, {})('BTC'));
    expect(checked).toMatchObject({ ok: false, code });
  });

  it.each([1_000_000n, 50_000_000_000n])('admit exactly the minimum and the maximum: %s', (usdtAmount) => {
    expect(checkBounds(usdtAmount, boundsFrom(general, {})('BTC'))).toEqual({ ok: true, value: usdtAmount });
  });
});
