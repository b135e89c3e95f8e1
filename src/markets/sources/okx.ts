import { z } from 'zod';
import { parsePrice } from '../../money/amounts.ts';
import type { PriceFeed } from './price-feed.ts';
import { type Faults, TimeText, readAnswer, textOf } from './read-answer.ts';

/** The envelope of every answer. Errors may come with status 200; `code` is text. */
const Envelope = z.object({ code: z.literal('0'), data: z.array(z.unknown()) });

const faults: Faults = new Map([
  ['50011', 'rate_limited'],
  ['50014', 'question_refused'],
  ['51000', 'question_refused'],
  ['51001', 'question_refused'],
]);

/**
 * OKX's public market data: one request, which it answers with its whole spot market. `open24h` is that of 24 hours ago,
 * `sodUtc0` and `sodUtc8` are opens of a day. On the spot market `vol24h` is in the base and `volCcy24h` in the quote; for
 * derivatives it is the other way round.
 */
export const okxPrices: PriceFeed = {
  venue: 'okx',
  path: '/api/v5/market/tickers?instType=SPOT',
  listRows: (answer) => readAnswer(Envelope, answer, 'code', faults).data,
  symbolField: 'instId',
  readRow: (row) =>
    row['instType'] === 'SPOT'
      ? {
          price: row['last'],
          book: { bid: row['bidPx'], ask: row['askPx'] },
          open24h: parsePrice(textOf(row['open24h'])),
          volume24h: row['vol24h'],
          venueTime_ms: TimeText.safeParse(row['ts']).data,
        }
      : undefined,
};
