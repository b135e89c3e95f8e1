import { type StreamEvent, type StreamSource, at, bookOf, clockOf, parseMessage } from './stream-source.ts';

/** Coinbase's `ticker`, pushed when a trade happens, and `heartbeats` each second, without which it ends a socket. */
export const coinbaseStream: StreamSource = {
  venue: 'coinbase',
  subscribe: (product_ids) => [
    JSON.stringify({ type: 'subscribe', channel: 'heartbeats' }),
    JSON.stringify({ type: 'subscribe', channel: 'ticker', product_ids }),
  ],
  // It has no ping; a repeated subscription is answered.
  ping: () => JSON.stringify({ type: 'subscribe', channel: 'heartbeats' }),
  read(text) {
    const message = parseMessage(text);
    const channel = at(message, 'channel');
    const time = at(message, 'timestamp');
    if (channel === 'subscriptions') return [{ kind: 'pong' }];
    if (channel === 'heartbeats') return clockOf(time);
    if (at(message, 'type') === 'error') return [{ kind: 'refused', symbol: null }];
    const events = at(message, 'events');
    if (channel !== 'ticker' || !Array.isArray(events)) return [];
    return events.flatMap((event): readonly StreamEvent[] => {
      const tickers = at(event, 'tickers');
      if (!Array.isArray(tickers)) return [];
      return tickers.flatMap((one) => bookOf(at(one, 'product_id'), at(one, 'best_bid'), at(one, 'best_ask'), time));
    });
  },
};
