import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Venue, VenueOrder } from '../../src/venues/venue.ts';
import { Clock, type Kind, type Played, newId, openPlayed, play } from '../support/open.ts';
import { matching } from '../support/matching.ts';
import { createRandom } from '../../../src/markets/sandbox-random.ts';
import { type Fault, type PlayedAnswer, html, json } from '../support/played-server.ts';

/**
 * What each adapter makes of every answer to an order. Those that are a refusal are named here; all others, those of the
 * documents and random ones, are unknown.
 */
const binance = (status: number, code: number, msg = 'said') => json(status, { code, msg });
const kraken = (...error: string[]) => json(200, { error });
const bureau = (status: number, code: string) => json(status, { status, code });

const filled = {
  id: 'x',
  ts: '2026-11-27T12:00:00.000Z',
  coin: 'BTC',
  side: 'BUY',
  coinAmount: '0.001',
  usdtAmount: '60',
};

const insufficient = 'Account has insufficient balance for requested action.';

const refusals: Readonly<Record<Kind, readonly PlayedAnswer[]>> = {
  binance: [
    ...[-1013, -1021, -1022, -1100, -1102, -1111, -1121, -2014].map((code) => binance(400, code)),
    binance(401, -1002),
    binance(401, -2015),
    binance(429, -1015),
    ...[insufficient, 'Market is closed.', 'This action is disabled on this account.'].map((msg) =>
      binance(400, -2010, msg),
    ),
  ],
  kraken: [
    'EAPI:Invalid key',
    'EAPI:Invalid signature',
    'EAPI:Invalid nonce',
    'EGeneral:Permission denied',
    'EGeneral:Invalid arguments:price',
    'EOrder:Insufficient funds',
    'EOrder:Order minimum not met',
    'EOrder:Cost minimum not met',
    'EOrder:Tick size check failed',
    'EOrder:Rate limit exceeded',
    'EQuery:Unknown asset pair',
    'EService:Market in cancel_only mode',
    'EService:Market in post_only mode',
  ].map((text) => kraken(text)),
  bureau: [
    'symbol_not_supported',
    'amount_below_minimum',
    'amount_above_maximum',
    'precision_exceeded',
    'price_limit_exceeded',
    'insufficient_balance',
    'order_rejected',
  ].map((code) => bureau(422, code)),
};

/** Each of these may have been filled, or may still be. */
const unknowns: Readonly<Record<Kind, readonly PlayedAnswer[]>> = {
  binance: [
    ...[-1000, -1001, -1006, -1007, -1008, -1016, -2013, -2026, -9999].map((code) => binance(400, code)),
    binance(408, -1007, 'Timeout waiting for response from backend server.'),
    binance(400, -2010, 'Duplicate order sent.'),
    binance(400, -2010, 'NEW_ORDER_REJECTED'),
    binance(503, -1013),
    binance(500, -2010, insufficient),
    binance(200, -1013),
    binance(403, -2015),
    json(503, { msg: 'Unknown error, please check your request or try again later.' }),
    json(200, { symbol: 'BTCUSDT', orderId: 28, clientOrderId: 'another', executedQty: '0.03' }),
  ],
  kraken: [
    'EService:Unavailable',
    'EService:Busy',
    'EService:Timeout',
    'EService:Deadline elapsed',
    'EGeneral:Internal error',
    'EGeneral:Internal error:x',
    'EOrder:Insufficient fundsX',
    'EOrder:Unknown order',
  ]
    .map((text) => kraken(text))
    .concat([
      kraken(),
      kraken('EOrder:Insufficient funds', 'EService:Busy'),
      json(520, { error: ['EOrder:Insufficient funds'] }),
      json(200, { error: ['EOrder:Insufficient funds'], result: { txid: ['O1'] } }),
      json(200, { error: 'EOrder:Insufficient funds' }),
      json(200, { result: { txid: ['O1'] } }),
    ]),
  bureau: [
    bureau(422, 'idempotency_key_reused'),
    bureau(422, 'client_order_id_reused'),
    bureau(422, 'some_new_code'),
    bureau(503, 'trading_halted'),
    bureau(503, 'price_unavailable'),
    bureau(504, 'outcome_unknown'),
    bureau(403, 'account_frozen'),
    bureau(401, 'invalid_api_key'),
    bureau(400, 'invalid_request'),
    bureau(400, 'insufficient_balance'),
    bureau(200, 'insufficient_balance'),
    json(201, {}),
    json(201, { order: { id: 'x', coin: 'ETH', side: 'BUY' } }),
    json(201, { order: { ...filled, clientOrderId: 'another' } }),
    json(201, { order: filled }),
  ],
};

