// @runtime outside-by-hand
import { describe, expect, it } from 'vitest';
import { type OrderAnswer, json, openTrader, send, expectCode } from '../support/exchange.ts';
import { readEffects } from '../support/db/probes.ts';
import { forgetPrices, useVenues, venues } from '../support/markets/venues.ts';

interface Tickers {
  readonly tickers: { readonly symbol: string; readonly price: string }[];
  readonly degraded: boolean;
}

useVenues('running');

/** A price that no earlier run used, so that it can only come from the venues. */
function drawPrice(): bigint {
  const [draw = 0] = crypto.getRandomValues(new Uint32Array(1));
  return 6_000_000_000_000n + BigInt(draw) * 100n;
}

function showPrice(price: bigint): string {
  const digits = price.toString().padStart(9, '0');
  return `${digits.slice(0, -8)}.${digits.slice(-8)}`.replace(/\.?0+$/, '');
}

describe('orders at the venues’ prices', () => {
  it('fill a purchase of BTC at the aggregate plus half of the venues’ difference, and tickers show the aggregate', async () => {
    const binance = drawPrice();
    const kraken = binance + 1_234_567_800n;
    await venues.setPrices({ BTC: showPrice((binance + kraken) / 2n) });
    await venues.set('binance', { mode: 'ok', coins: { BTC: { price: showPrice(binance) } } });
    await venues.set('kraken', { mode: 'ok', coins: { BTC: { price: showPrice(kraken) } } });
    const aggregate = showPrice((binance + kraken + 1n) / 2n);

    const { tickers, degraded } = await json<Tickers>(await send('/api/v1/markets/tickers'));
    expect(tickers.find(({ symbol }) => symbol === 'BTC')?.price).toBe(aggregate);
    expect(degraded).toBe(false);

    const trader = await openTrader({ USDT: '200000' });
    const order = await trader.trade({ coin: 'BTC', side: 'BUY', mode: 'COIN_QTY', value: '0.1' });
    const price = (binance + kraken + 1n) / 2n + 1_234_567_800n / 2n;
    expect(order.executedPrice).toBe(showPrice(price));
    expect(order.coinAmount).toBe('0.1');
    const cost = price * 10n ** 7n;
    const usdtAtoms = (cost + 10n ** 10n - 1n) / 10n ** 10n;
    expect(order.usdtAmount).toBe(
      `${usdtAtoms / 1_000_000n}.${(usdtAtoms % 1_000_000n).toString().padStart(6, '0')}`.replace(/\.?0+$/, ''),
    );
  });

  it('are refused, even at a price that was shown, when the venues differ by more than 1 %', async () => {
    await venues.setPrices({ BTC: '60000' });
    for (const venue of ['kraken', 'gate', 'okx'] as const)
      await venues.set(venue, { coins: { BTC: { price: '60700' } } });
    const trader = await openTrader({ USDT: '1000' });
    const before = await readEffects(trader.accountId);
    const response = await trader.order({ coin: 'BTC', side: 'BUY', mode: 'USDT_AMOUNT', value: '10' }, 'disputed');
    await expectCode(response, '503 price_unavailable');
    expect(response.headers.get('Retry-After')).toBe('1');
    expect(await readEffects(trader.accountId)).toEqual(before);

    // The refusal is not stored: once the venues agree, the same Idempotency-Key executes.
    await venues.setPrices({ BTC: '60500' });
    await forgetPrices();
    const retry = await trader.order({ coin: 'BTC', side: 'BUY', mode: 'USDT_AMOUNT', value: '10' }, 'disputed');
    expect(retry.status).toBe(201);
    expect((await json<OrderAnswer>(retry)).order.executedPrice).toBe('60500');
  });

  it('are refused when every venue is down, while tickers stay 200 and degraded and candles are 502', async () => {
    await venues.fail();
    const trader = await openTrader({ USDT: '1000' });
    const response = await trader.order({ coin: 'ETH', side: 'BUY', mode: 'USDT_AMOUNT', value: '10' });
    await expectCode(response, '503 price_unavailable');
    const ticker = await send('/api/v1/markets/ETH');
    expect(ticker.status).toBe(200);
    expect(await json(ticker)).toMatchObject({
      degraded: true,
      ticker: { degraded: true, change24h: 0, volume24h: '0' },
    });
    await expectCode(send('/api/v1/markets/ETH/candles'), '502 upstream_unavailable');
  });
});
