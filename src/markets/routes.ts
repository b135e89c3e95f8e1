import { createRoute } from '@hono/zod-openapi';
import { Problem, createArea, jsonContent, problemResponses, sendProblem } from '../http/area.ts';
import { answerThroughEdge } from '../http/edge-cache.ts';
import { accept, refuse } from '../http/refusal.ts';
import { countMarketCall } from '../keys/count-market-call.ts';
import { findCoin } from '../money/assets.ts';
import { answerCandles, answerTicker, answerTickers } from './answers.ts';
import { alignQuestion } from './candles/candle-series.ts';
import { readCandles, readSnapshot } from './read-hub.ts';
import { CandleList, CandleQuery, MarketPath, TickerAnswer, TickerList } from './schemas.ts';

/** How old the hub's prices may be when a ticker is made of them. */
const SNAPSHOT_MAX_AGE_MS = 10_000;

/** What any call with a key may be refused for, and any call for its rate. */
const callRefusals = ['invalid_api_key', 'api_key_expired', 'ip_not_allowed', 'rate_limited'] as const;

const unknownSymbol = {
  404: { description: 'symbol_not_supported', content: { 'application/problem+json': { schema: Problem } } },
};

const { refusal: symbolRefusal } = refuse('symbol_not_supported', 'There is no such market.', { inPath: true });

/** Public market data: GET tickers, one ticker, candles. No key is needed. */
export const markets = createArea();

markets.openapi(
  createRoute({
    method: 'get',
    path: '/api/v1/markets/tickers',
    operationId: 'listTickers',
    tags: ['Markets'],
    summary: 'All tickers',
    middleware: countMarketCall,
    responses: {
      200: { description: 'Every supported market', content: jsonContent(TickerList) },
      ...problemResponses(...callRefusals),
    },
  }),
  (c) =>
    answerThroughEdge(c, 'tickers', async () => {
      const snapshot = await readSnapshot(c.env.PRICE_HUB, SNAPSHOT_MAX_AGE_MS);
      return accept(answerTickers(snapshot, Date.now()));
    }),
);

markets.openapi(
  createRoute({
    method: 'get',
    path: '/api/v1/markets/{symbol}',
    operationId: 'getTicker',
    tags: ['Markets'],
    summary: 'One ticker',
    middleware: countMarketCall,
    request: { params: MarketPath },
    responses: {
      200: { description: 'The market', content: jsonContent(TickerAnswer) },
      ...unknownSymbol,
      ...problemResponses(...callRefusals),
    },
  }),
  async (c) => {
    const coin = findCoin(c.req.valid('param').symbol);
    if (!coin) return sendProblem(c, symbolRefusal);
    return answerThroughEdge(c, `ticker/${coin}`, async () => {
      const snapshot = await readSnapshot(c.env.PRICE_HUB, SNAPSHOT_MAX_AGE_MS);
      return accept(answerTicker(coin, snapshot, Date.now()));
    });
  },
);

markets.openapi(
  createRoute({
    method: 'get',
    path: '/api/v1/markets/{symbol}/candles',
    operationId: 'listCandles',
    tags: ['Markets'],
    summary: 'Candles of one market',
    middleware: countMarketCall,
    request: { params: MarketPath, query: CandleQuery },
    responses: {
      200: { description: 'Candles, oldest first', content: jsonContent(CandleList) },
      ...unknownSymbol,
      ...problemResponses('invalid_request', 'upstream_unavailable', ...callRefusals),
    },
  }),
  async (c) => {
    const coin = findCoin(c.req.valid('param').symbol);
    if (!coin) return sendProblem(c, symbolRefusal);
    const { interval, limit, startTime, endTime } = c.req.valid('query');
    const question = alignQuestion({ coin, interval, limit, startTime_ms: startTime, endTime_ms: endTime });
    const key = ['candles', coin, interval, limit, question.startTime_ms, question.endTime_ms].join('/');
    return answerThroughEdge(c, key, async () => {
      const series = await readCandles(c.env.PRICE_HUB, question);
      return series.ok ? accept(answerCandles(question, series.value, Date.now())) : series;
    });
  },
);