const everywhere: readonly PlayedAnswer[] = [
  ...[200, 201, 204, 301, 302, 400, 401, 403, 404, 409, 422, 451, 500, 502, 503, 504, 520, 524].map(html),
  { status: 302, body: '', headers: { Location: 'http://127.0.0.1:1/' } },
  ...['', 'null', '[]', '{}', '"ok"', '{"code":', '0'].map((body) => ({ status: 200, body })),
  ...['', 'null', '[]', '{}', '{"code":null}', '{"error":null}'].map((body) => ({ status: 400, body })),
];

/** A random answer, made from parts of real ones. None of them is a refusal or a fill. */
function makeAnswer(random: () => number): PlayedAnswer {
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  const status = pick([200, 200, 201, 400, 400, 401, 403, 404, 408, 409, 418, 422, 425, 500, 502, 503, 504, 520, 599]);
  const code = pick<unknown>([
    -1,
    -1000,
    -1006,
    -1007,
    -3000 - Math.floor(random() * 1e6),
    'x',
    null,
    'internal_error',
    {},
  ]);
  const msg = pick<unknown>(['said', 'Duplicate order sent.', 'Filter failure', '', 7, null]);
  const error = pick<unknown>([
    [],
    ['EService:Busy'],
    ['EGeneral:Internal error', 'EOrder:Insufficient funds'],
    ['E'],
    [`EOrder:${Math.floor(random() * 1e9)}`],
    'EAPI:Invalid key',
    null,
  ]);
  const result = pick<unknown>([undefined, {}, { txid: [] }, null, { txid: ['O-1'] }]);
  const order = pick<unknown>([undefined, {}, { id: 'x' }, []]);
  const whole = JSON.stringify(
    pick<unknown>([
      { code, msg },
      { error, result },
      { order, code },
      { code, msg, error, result, order },
      [code],
      code,
    ]),
  );
  const text = whole ?? '';
  const body = random() < 0.2 ? text.slice(0, Math.floor(random() * text.length)) : text;
  return { status, body };
}

describe.each<Kind>(['binance', 'kraken', 'bureau'])('the answers of %s to an order', (kind) => {
  const clock = new Clock();
  let played: Played;
  let venue: Venue;
  let answer: PlayedAnswer | undefined;

  beforeAll(async () => {
    played = await play(kind, clock.now);
    played.server.fault = ({ method, path }): Fault | undefined => {
      const isOrder = method === 'POST' && /order$/i.test(path.replace(/s$/, ''));
      return answer && isOrder && !path.endsWith('Orders') ? { kind: 'instead', answer } : undefined;
    };
  });

  beforeEach(() => {
    // A pause that an answer has asked for is over.
    clock.pass(3_600_000);
    answer = undefined;
    venue = openPlayed(played, clock);
  });

  afterAll(() => played.server.stop());

  const order = (): VenueOrder => ({
    id: newId(),
    coin: 'BTC',
    side: 'BUY',
    amount: '0.001',
    limitPrice: '60100',
    sendBy_ms: clock.now_ms + 5_000,
  });

  /** What a new connection makes of this answer. */
  const judge = async (given: PlayedAnswer) => {
    answer = given;
    return openPlayed(played, clock).place(order());
  };

  it('that are listed as refusals are refused', async () => {
    for (const given of refusals[kind]) {
      expect(await judge(given), given.body).toMatchObject({ kind: 'refused', reason: matching(/^venue_refused: /) });
    }
  });

  it('that are not listed are unknown', async () => {
    for (const given of [...unknowns[kind], ...everywhere]) {
      expect(await judge(given), `${given.status} ${given.body}`).toMatchObject({ kind: 'unknown' });
    }
  });

  it('of which one belongs to another venue are unknown', async () => {
    const others = (['binance', 'kraken', 'bureau'] as const).filter((other) => other !== kind);
    for (const given of others.flatMap((other) => refusals[other])) {
      expect(await judge(given), given.body).toMatchObject({ kind: 'unknown' });
    }
  });

  it('that are random are unknown', async () => {
    const random = createRandom(41);
    for (let count = 0; count < 150; count += 1) {
      const given = makeAnswer(random);
      expect(await judge(given), `${given.status} ${given.body}`).toMatchObject({ kind: 'unknown' });
    }
  });

  it('that do not come are unknown', async () => {
    for (const fault of ['lost request', 'lost answer', 'late'] as const) {
      played.server.fault = ({ method, path }) =>
        method === 'POST' && /order(s)?$/i.test(path) && !path.endsWith('Orders') ? { kind: fault } : undefined;
      expect(await venue.place(order())).toMatchObject({ kind: 'unknown' });
    }
  });
});
