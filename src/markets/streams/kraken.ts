import { type StreamSource, at, bookOf, clockOf, parseMessage } from './stream-source.ts';

/** Symbols that the other interface writes in Kraken's own way. */
const renamed: Readonly<Record<string, string>> = { XBT: 'BTC', XDG: 'DOGE' };

/** Kraken's `ticker`, on each change of the best prices. Its numbers are JSON's. The pong tells its clock. */
export const krakenStream: StreamSource = {
  venue: 'kraken',
  spell(symbol) {
    const base = symbol.slice(0, -'USDT'.length);
    return `${renamed[base] ?? base}/USDT`;
  },
  subscribe: (symbol) => [
    JSON.stringify({ method: 'subscribe', params: { channel: 'ticker', symbol, event_trigger: 'bbo' } }),
  ],
  ping: (req_id) => JSON.stringify({ method: 'ping', req_id }),
  read(text) {
    const message = parseMessage(text);
    if (at(message, 'method') === 'pong') return [{ kind: 'pong' }, ...clockOf(at(message, 'time_out'))];
    if (at(message, 'success') === false) {
      const symbol = at(message, 'symbol');
      return [{ kind: 'refused', symbol: typeof symbol === 'string' ? symbol : null }];
    }
    const book = at(message, 'data', 0);
    if (at(message, 'channel') !== 'ticker' || book === undefined) return [];
    return bookOf(at(book, 'symbol'), at(book, 'bid'), at(book, 'ask'), at(book, 'timestamp'));
  },
};
