import { z } from 'zod';
import { findAmount, readAmount } from '../amounts.ts';
import { type Asker, PLACE_MS, PausedError } from './ask.ts';
import {
  type Found,
  type ListedOrder,
  type Market,
  type Outcome,
  type Venue,
  type VenueOrder,
  unknown,
} from './venue.ts';
import type { VenueSettings } from '../config.ts';
import { describeError } from '../../../custodian/src/log.ts';

/**
 * Another Bureau's /api/v1. It knows no deadline. An account uses a clientOrderId once and for good, and for 24 hours an
 * Idempotency-Key is executed once and answered a second time as the first. Both are the deal's id.
 */
const LATENESS_MS = 60_000;

/**
 * Refusals that are stored under the Idempotency-Key ("Kept for replay"), so that a late copy of the order gets them too.
 * `client_order_id_reused` is none of them: it says that there is an order with this id.
 */
const REFUSALS: ReadonlySet<string> = new Set([
  'symbol_not_supported',
  'amount_below_minimum',
  'amount_above_maximum',
  'precision_exceeded',
  'price_limit_exceeded',
  'insufficient_balance',
  'order_rejected',
]);

const Amount = z.string().refine((text) => findAmount(text) !== undefined);

const Order = z.object({
  id: z.string().min(1),
  ts: z.iso.datetime(),
  coin: z.string(),
  side: z.enum(['BUY', 'SELL']),
  coinAmount: Amount,
  usdtAmount: Amount,
  clientOrderId: z.string().optional(),
});

type Order = z.output<typeof Order>;

const Info = z.object({
  symbols: z.array(
    z.object({
      symbol: z.string(),
      status: z.string(),
      baseStep: Amount,
      minNotional: Amount,
    }),
  ),
});

/** Orders of a page of the list. */
const PAGE = 200;

export function openBureau(settings: VenueSettings, asker: Asker, now: () => number): Venue {
  const { name, coins, key } = settings;
  const headers = { Authorization: `Bearer ${key}` };

  const read = async <T extends z.ZodType>(path: string, schema: T): Promise<z.output<T>> => {
    const { status, json } = await asker.ask({ method: 'GET', path: `/api/v1${path}`, headers });
    if (status !== 200) throw new Error(`${path} answers ${status}`);
    return schema.parse(json);
  };

  return {
    name,
    coins,
    lateness_ms: settings.lateness_ms ?? LATENESS_MS,
    minWindow_ms: 0,
    again: 'repeat',
    place: async (order): Promise<Outcome> => {
      const { id, coin, side, amount, limitPrice } = order;
      try {
        const { status, json } = await asker.ask({
          method: 'POST',
          path: '/api/v1/orders',
          headers: { ...headers, 'Content-Type': 'application/json', 'Idempotency-Key': id },
          body: JSON.stringify({ coin, side, mode: 'COIN_QTY', value: amount, limitPrice, clientOrderId: id }),
          timeout_ms: PLACE_MS,
        });
        if (status === 201) return readOrder(z.object({ order: Order }).safeParse(json).data?.order, order);
        const code = z.object({ code: z.string() }).safeParse(json).data?.code ?? 'without a code';
        const isRefusal = status === 422 && REFUSALS.has(code);
        return isRefusal ? { kind: 'refused', reason: `venue_refused: ${code}` } : unknown(`${status} ${code}`);
      } catch (error) {
        // Not a refusal: the same order may have been sent before.
        return unknown(error instanceof PausedError ? `paused: ${error.message}` : describeError(error));
      }
    },
    find: async (order): Promise<Found> => {
      try {
        const schema = z.object({ orders: z.array(Order) });
        const [found] = (await read(`/orders?clientOrderId=${order.id}`, schema)).orders;
        return found ? readOrder(found, order) : { kind: 'absent' };
      } catch (error) {
        return unknown(describeError(error));
      }
    },
    readBalances: async () => {
      const schema = z.object({ balances: z.array(z.object({ asset: z.string(), amount: Amount })) });
      const { balances } = await read('/wallet/balances', schema);
      return new Map(balances.map(({ asset, amount }) => [asset, readAmount(amount)]));
    },
    readMarkets: async () => {
      const { symbols } = await read('/exchange-info', Info);
      return symbols
        .filter(({ symbol }) => coins.includes(symbol))
        .map(({ symbol, status, baseStep, minNotional }): Market => ({
          coin: symbol,
          isOpen: status === 'TRADING',
          amountStep: baseStep,
          priceStep: '0.00000001',
          minAmount: baseStep,
          minCost: minNotional,
          // The spread is in the price.
          takerFee: '0',
        }));
    },
    readOrders: async (since_ms) => {
      const schema = z.object({ orders: z.array(Order), nextCursor: z.string().nullish() });
      const orders: ListedOrder[] = [];
      for (let cursor = ''; ;) {
        const page = await read(`/orders?limit=${PAGE}${cursor && `&cursor=${encodeURIComponent(cursor)}`}`, schema);
        for (const {
          id: reference,
          ts,
          coin,
          side,
          coinAmount: amount,
          usdtAmount: cost,
          clientOrderId,
        } of page.orders) {
          const at_ms = Date.parse(ts);
          if (at_ms < since_ms) return orders;
          orders.push({ id: clientOrderId ?? null, reference, coin, side, amount, cost, at_ms });
        }
        if (!page.nextCursor) return orders;
        cursor = page.nextCursor;
      }
    },
    readClockOffset: async () => {
      const asked_ms = now();
      const { serverTime } = await read('/time', z.object({ serverTime: z.iso.datetime() }));
      return Math.round(Date.parse(serverTime) - (asked_ms + now()) / 2);
    },
    readKeyRights: async () => {
      const rights = z.object({ scopes: z.array(z.string()), ipAllowlist: z.array(z.string()).nullish() });
      const { apiKey } = await read('/account/api-key', z.object({ apiKey: rights }));
      const { scopes, ipAllowlist } = apiKey;
      return {
        mayWithdraw: scopes.includes('withdraw'),
        mayTrade: scopes.includes('trade') && scopes.includes('read'),
        isBound: (ipAllowlist ?? []).length > 0,
        faults: [],
      };
    },
  };
}

/** An order of the venue as this deal's: it is filled as soon as it exists. */
function readOrder(found: Order | undefined, order: VenueOrder): Outcome {
  if (found?.clientOrderId !== order.id) return unknown('not this order');
  if (found.coin !== order.coin || found.side !== order.side) return unknown('an order of another market or side');
  const { coinAmount: amount, usdtAmount: cost, id: reference } = found;
  return { kind: 'dealt', fill: { amount, cost, fees: [], reference } };
}
