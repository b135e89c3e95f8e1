import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { SourceError } from '../../../src/markets/sources/source-error.ts';
import { streamSources } from '../../../src/markets/streams/list-streams.ts';
import type { StreamEvent } from '../../../src/markets/streams/stream-source.ts';
import type { PriceVenue } from '../../../src/money/venue-symbols.ts';
import { forAll } from '../../support/for-all.ts';

const AT_MS = 1_764_259_200_123;
const AT = new Date(AT_MS).toISOString();

const book = (symbol: string, event_ms: number | null, sides: object = { bid: '65000.1', ask: '65000.2' }) => [
  { kind: 'book', symbol, ...sides, event_ms },
];
const refused = (symbol: string | null) => [{ kind: 'refused', symbol }];

/** What the venues say, as they document it, and what it means. */
const messages: Record<PriceVenue, readonly (readonly [said: unknown, meaning: readonly unknown[]])[]> = {
  binance: [
    [
      { stream: 'btcusdt@bookTicker', data: { u: 1, s: 'BTCUSDT', b: '65000.1', B: '31.2', a: '65000.2', A: '40.6' } },
      book('BTCUSDT', null),
    ],
    [
      { stream: 'btcusdt@miniTicker', data: { e: '24hrMiniTicker', E: AT_MS, s: 'BTCUSDT', c: '1', o: '1' } },
      [{ kind: 'time', event_ms: AT_MS }],
    ],
    [{ e: 'serverShutdown', E: AT_MS }, [{ kind: 'leaving' }]],
    [{ result: ['btcusdt@bookTicker'], id: 3 }, [{ kind: 'pong' }]],
  ],
  okx: [
    [
      {
        arg: { channel: 'bbo-tbt', instId: 'BTC-USDT' },
        data: [{ asks: [['65000.2', '1', '0', '2']], bids: [['65000.1', '2', '0', '3']], ts: String(AT_MS), seqId: 1 }],
      },
      book('BTC-USDT', AT_MS),
    ],
    ['pong', [{ kind: 'pong' }]],
    [{ event: 'subscribe', arg: { channel: 'bbo-tbt', instId: 'BTC-USDT' }, connId: 'a4d3ae55' }, []],
    [
      { event: 'error', code: '60018', msg: "Wrong URL or channel:bbo-tbt,instId:NONE-USDT doesn't exist." },
      refused('NONE-USDT'),
    ],
    [
      { event: 'notice', code: '64008', msg: 'The connection will soon be closed for a service upgrade.' },
      [{ kind: 'leaving' }],
    ],
  ],
  coinbase: [
    [
      {
        channel: 'ticker',
        timestamp: AT,
        events: [
          {
            type: 'update',
            tickers: [{ product_id: 'BTC-USDT', price: '7', best_bid: '65000.1', best_ask: '65000.2' }],
          },
        ],
      },
      book('BTC-USDT', AT_MS),
    ],
    [{ channel: 'heartbeats', timestamp: AT, events: [{ heartbeat_counter: 7 }] }, [{ kind: 'time', event_ms: AT_MS }]],
    [
      { channel: 'subscriptions', timestamp: AT, events: [{ subscriptions: { heartbeats: ['heartbeats'] } }] },
      [{ kind: 'pong' }],
    ],
    [{ type: 'error', message: 'NONE-USDT is not a valid product' }, refused(null)],
  ],
  kucoin: [
    [{ id: 'bureau', type: 'welcome' }, [{ kind: 'welcome' }]],
    [{ id: '3', type: 'pong' }, [{ kind: 'pong' }]],
    [
      {
        topic: '/spotMarket/level1:BTC-USDT',
        type: 'message',
        subject: 'level1',
        data: { asks: ['65000.2', '1'], bids: ['65000.1', '2'], timestamp: AT_MS },
      },
      book('BTC-USDT', AT_MS),
    ],
    [{ id: 'books', type: 'error', code: 404, data: 'topic /spotMarket/level1:NONE-USDT is not found' }, refused(null)],
  ],
  kraken: [
    [
      { channel: 'ticker', type: 'update', data: [{ symbol: 'BTC/USDT', bid: 65000.1, ask: 65000.2, timestamp: AT }] },
      book('BTC/USDT', AT_MS),
    ],
    [
      { channel: 'ticker', type: 'snapshot', data: [{ symbol: 'BTC/USDT', bid: 65000.1, ask: 65000.2, last: 7 }] },
      book('BTC/USDT', null),
    ],
    [{ method: 'pong', req_id: 3, time_in: AT, time_out: AT }, [{ kind: 'pong' }, { kind: 'time', event_ms: AT_MS }]],
    [{ channel: 'heartbeat' }, []],
    [
      { method: 'subscribe', success: false, error: 'Currency pair not supported', symbol: 'NONE/USDT', time_in: AT },
      refused('NONE/USDT'),
    ],
  ],
  gate: [
    [
      {
        time: 1,
        time_ms: AT_MS,
        channel: 'spot.book_ticker',
        event: 'update',
        result: { t: AT_MS, u: 1, s: 'BTC_USDT', b: '65000.1', B: '1', a: '65000.2', A: '2' },
      },
      book('BTC_USDT', AT_MS),
    ],
    [{ time: 1, channel: 'spot.pong', event: '', error: null, result: null }, [{ kind: 'pong' }]],
    [
      {
        time: 1,
        channel: 'spot.book_ticker',
        event: 'subscribe',
        payload: ['NONE_USDT'],
        error: { code: 2, message: 'unknown' },
      },
      refused('NONE_USDT'),
    ],
    [{ time: 1, channel: 'spot.book_ticker', event: 'subscribe', error: null, result: { status: 'success' } }, []],
  ],
  bybit: [
    [
      {
        topic: 'orderbook.1.BTCUSDT',
        type: 'snapshot',
        ts: AT_MS,
        data: { s: 'BTCUSDT', b: [['65000.1', '1']], a: [['65000.2', '2']], u: 1, seq: 1 },
      },
      book('BTCUSDT', AT_MS),
    ],
    [
      {
        topic: 'orderbook.1.BTCUSDT',
        type: 'delta',
        ts: AT_MS,
        data: {
          s: 'BTCUSDT',
          b: [
            ['65000.1', '0'],
            ['65000', '3'],
          ],
          a: [],
          u: 2,
          seq: 2,
        },
      },
      book('BTCUSDT', AT_MS, { bid: '65000' }),
    ],
    [
      {
        topic: 'orderbook.1.BTCUSDT',
        type: 'snapshot',
        ts: AT_MS,
        data: { s: 'BTCUSDT', b: [], a: [['65000.2', '2']] },
      },
      book('BTCUSDT', AT_MS, { bid: null, ask: '65000.2' }),
    ],
    [{ success: true, ret_msg: 'pong', conn_id: '1', op: 'ping' }, [{ kind: 'pong' }]],
    [{ success: false, ret_msg: 'Invalid symbol: NONEUSDT', op: 'subscribe' }, refused(null)],
  ],
};

