import { type StreamSource, at, bookOf, parseMessage } from './stream-source.ts';

/** OKX's best bid and ask, pushed every 10 ms on a change. It ends a socket that says nothing for 30 s. */
export const okxStream: StreamSource = {
  venue: 'okx',
  subscribe: (symbols) =>
    symbols.map((instId) => JSON.stringify({ op: 'subscribe', args: [{ channel: 'bbo-tbt', instId }] })),
  ping: () => 'ping',
  read(text) {
    if (text === 'pong') return [{ kind: 'pong' }];
    const message = parseMessage(text);
    const event = at(message, 'event');
    if (event === 'notice') return [{ kind: 'leaving' }];
    if (event === 'error')
      return [{ kind: 'refused', symbol: /instId:([\w-]+)/.exec(String(at(message, 'msg')))?.[1] ?? null }];
    const book = at(message, 'data', 0);
    if (book === undefined) return [];
    const [bid, ask] = [at(book, 'bids', 0, 0), at(book, 'asks', 0, 0)];
    return bookOf(at(message, 'arg', 'instId'), bid, ask, at(book, 'ts'));
  },
};
