import type { PlayedStream, PlayedVenue, VenueAnswer } from './played-venue.ts';
import { type Venue, type VenueMarket, listRows } from './venue-state.ts';

const refuse = (status: number, error: string, message: string): VenueAnswer => ({
  status,
  body: { error, error_details: message, message },
});

/** It has no ping; each subscription is answered with all of them. */
const stream: PlayedStream = {
  read(text, listed) {
    const { channel, product_ids = [] } = JSON.parse(text) as { channel: string; product_ids?: string[] };
    const unknown = product_ids.find((symbol) => !listed.includes(symbol));
    if (unknown) return { answers: [JSON.stringify({ type: 'error', message: `${unknown} is not a valid product` })] };
    const events = [{ subscriptions: { [channel]: product_ids } }];
    return {
      symbols: channel === 'ticker' ? product_ids : [],
      answers: [JSON.stringify({ channel: 'subscriptions', timestamp: new Date().toISOString(), events })],
    };
  },
  writeBook: ({ symbol, bid, ask, time_ms, id }) =>
    JSON.stringify({
      channel: 'ticker',
      client_id: '',
      timestamp: new Date(time_ms).toISOString(),
      sequence_num: id,
      events: [
        {
          type: 'update',
          tickers: [
            {
              type: 'ticker',
              product_id: symbol,
              price: bid ?? ask,
              best_bid: bid ?? '',
              best_ask: ask ?? '',
            },
          ],
        },
      ],
    }),
  writeTime: (_symbol, time_ms) =>
    JSON.stringify({
      channel: 'heartbeats',
      client_id: '',
      timestamp: new Date(time_ms).toISOString(),
      sequence_num: 0,
      events: [
        {
          current_time: new Date(time_ms).toISOString(),
          heartbeat_counter: 1,
        },
      ],
    }),
};

/** Coinbase Advanced Trade: a list of products, errors `{error, error_details, message}` with a status. */
export const playedCoinbase: PlayedVenue = {
  stream,
  questions: { '/api/v3/brokerage/market/products': { kind: 'tickers', answer: answerProducts } },
  error: refuse(500, 'INTERNAL', 'internal server error'),
  limited: refuse(429, 'RESOURCE_EXHAUSTED', 'too many requests'),
};

/**
 * With `product_ids` the named products, without it all. What Coinbase does with an unknown product is not documented.
 * Here it fails the whole request, which is the worse case.
 */
function answerProducts(venue: Venue, query: URLSearchParams): VenueAnswer {
  if (query.get('product_type') !== 'SPOT') return refuse(400, 'INVALID_ARGUMENT', 'product_type is invalid');
  const rows = listRows(venue, query.has('product_ids') ? query.getAll('product_ids') : undefined, writeProduct);
  if (!rows) return refuse(400, 'INVALID_ARGUMENT', 'product_ids is invalid');
  return { status: 200, body: { products: rows.map(([, row]) => row), num_products: rows.length } };
}

export function writeProduct(id: string, { price, open, volume, fields }: VenueMarket) {
  const [base, quote] = id.split('-');
  return {
    product_id: id,
    price,
    price_percentage_change_24h: ((Number(price) / Number(open) - 1) * 100).toFixed(14),
    volume_24h: volume,
    volume_percentage_change_24h: '437.0170530929949',
    base_increment: '0.00000001',
    quote_increment: '0.01',
    quote_min_size: '1',
    quote_max_size: '10000000',
    base_min_size: '0.00000001',
    base_max_size: '3400',
    base_name: base,
    quote_name: quote,
    watched: false,
    is_disabled: false,
    new: false,
    status: 'online',
    cancel_only: false,
    limit_only: false,
    post_only: false,
    trading_disabled: false,
    auction_mode: false,
    product_type: 'SPOT',
    quote_currency_id: quote,
    base_currency_id: base,
    fcm_trading_session_details: null,
    mid_market_price: '',
    approximate_quote_24h_volume: '86702682.03',
    ...fields,
  };
}