describe.each(Object.entries(messages))('%s', (venue, said) => {
  const source = streamSources[venue as PriceVenue];
  const read = (message: unknown): readonly StreamEvent[] =>
    source.read(typeof message === 'string' ? message : JSON.stringify(message));

  test.each(said)('%j', (message, meaning) => expect(read(message)).toEqual(meaning));

  test('what it says in another shape means nothing, and what is no JSON is refused', () => {
    forAll(fc.jsonValue(), (value) => Array.isArray(read(JSON.stringify(value))));
    expect(() => read('<html>')).toThrow(SourceError);
  });

  test('a message with any of its parts changed is read, or means nothing', () => {
    for (const [message] of said) {
      if (typeof message === 'string') continue;
      const text = JSON.stringify(message);
      forAll(fc.nat(text.length), fc.constantFrom('null', '[]', '{}', '1e400', '"x"', ''), (place, other) => {
        const changed = text.slice(0, place) + text.slice(place).replace(/"[^"]*"|\d+|\[[^[\]]*\]/, other);
        try {
          return Array.isArray(read(changed));
        } catch (error) {
          return error instanceof SourceError;
        }
      });
    }
  });

  test('a price that is no plain decimal is no side of a book', () => {
    const [message] = said.find(([, [meaning]]) => (meaning as StreamEvent | undefined)?.kind === 'book') ?? [];
    for (const written of ['1e-7', '-1', '', 'NaN', '1'.repeat(60)]) {
      const text = JSON.stringify(message).replaceAll(/"?65000\.1"?/g, JSON.stringify(written));
      expect(read(text)).toEqual([expect.objectContaining({ kind: 'book', bid: null, ask: '65000.2' })]);
    }
  });
});
