import { type StreamSource, at, bookOf, parseMessage } from './stream-source.ts';

const BOOKS = 'spot.book_ticker';

/** Gate's best bid and ask as they change. One unknown market would refuse a whole list, so each is asked for by itself. */
export const gateStream: StreamSource = {
  venue: 'gate',
  subscribe: (symbols) =>
    symbols.map((symbol) => JSON.stringify({ time: 0, channel: BOOKS, event: 'subscribe', payload: [symbol] })),
  ping: () => JSON.stringify({ time: 0, channel: 'spot.ping' }),
  read(text) {
    const message = parseMessage(text);
    const [channel, event] = [at(message, 'channel'), at(message, 'event')];
    if (channel === 'spot.pong') return [{ kind: 'pong' }];
    if (channel !== BOOKS) return [];
    if (at(message, 'error') != null) {
      const symbol = at(message, 'payload', 0);
      return [{ kind: 'refused', symbol: typeof symbol === 'string' ? symbol : null }];
    }
    if (event !== 'update') return [];
    const book = at(message, 'result');
    return bookOf(at(book, 's'), at(book, 'b'), at(book, 'a'), at(book, 't'));
  },
};
