import { createHash, createHmac } from 'node:crypto';
import { z } from 'zod';
import { findAmount, readAmount, shortenAmount, writeAmount, writeStep } from '../amounts.ts';
import { type Asker, PLACE_MS, PausedError, QUESTION_MS } from './ask.ts';
import { marketOf, nameCoins } from './spelling.ts';
import {
  type Found,
  type ListedOrder,
  type Market,
  type Outcome,
  type Venue,
  type VenueOrder,
  endOf,
  unknown,
} from './venue.ts';
import type { VenueSettings } from '../config.ts';
import { describeError } from '../../../custodian/src/log.ts';

/**
 * Kraken's spot API: docs.kraken.com, AddOrder, OpenOrders, ClosedOrders and "Spot error messages". The engine rejects
 * an order after `deadline`, which is 2 to 60 s ahead. An answer of 502 may still land "below a minute" later
 * (veox/python3-krakenex#60).
 */
const LATENESS_MS = 65_000;
const MIN_WINDOW_MS = 2_500;

/**
 * Refusals, alone in an answer of 200, with or without a detail after a colon. `EService:Deadline elapsed` is not among
 * them, since it is also the answer when the default deadline passed on the way; neither are `Unavailable`, `Busy`,
 * `Timeout` and `EGeneral:Internal error`.
 */
const REFUSALS: readonly string[] = [
  'EAccount:Invalid permissions',
  'EAPI:Invalid key',
  'EAPI:Invalid nonce',
  'EAPI:Invalid signature',
  'EAPI:Rate limit exceeded',
  'EGeneral:Invalid arguments',
  'EGeneral:Permission denied',
  'EGeneral:Temporary lockout',
  'EOrder:Cost minimum not met',
  'EOrder:Domain rate limit exceeded',
  'EOrder:Insufficient funds',
  'EOrder:Invalid price',
  'EOrder:Order minimum not met',
  'EOrder:Orders limit exceeded',
  'EOrder:Rate limit exceeded',
  'EOrder:Tick size check failed',
  'EQuery:Unknown asset pair',
  'EService:Market in cancel_only mode',
  'EService:Market in post_only mode',
];

/** After these Kraken wants fewer requests. */
const PAUSES = /^(EAPI:Rate limit exceeded|EGeneral:Temporary lockout|EGeneral:Too many requests|EService:Throttled)/;
const LOCKOUT_MS = 900_000;

const ENDED: ReadonlySet<string> = new Set(['closed', 'canceled', 'expired']);

const USDT = 'USDT';

const Amount = z.string().refine((text) => findAmount(text) !== undefined);

const Order = z.object({
  cl_ord_id: z.string().nullish(),
  status: z.string(),
  opentm: z.string(),
  closetm: z.string().optional(),
  descr: z.object({ pair: z.string(), type: z.enum(['buy', 'sell']) }),
  vol_exec: Amount,
  cost: Amount,
  fee: Amount,
  oflags: z.string(),
});

type Order = z.output<typeof Order>;

const Orders = z.record(z.string(), Order);

const Pair = z.object({
  altname: z.string(),
  lot_decimals: z.string().regex(/^\d{1,2}$/),
  ordermin: Amount,
  costmin: Amount.optional(),
  tick_size: Amount,
  status: z.string(),
});

/** Kraken's signature: over the path, and the digest of nonce and body. */
export function signKraken(path: string, nonce: string, body: string, secret: string): string {
  const digest = createHash('sha256')
    .update(nonce + body)
    .digest();
  return createHmac('sha512', Buffer.from(secret, 'base64')).update(path).update(digest).digest('base64');
}

