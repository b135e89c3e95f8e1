import { createHmac } from 'node:crypto';
import { z } from 'zod';
import { findAmount, readAmount, shortenAmount, writeAmount } from '../amounts.ts';
import { type Asker, PLACE_MS, PausedError, QUESTION_MS, type VenueAnswer } from './ask.ts';
import { marketOf, nameCoins } from './spelling.ts';
import {
  type Found,
  type KeyRights,
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
 * Binance's spot API: github binance/binance-spot-api-docs, rest-api.md and errors.md. The time of a request and
 * `recvWindow` are checked when it arrives and again before the engine, which then has up to 10 s.
 */
const LATENESS_MS = 20_000;

/** Binance allows no longer window, and no request whose time is a second ahead of its clock. */
const MAX_WINDOW_MS = 60_000;

/** Codes of refusals, with 400 or 401: the order did not reach the engine. */
const REFUSALS: ReadonlySet<string> = new Set([
  '-1002', // not authorized
  '-1013', // a filter, or the API before the engine
  '-1015', // too many orders
  '-1021', // outside of the window
  '-1022', // signature
  '-1100',
  '-1101',
  '-1102',
  '-1103',
  '-1104',
  '-1105',
  '-1106',
  '-1111', // too much precision
  '-1115',
  '-1116',
  '-1117',
  '-1121', // symbol
  '-2014', // form of the key
  '-2015', // key, address or permission
]);

/** The engine's own refusals come as -2010 with a text. "Duplicate order sent." says that an order with this id exists. */
const ENGINE_REFUSALS: ReadonlySet<string> = new Set([
  'Account has insufficient balance for requested action.',
  'Market is closed.',
  'Price * QTY is zero or less.',
  'This action is disabled on this account.',
  'This account may not place or cancel orders.',
  'This symbol is not permitted for this account.',
  'This symbol is restricted for this account.',
  'Rest API trading is not enabled.',
]);

const ABSENT = '-2013';

/** States of an order that will fill no more. */
const ENDED: ReadonlySet<string> = new Set(['FILLED', 'EXPIRED', 'EXPIRED_IN_MATCH', 'CANCELED', 'REJECTED']);
const OPEN: ReadonlySet<string> = new Set(['NEW', 'PENDING_NEW', 'PARTIALLY_FILLED', 'PENDING_CANCEL']);

const Amount = z.string().refine((text) => findAmount(text) !== undefined);

const Order = z.object({
  symbol: z.string(),
  orderId: z.string(),
  clientOrderId: z.string(),
  executedQty: Amount,
  cummulativeQuoteQty: Amount,
  status: z.string(),
  side: z.enum(['BUY', 'SELL']),
});

const Trade = z.object({ qty: Amount, commission: Amount, commissionAsset: z.string() });

const Listed = Order.extend({ updateTime: z.string().regex(/^\d{1,15}$/) });

const Problem = z.object({ code: z.string(), msg: z.string() });

const Account = z.object({ balances: z.array(z.object({ asset: z.string(), free: Amount, locked: Amount })) });

const Rates = z.object({ taker: Amount });

const Commission = z.object({
  standardCommission: Rates,
  specialCommission: Rates.optional(),
  taxCommission: Rates.optional(),
});

const Discount = z.object({
  discount: z.object({ enabledForAccount: z.boolean(), discountAsset: z.string() }).nullish(),
});

const Filter = z.object({
  filterType: z.string(),
  minQty: Amount.optional(),
  stepSize: Amount.optional(),
  tickSize: Amount.optional(),
  minNotional: Amount.optional(),
});

const Info = z.object({
  symbols: z.array(z.object({ symbol: z.string(), status: z.string(), filters: z.array(Filter) })),
});

const Rights = z.object({
  ipRestrict: z.boolean(),
  enableWithdrawals: z.boolean(),
  enableSpotAndMarginTrading: z.boolean(),
  enableInternalTransfer: z.boolean().optional(),
  permitsUniversalTransfer: z.boolean().optional(),
});

/** Binance's signature of the parameters of a request. */
export function signBinance(parameters: string, secret: string): string {
  return createHmac('sha256', secret).update(parameters).digest('hex');
}

export function openBinance(settings: VenueSettings, asker: Asker, now: () => number): Venue {
  const { name, coins, key, secret, isTestnet } = settings;
  const symbols = new Map(coins.map((coin) => [coin, marketOf('binance', coin)]));
  const coinOf = (symbol: string) => coins.find((coin) => symbols.get(coin) === symbol);
  let offset: { readonly ms: number; readonly until_ms: number } | undefined;
  const names = nameCoins('binance', coins);

  const readClockOffset = async (): Promise<number> => {
    const asked_ms = now();
    const { json } = await asker.ask({ method: 'GET', path: '/api/v3/time' });
    const { serverTime } = z.object({ serverTime: z.string().regex(/^\d{13}$/) }).parse(json);
    const ms = Math.round(Number(serverTime) - (asked_ms + now()) / 2);
    offset = { ms, until_ms: now() + 60_000 };
    return ms;
  };

  const venueTime = async (): Promise<number> =>
    now() + (offset && offset.until_ms > now() ? offset.ms : await readClockOffset());

  const askSigned = async (
    method: 'GET' | 'POST',
    path: string,
    parameters: Readonly<Record<string, string>>,
    timestamp: number,
    window_ms: number,
  ): Promise<VenueAnswer> => {
    const query = new URLSearchParams({ ...parameters, recvWindow: String(window_ms), timestamp: String(timestamp) });
    const signed = `${query.toString()}&signature=${signBinance(query.toString(), secret)}`;
    const isPost = method === 'POST';
    return asker.ask({
      method,
      path: isPost ? path : `${path}?${signed}`,
      headers: { 'X-MBX-APIKEY': key, ...(isPost && { 'Content-Type': 'application/x-www-form-urlencoded' }) },
      ...(isPost && { body: signed }),
      timeout_ms: isPost ? PLACE_MS : QUESTION_MS,
    });
  };

  /** Asks what has no effect. Rejects without an answer of 200 that fits. */
  const read = async <T extends z.ZodType>(path: string, parameters: Record<string, string>, schema: T) => {
    const { status, json } = await askSigned('GET', path, parameters, await venueTime(), 5_000);
    if (status !== 200) throw new Error(`${path} answers ${status} ${describeProblem(json)}`);
    return schema.parse(json);
  };

  /** What an order became. Fees are in the answer to the order itself, else in the list of its trades. Never rejects. */
  const readOrder = async (json: unknown, order: VenueOrder): Promise<Outcome> => {
    const { data } = Order.safeParse(json);
    if (!data || data.clientOrderId !== order.id || data.symbol !== symbols.get(order.coin)) return unknown('no order');
    if (data.side !== order.side) return unknown('an order of the other side');
    if (OPEN.has(data.status)) return { kind: 'working' };
    if (!ENDED.has(data.status)) return unknown(`order is ${data.status}`);
    const filled = readAmount(data.executedQty);
    const fees = filled === 0n ? [] : await findFees(json, data.symbol, data.orderId, filled);
    if (!fees) return unknown('the trades are not all there');
    const { executedQty: amount, cummulativeQuoteQty: cost, orderId: reference } = data;
    return endOf({ amount, cost, fees, reference }, filled, `order ${reference} is ${data.status}`);
  };

  /** The fees by asset; `undefined` while the trades do not add up to what was filled, or cannot be read. */
  const findFees = async (json: unknown, symbol: string, orderId: string, filled: bigint) => {
    const within = z.object({ fills: z.array(Trade).min(1) }).safeParse(json).data?.fills;
    const listed = () => read('/api/v3/myTrades', { symbol, orderId, limit: '1000' }, z.array(Trade));
    const trades = within ?? (await listed().catch(() => undefined));
    if (trades?.reduce((sum, { qty }) => sum + readAmount(qty), 0n) !== filled) return undefined;
    const sums = new Map<string, bigint>();
    for (const { commission, commissionAsset } of trades) {
      sums.set(commissionAsset, (sums.get(commissionAsset) ?? 0n) + readAmount(commission));
    }
    return [...sums]
      .filter(([, sum]) => sum > 0n)
      .map(([asset, sum]) => ({ asset: names.get(asset) ?? asset, amount: writeAmount(sum) }));
  };

  const readMarkets = async (): Promise<Market[]> => {
    const wanted = encodeURIComponent(JSON.stringify([...symbols.values()]));
    const { json } = await asker.ask({ method: 'GET', path: `/api/v3/exchangeInfo?symbols=${wanted}` });
    return Promise.all(
      Info.parse(json).symbols.flatMap(({ symbol, status, filters }) => {
        const coin = coinOf(symbol);
        return coin === undefined ? [] : [readMarket(coin, symbol, status, filters)];
      }),
    );
  };

  const readMarket = async (
    coin: string,
    symbol: string,
    status: string,
    filters: readonly z.output<typeof Filter>[],
  ): Promise<Market> => {
    const filter = (...types: string[]) => filters.find(({ filterType }) => types.includes(filterType));
    const lot = filter('LOT_SIZE');
    const rates = await read('/api/v3/account/commission', { symbol }, Commission);
    const fee = [rates.standardCommission, rates.specialCommission, rates.taxCommission];
    return {
      coin,
      isOpen: status === 'TRADING',
      amountStep: shortenAmount(lot?.stepSize ?? ''),
      minAmount: shortenAmount(lot?.minQty ?? ''),
      priceStep: shortenAmount(filter('PRICE_FILTER')?.tickSize ?? ''),
      minCost: shortenAmount(filter('NOTIONAL', 'MIN_NOTIONAL')?.minNotional ?? '0'),
      takerFee: writeAmount(fee.reduce((sum, rate) => sum + readAmount(rate?.taker ?? '0'), 0n)),
    };
  };

  return {
    name,
    coins,
    lateness_ms: settings.lateness_ms ?? LATENESS_MS,
    minWindow_ms: 500,
    again: 'once',
    readClockOffset,
    readMarkets,
    place: async (order) => {
      let answer: VenueAnswer;
      try {
        const timestamp = Math.floor(await venueTime());
        // The window ends at `sendBy` by the venue's clock.
        const window_ms = Math.min(MAX_WINDOW_MS, Math.floor(order.sendBy_ms - now()));
        if (window_ms <= 0) return { kind: 'refused', reason: 'deadline_passed: before it was sent' };
        const parameters = {
          symbol: symbols.get(order.coin) ?? '',
          side: order.side,
          type: 'LIMIT',
          timeInForce: 'IOC',
          quantity: order.amount,
          price: order.limitPrice,
          newClientOrderId: order.id,
          newOrderRespType: 'FULL',
        };
        answer = await askSigned('POST', '/api/v3/order', parameters, timestamp, window_ms);
      } catch (error) {
        if (error instanceof PausedError) return { kind: 'refused', reason: `paused: ${error.message}` };
        return unknown(describeError(error));
      }
      const { status, json } = answer;
      return status === 200 ? readOrder(json, order) : judgeRefusal(status, json);
    },
    find: async (order): Promise<Found> => {
      try {
        const parameters = { symbol: symbols.get(order.coin) ?? '', origClientOrderId: order.id };
        const { status, json } = await askSigned('GET', '/api/v3/order', parameters, await venueTime(), 5_000);
        if (status === 200) return await readOrder(json, order);
        const problem = Problem.safeParse(json).data;
        return status === 400 && problem?.code === ABSENT ? { kind: 'absent' } : unknown(`${status} ${problem?.code}`);
      } catch (error) {
        return unknown(describeError(error));
      }
    },
    readBalances: async () => {
      const { balances } = await read('/api/v3/account', { omitZeroBalances: 'true' }, Account);
      return new Map(
        balances.map(({ asset, free, locked }) => [names.get(asset) ?? asset, readAmount(free) + readAmount(locked)]),
      );
    },
    readOrders: async (since_ms) => {
      const lists = await Promise.all(
        [...symbols].map(async ([coin, symbol]): Promise<ListedOrder[]> => {
          const parameters = { symbol, startTime: String(Math.floor(since_ms)), limit: '1000' };
          const orders = await read('/api/v3/allOrders', parameters, z.array(Listed));
          if (orders.length >= 1_000) throw new Error('more orders than one answer can have');
          return orders
            .filter(({ executedQty }) => readAmount(executedQty) > 0n)
            .map(({ clientOrderId, orderId, side, executedQty, cummulativeQuoteQty, updateTime }) => ({
              id: clientOrderId,
              reference: orderId,
              coin,
              side,
              amount: shortenAmount(executedQty),
              cost: shortenAmount(cummulativeQuoteQty),
              at_ms: Number(updateTime),
            }));
        }),
      );
      return lists.flat();
    },
    readKeyRights: async (): Promise<KeyRights | undefined> => {
      // The testnet has no such question.
      if (isTestnet) return undefined;
      const rights = await read('/sapi/v1/account/apiRestrictions', {}, Rights);
      const [symbol = ''] = symbols.values();
      const { discount } = await read('/api/v3/account/commission', { symbol }, Discount);
      return {
        mayWithdraw:
          rights.enableWithdrawals ||
          rights.enableInternalTransfer === true ||
          rights.permitsUniversalTransfer === true,
        mayTrade: rights.enableSpotAndMarginTrading,
        isBound: rights.ipRestrict,
        faults: discount?.enabledForAccount
          ? [`fees are paid in ${discount.discountAsset}; turn that off, or every deal is held`]
          : [],
      };
    },
  };
}

function judgeRefusal(status: number, json: unknown): Outcome {
  const problem = Problem.safeParse(json).data;
  const why = `${status} ${describeProblem(json)}`;
  const isListed =
    problem && (REFUSALS.has(problem.code) || (problem.code === '-2010' && ENGINE_REFUSALS.has(problem.msg)));
  const mayRefuse = status === 400 || status === 401 || (status === 429 && problem?.code === '-1015');
  return isListed && mayRefuse ? { kind: 'refused', reason: `venue_refused: ${why}`.slice(0, 300) } : unknown(why);
}

function describeProblem(json: unknown): string {
  const problem = Problem.safeParse(json).data;
  return problem ? `${problem.code} ${problem.msg}`.slice(0, 200) : 'without a code';
}
