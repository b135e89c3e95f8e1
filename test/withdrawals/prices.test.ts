// @runtime outside
import { describe, expect, it } from 'vitest';
import { TickerList } from '../../src/markets/schemas.ts';
import { type Trader, openTrader, send, expectCode } from '../support/exchange.ts';
import { forgetPrices, useVenues, venues } from '../support/markets/venues.ts';
import { readHoldings } from '../support/withdrawals/withdrawals.ts';

const TO_BITCOIN = {
  asset: 'BTC',
  network: 'BTC',
  amount: '0.01',
  address: 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq',
};

useVenues('running');

const openHolder = (): Promise<Trader> => openTrader({ BTC: '1', USDT: '100' });

describe('a withdrawal of a coin, whose value the daily limit needs', () => {
  it('is valued at the price that the venues agree on', async () => {
    await venues.setPrices({ BTC: '65000' });
    expect((await (await openHolder()).takeOut(TO_BITCOIN)).status).toBe('COMPLETED');
  });

  it('is refused while tickers are degraded: static prices are not used for limits, and USDT can still be withdrawn', async () => {
    await venues.fail('error');
    const trader = await openHolder();
    const before = await readHoldings(trader.accountId);
    const shown = TickerList.parse(await (await send('/api/v1/markets/tickers')).json());
    expect(shown.degraded).toBe(true);
    expect(Number(shown.tickers.find(({ symbol }) => symbol === 'BTC')?.price)).toBeGreaterThan(0);
    const response = await trader.withdraw(TO_BITCOIN, 'k');
    expect(response.headers.get('Retry-After')).toBe('1');
    await expectCode(response, '503 price_unavailable');
    expect(await readHoldings(trader.accountId)).toEqual(before);
    expect((await trader.withdraw()).status).toBe(201);

    // The refusal was not final: the same request is accepted when there is a price again.
    await venues.reset();
    await forgetPrices();
    await venues.setPrices({ BTC: '65000' });
    expect((await trader.takeOut(TO_BITCOIN, 'k')).status).toBe('COMPLETED');
  });

  it('is refused while the venues do not agree', async () => {
    await venues.setPrices({ BTC: '65000' });
    await venues.set('kraken', { coins: { BTC: { price: '65' } } });
    await expectCode((await openHolder()).withdraw(TO_BITCOIN), '503 price_unavailable');
  });
});
