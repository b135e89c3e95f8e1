import { type StreamEvent, type StreamSource, at, parseMessage, sideOf, timeOf } from './stream-source.ts';

const TOPIC = 'orderbook.1.';

/** Bybit's order book of depth 1: a snapshot, then deltas, of which a side that has not changed is empty. */
export const bybitStream: StreamSource = {
  venue: 'bybit',
  subscribe: (symbols) => symbols.map((symbol) => JSON.stringify({ op: 'subscribe', args: [`${TOPIC}${symbol}`] })),
  ping: () => JSON.stringify({ op: 'ping' }),
  read(text) {
    const message = parseMessage(text);
    if (at(message, 'op') === 'ping' || at(message, 'op') === 'pong') return [{ kind: 'pong' }];
    if (at(message, 'success') === false) return [{ kind: 'refused', symbol: null }];
    const [topic, type, symbol] = [at(message, 'topic'), at(message, 'type'), at(message, 'data', 's')];
    if (typeof topic !== 'string' || !topic.startsWith(TOPIC) || typeof symbol !== 'string') return [];
    const isWhole = type === 'snapshot';
    const book: StreamEvent = {
      kind: 'book',
      symbol,
      ...readSide('bid', at(message, 'data', 'b'), isWhole),
      ...readSide('ask', at(message, 'data', 'a'), isWhole),
      event_ms: timeOf(at(message, 'ts')),
    };
    return [book];
  },
};

/** A side of a message. A delta may take the old best price out, at a size of 0, and put the new one in. */
function readSide(name: 'bid' | 'ask', rows: unknown, isWhole: boolean): Partial<Record<'bid' | 'ask', string | null>> {
  const listed = Array.isArray(rows) ? (rows as readonly unknown[]) : [];
  if (listed.length === 0) return isWhole ? { [name]: null } : {};
  const standing = listed.findLast((row) => Number(at(row, 1)) !== 0);
  return { [name]: sideOf(at(standing, 0)) };
}
