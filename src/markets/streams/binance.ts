import { type StreamSource, at, bookOf, clockOf, parseMessage } from './stream-source.ts';

/**
 * Binance's streams for market data alone. Their books have no time; `miniTicker` tells the clock each second. The markets
 * are named in the address, since an address may send no more than five messages a second.
 * [Streams](https://developers.binance.com/docs/binance-spot-api-docs/web-socket-streams)
 */
export const binanceStream: StreamSource = {
  venue: 'binance',
  findUrl(base, symbols) {
    const names = symbols.flatMap((symbol) => [
      `${symbol.toLowerCase()}@bookTicker`,
      `${symbol.toLowerCase()}@miniTicker`,
    ]);
    return `${base}?streams=${names.join('/')}`;
  },
  subscribe: () => [],
  ping: (id) => JSON.stringify({ method: 'LIST_SUBSCRIPTIONS', id }),
  read(text) {
    const message = parseMessage(text);
    const data = at(message, 'data') ?? message;
    if (at(data, 'e') === 'serverShutdown') return [{ kind: 'leaving' }];
    if (at(data, 'e') === '24hrMiniTicker') return clockOf(at(data, 'E'));
    if (at(data, 'b') !== undefined) return bookOf(at(data, 's'), at(data, 'b'), at(data, 'a'), null);
    return at(message, 'result') === undefined ? [] : [{ kind: 'pong' }];
  },
};
