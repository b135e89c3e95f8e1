import { afterEach, describe, expect, it } from 'vitest';
import ccxt from 'ccxt';
import { BINANCE_KEY } from '../support/played-binance.ts';
import { KRAKEN_KEY } from '../support/played-kraken.ts';
import { Clock, type Kind, type Played, newId, openPlayed, play } from '../support/open.ts';

/** An independent client must be able to trade with the played venues, or our adapters would agree with them alone. */

let played: Played;

afterEach(() => played.server.stop());

/** Every address of a client is the played venue's. */
function redirect<T extends { urls: Record<string, unknown> }>(client: T): T {
  const turn = (value: unknown): unknown => {
    if (typeof value === 'string') return value.replace(/^https:\/\/[^/]+/, played.server.url);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, turn(one)]));
  };
  client.urls['api'] = turn(client.urls['api']);
  return client;
}

const clients = {
  binance: () => {
    const client = new ccxt.binance({
      apiKey: BINANCE_KEY.key,
      secret: BINANCE_KEY.secret,
      enableRateLimit: false,
      options: { defaultType: 'spot', fetchMarkets: { types: ['spot'] }, fetchCurrencies: false },
    });
    client.has['fetchCurrencies'] = false;
    return redirect(client);
  },
  kraken: () => {
    const client = new ccxt.kraken({ apiKey: KRAKEN_KEY.key, secret: KRAKEN_KEY.secret, enableRateLimit: false });
    // One key has one rising nonce, and ours counts microseconds.
    let last = 0;
    client.nonce = () => (last = Math.max(last + 1, Date.now() * 1_000));
    return redirect(client);
  },
};

describe.each(['binance', 'kraken'] as const satisfies Kind[])('ccxt at the played %s', (kind) => {
  it('trades, and our adapter finds what it did', async () => {
    played = await play(kind, Date.now);
    const client = clients[kind]();
    await client.loadMarkets();
    const market = client.market('BTC/USDT');
    expect(market.precision).toMatchObject({ amount: 0.00001, price: 0.01 });
    const before = await client.fetchBalance();
    const id = newId();
    await client.createOrder('BTC/USDT', 'limit', 'buy', 0.03, 60_100, { clientOrderId: id, timeInForce: 'IOC' });
    expect(played.exchange.countFilled(id)).toBe(1);
    const after = await client.fetchBalance();
    expect(Number(after['BTC']?.total)).toBeCloseTo(
      Number(before['BTC']?.total) + (kind === 'binance' ? 0.02997 : 0.03),
      8,
    );
    const clock = new Clock();
    // Our nonce is higher than the client's, also within the same millisecond.
    clock.now_ms = Date.now() + 500;
    const venue = openPlayed(played, clock);
    const order = { id, coin: 'BTC', side: 'BUY', amount: '0.03', limitPrice: '60100', sendBy_ms: 0 } as const;
    expect(await venue.find(order)).toMatchObject({ kind: 'dealt', fill: { amount: '0.03', cost: '1800.24' } });
  });

  it('finds by the client’s id what our adapter did', async () => {
    played = await play(kind, Date.now);
    const clock = new Clock();
    // And here lower.
    clock.now_ms = Date.now() - 500;
    const id = newId();
    const order = {
      id,
      coin: 'BTC',
      side: 'SELL',
      amount: '0.5',
      limitPrice: '59980',
      sendBy_ms: clock.now_ms + 5_000,
    } as const;
    const placed = await openPlayed(played, clock).place(order);
    const filled = Number(writeFilled());
    expect(placed).toMatchObject({ kind: 'dealt', fill: { amount: writeFilled() } });
    const client = clients[kind]();
    await client.loadMarkets();
    const found =
      kind === 'binance'
        ? await client.fetchOrder('', 'BTC/USDT', { origClientOrderId: id })
        : (await client.fetchClosedOrders('BTC/USDT', undefined, undefined, { clientOrderId: id }))[0];
    expect(found).toMatchObject({ clientOrderId: id, side: 'sell', amount: 0.5, filled });
  });

  it('is refused as our adapter is: too little, and more than is there', async () => {
    played = await play(kind, Date.now);
    const client = clients[kind]();
    await client.loadMarkets();
    const order = (amount: number) =>
      client.createOrder('BTC/USDT', 'limit', 'buy', amount, 60_000, { timeInForce: 'IOC' });
    await expect(order(0.00005)).rejects.toThrow(/NOTIONAL|minimum/);
    await expect(order(5)).rejects.toThrow(/insufficient|Insufficient/);
  });
});

/** What the book has down to 59,980. */
function writeFilled(): string {
  const [order] = played.exchange.orders;
  return (Number((order?.filled ?? 0n) / 10n ** 10n) / 1e8).toString();
}
