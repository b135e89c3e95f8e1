import { answerThroughEdge } from '../http/edge-cache.ts';
import { accept, refuse } from '../http/answer.ts';
import { findCoin } from '../money/assets.ts';
import { answerCandles, answerTicker, answerTickers } from '../markets/answers.ts';
import { alignQuestion } from '../markets/candles/candle-source.ts';
import { readCandles } from '../markets/candles/read-candles.ts';
import { readSnapshot } from '../markets/read-hub.ts';
import { CandleList, CandleQuery, MarketPath, TickerAnswer, TickerList } from '../markets/schemas.ts';
import { createPublicArea } from '../access/operations.ts';

/** The largest age of the hub's prices for a ticker. */
const SNAPSHOT_MAX_AGE_MS = 10_000;

const unknownSymbol = { code: 'symbol_not_supported', inPath: true } as const;

const symbolRefusal = refuse('symbol_not_supported', 'There is no such market.', { inPath: true });

/** Public market data: GET tickers, one ticker, candles. No key is needed. */
export const markets = createPublicArea('Markets');

markets.add({
  operationId: 'listTickers',
  path: '/api/v1/markets/tickers',
  summary: 'All tickers',
  description:
    'Every supported market against USDT, aggregated from several venues and cached at the edge for 30 seconds. It answers even when no venue does: it then shows the last price while that is at most 5 seconds old, and after that a conservative fallback, both marked `degraded`. No order fills at such a price.',
  answer: 'Every supported market',
  body: TickerList,
  isCacheable: true,
  handle: (c) =>
    answerThroughEdge(c, 'tickers', async () => {
      const snapshot = await readSnapshot(c.env, SNAPSHOT_MAX_AGE_MS);
      return accept(answerTickers(snapshot, Date.now()));
    }),
});

markets.add({
  operationId: 'getTicker',
  path: '/api/v1/markets/{symbol}',
  summary: 'One ticker',
  description:
    'One market, by its base symbol in any case, under the same rules as all tickers, but cached for 2 seconds at most.',
  request: { params: MarketPath },
  answer: 'The market',
  body: TickerAnswer,
  isCacheable: true,
  refusals: [unknownSymbol],
  handle: async (c) => {
    const coin = findCoin(c.req.valid('param').symbol);
    if (!coin) return symbolRefusal;
    return answerThroughEdge(c, `ticker/${coin}`, async () => {
      const snapshot = await readSnapshot(c.env, SNAPSHOT_MAX_AGE_MS);
      return accept(answerTicker(coin, snapshot, Date.now()));
    });
  },
});

markets.add({
  operationId: 'listCandles',
  path: '/api/v1/markets/{symbol}/candles',
  summary: 'Candles of one market',
  description:
    'Candles in ascending order; the last one may still be running. With `startTime` these are the oldest candles from then on, else the newest up to `endTime`. A time between two starts of an interval means the later one as `startTime` and the earlier one as `endTime`. Candles have no fallback: 502 means that no source answers, 503 that the sources cannot be asked for more at the moment.',
  request: { params: MarketPath, query: CandleQuery },
  answer: 'Candles, oldest first',
  body: CandleList,
  isCacheable: true,
  refusals: [unknownSymbol, 'upstream_unavailable', 'service_unavailable'],
  handle: async (c) => {
    const coin = findCoin(c.req.valid('param').symbol);
    if (!coin) return symbolRefusal;
    const { interval, limit, startTime, endTime } = c.req.valid('query');
    const asked = { coin, interval, limit, startTime_ms: startTime, endTime_ms: endTime };
    const question = alignQuestion(asked, Date.now());
    const key = ['candles', coin, interval, limit, question.startTime_ms, question.endTime_ms].join('/');
    return answerThroughEdge(c, key, async () => {
      const series = await readCandles(c.env, question);
      return series.ok ? accept(answerCandles(question, series.value, Date.now())) : series;
    });
  },
});