export function openKraken(settings: VenueSettings, asker: Asker, now: () => number): Venue {
  const { name, coins, key, secret } = settings;
  const pairs = new Map(coins.map((coin) => [coin, marketOf('kraken', coin)]));
  const coinOf = (pair: string) => coins.find((coin) => pairs.get(coin) === pair);
  const names = nameCoins('kraken', coins);
  let lastNonce = 0;
  let turn: Promise<unknown> = Promise.resolve();

  /** One after the other, because a nonce that arrives after a higher one is refused. */
  const askPrivate = <T>(
    method: string,
    parameters: Record<string, string>,
    read: (answer: Answer) => T,
  ): Promise<T> => {
    const asked = turn.then(async () => {
      lastNonce = Math.max(lastNonce + 1, now() * 1_000);
      const path = `/0/private/${method}`;
      const nonce = String(lastNonce);
      const body = new URLSearchParams({ nonce, ...parameters }).toString();
      const { status, json } = await asker.ask({
        method: 'POST',
        path,
        headers: {
          'API-Key': key,
          'API-Sign': signKraken(path, nonce, body, secret),
          'Content-Type': 'application/x-www-form-urlencoded',
        },
        body,
        timeout_ms: method === 'AddOrder' ? PLACE_MS : QUESTION_MS,
      });
      const answer = readAnswer(status, json);
      if (answer.errors.some((error) => PAUSES.test(error))) {
        if (answer.errors.some((error) => error.startsWith('EGeneral:Temporary lockout'))) asker.pause(LOCKOUT_MS);
        else asker.pause();
      }
      return read(answer);
    });
    turn = asked.catch(() => undefined);
    return asked;
  };

  /** Asks what has no effect. Rejects without a result that fits. */
  const read = <T extends z.ZodType>(method: string, parameters: Record<string, string>, schema: T) =>
    askPrivate(method, parameters, ({ status, errors, result }): z.output<T> => {
      if (status !== 200 || errors.length > 0) throw new Error(`${method} answers ${status} ${errors.join(', ')}`);
      return schema.parse(result);
    });

  const find = async (order: VenueOrder): Promise<Found> => {
    try {
      // In this order, so that one that is closed in between is found.
      const { open } = await read('OpenOrders', { cl_ord_id: order.id }, z.object({ open: Orders }));
      const { closed } = await read('ClosedOrders', { cl_ord_id: order.id }, z.object({ closed: Orders }));
      const found = new Map(
        [...Object.entries(open), ...Object.entries(closed)].filter(([, one]) => one.cl_ord_id === order.id),
      );
      const [only, another] = found;
      if (!only) return { kind: 'absent' };
      return another ? unknown('two orders have this id') : readOrder(only[0], only[1], order);
    } catch (error) {
      return unknown(describeError(error));
    }
  };

  const readOrder = (reference: string, found: Order, order: VenueOrder): Outcome => {
    if (found.descr.pair !== pairs.get(order.coin) || found.descr.type !== order.side.toLowerCase()) {
      return unknown('an order of another market or side');
    }
    if (!ENDED.has(found.status)) return { kind: 'working' };
    const filled = readAmount(found.vol_exec);
    if (filled > 0n && !found.oflags.split(',').includes('fciq')) return unknown('the fee is not in USDT');
    const fees = readAmount(found.fee) > 0n ? [{ asset: USDT, amount: found.fee }] : [];
    const fill = { amount: found.vol_exec, cost: found.cost, fees, reference };
    return endOf(fill, filled, `order ${reference} is ${found.status}`);
  };

  return {
    name,
    coins,
    lateness_ms: settings.lateness_ms ?? LATENESS_MS,
    minWindow_ms: MIN_WINDOW_MS,
    again: 'once',
    find,
    place: async (order) => {
      let answer: Answer;
      try {
        const parameters = {
          ordertype: 'limit',
          type: order.side.toLowerCase(),
          pair: pairs.get(order.coin) ?? '',
          volume: order.amount,
          price: order.limitPrice,
          timeinforce: 'IOC',
          oflags: 'fciq',
          cl_ord_id: order.id,
          deadline: new Date(order.sendBy_ms).toISOString(),
        };
        answer = await askPrivate('AddOrder', parameters, (one) => one);
      } catch (error) {
        if (error instanceof PausedError) return { kind: 'refused', reason: `paused: ${error.message}` };
        return unknown(describeError(error));
      }
      const { status, errors, result } = answer;
      const [error] = errors;
      if (status === 200 && error !== undefined && errors.length === 1 && isListed(error) && result === undefined) {
        return { kind: 'refused', reason: `venue_refused: ${error}`.slice(0, 300) };
      }
      if (status !== 200 || error !== undefined) return unknown(`${status} ${errors.join(', ')}`);
      // Kraken says only that it has the order.
      const found = await find(order);
      return found.kind === 'absent' ? unknown('accepted and not found yet') : found;
    },
    readBalances: async () => {
      const balances = await read('BalanceEx', {}, z.record(z.string(), z.object({ balance: Amount })));
      return new Map(
        Object.entries(balances).map(([asset, { balance }]) => [names.get(asset) ?? asset, readAmount(balance)]),
      );
    },
    readMarkets: async () => {
      const wanted = [...pairs.values()].join(',');
      const { status, json } = await asker.ask({ method: 'GET', path: `/0/public/AssetPairs?pair=${wanted}` });
      const { errors, result } = readAnswer(status, json);
      if (status !== 200 || errors.length > 0) throw new Error(`AssetPairs answers ${status} ${errors.join(', ')}`);
      const listed = z.record(z.string(), Pair).parse(result);
      const { fees } = await read(
        'TradeVolume',
        { pair: wanted },
        z.object({ fees: z.record(z.string(), z.object({ fee: Amount })) }),
      );
      return Object.entries(listed).flatMap(([id, pair]): Market[] => {
        const coin = coinOf(pair.altname);
        const fee = fees[id] ?? fees[pair.altname];
        if (coin === undefined || !fee) return [];
        return [
          {
            coin,
            isOpen: pair.status === 'online',
            amountStep: writeStep(Number(pair.lot_decimals)),
            priceStep: shortenAmount(pair.tick_size),
            minAmount: shortenAmount(pair.ordermin),
            minCost: shortenAmount(pair.costmin ?? '0'),
            // Kraken says per cent.
            takerFee: writeAmount(readAmount(fee.fee) / 100n),
          },
        ];
      });
    },
    readOrders: async (since_ms) => {
      const start = String(Math.floor(since_ms / 1_000));
      const orders: ListedOrder[] = [];
      for (let seen = 0; ;) {
        const { closed, count } = await read(
          'ClosedOrders',
          { start, ofs: String(seen) },
          z.object({ closed: Orders, count: z.string() }),
        );
        const page = Object.entries(closed);
        orders.push(...page.flatMap(([reference, order]) => listOrder(reference, order, coinOf(order.descr.pair))));
        seen += page.length;
        if (page.length === 0 || seen >= Number(count)) return orders;
      }
    },
    readClockOffset: async () => {
      const asked_ms = now();
      const { status, json } = await asker.ask({ method: 'GET', path: '/0/public/Time' });
      const { unixtime } = z.object({ unixtime: z.string().regex(/^\d{10}$/) }).parse(readAnswer(status, json).result);
      // Kraken says whole seconds, which are half a second behind on average.
      return Math.round(Number(unixtime) * 1_000 + 500 - (asked_ms + now()) / 2);
    },
    readKeyRights: async () => {
      const schema = z.object({ permissions: z.array(z.string()), ip_allowlist: z.array(z.string()).nullish() });
      const { permissions, ip_allowlist: allowed } = await read('GetApiKeyInfo', {}, schema);
      return {
        mayWithdraw: permissions.some((permission) => /withdraw|transfer/.test(permission)),
        mayTrade: permissions.includes('modify-trades'),
        isBound: (allowed ?? []).length > 0,
        faults: ['query-funds', 'query-open-trades', 'query-closed-trades']
          .filter((permission) => !permissions.includes(permission))
          .map((permission) => `the key lacks ${permission}`),
      };
    },
  };
}

interface Answer {
  readonly status: number;
  readonly errors: readonly string[];
  /** `undefined` when the body is not Kraken's. */
  readonly result: unknown;
}

function readAnswer(status: number, json: unknown): Answer {
  const { data } = z.object({ error: z.array(z.string()), result: z.unknown().optional() }).safeParse(json);
  return data
    ? { status, errors: data.error, result: data.result }
    : { status, errors: ['no answer of Kraken'], result: null };
}

function isListed(error: string): boolean {
  return REFUSALS.some((refusal) => error === refusal || error.startsWith(`${refusal}:`));
}

function listOrder(reference: string, order: Order, coin: string | undefined): ListedOrder[] {
  if (coin === undefined || readAmount(order.vol_exec) === 0n) return [];
  return [
    {
      id: order.cl_ord_id ?? null,
      reference,
      coin,
      side: order.descr.type === 'buy' ? 'BUY' : 'SELL',
      amount: shortenAmount(order.vol_exec),
      cost: shortenAmount(order.cost),
      at_ms: Math.floor(Number(order.closetm ?? order.opentm) * 1_000),
    },
  ];
}
