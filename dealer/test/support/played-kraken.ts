import { findAmount, readAmount, writeAmount } from '../../src/amounts.ts';
import { signKraken } from '../../src/venues/kraken.ts';
import { marketOf } from '../../src/venues/spelling.ts';
import type { PlayedExchange, PlayedOrder } from './played-exchange.ts';
import { type PlayedAnswer, type PlayedServer, json, serveVenue } from './played-server.ts';

export const KRAKEN_KEY = { key: 'played-kraken-key', secret: Buffer.from('played-kraken-secret').toString('base64') };

export interface KrakenState {
  permissions: string[];
  isRevoked: boolean;
}

const error = (text: string): PlayedAnswer => json(200, { error: [text] });
const result = (value: unknown): PlayedAnswer => json(200, { error: [], result: value });

/** How Kraken names a coin in balances. */
const nameOf = (coin: string) => (coin === 'BTC' ? 'XXBT' : coin === 'ETH' ? 'XETH' : coin);

/** Plays Kraken's spot API before an exchange: signatures, rising nonces, deadlines, and fees in USDT by `fciq`. */
export async function playKraken(
  exchange: PlayedExchange,
  coins: readonly string[],
): Promise<PlayedServer & { readonly state: KrakenState }> {
  exchange.feeIn = 'USDT';
  const state: KrakenState = {
    isRevoked: false,
    permissions: ['query-funds', 'query-open-trades', 'query-closed-trades', 'modify-trades', 'close-trades'],
  };
  let lastNonce = 0n;
  const coinOf = (pair: string | null) => coins.find((coin) => marketOf('kraken', coin) === pair);

  const place = (parameters: URLSearchParams): PlayedAnswer => {
    const coin = coinOf(parameters.get('pair'));
    const amount = findAmount(parameters.get('volume'));
    const price = findAmount(parameters.get('price'));
    if (coin === undefined) return error('EQuery:Unknown asset pair');
    if (amount === undefined || price === undefined) return error('EGeneral:Invalid arguments:volume');
    const deadline = parameters.get('deadline');
    const left_ms = deadline === null ? 60_000 : Date.parse(deadline) - exchange.now();
    if (left_ms < 0) return error('EService:Deadline elapsed');
    if (left_ms < 2_000 || left_ms > 60_000) return error('EGeneral:Invalid arguments:deadline');
    const side = parameters.get('type') === 'buy' ? 'BUY' : 'SELL';
    const order = { clientId: parameters.get('cl_ord_id'), coin, side, amount, price } as const;
    switch (exchange.findRefusal(order)) {
      case 'steps':
        return error('EOrder:Tick size check failed');
      case 'too small':
        return error('EOrder:Cost minimum not met');
      case 'no money':
        return error('EOrder:Insufficient funds');
      case 'closed':
        return error('EService:Market in cancel_only mode');
      case undefined: {
        const done = exchange.execute(order);
        return result({ txid: [referenceOf(done)], descr: { order: 'played' } });
      }
    }
  };

  const askPrivate = (method: string, parameters: URLSearchParams): PlayedAnswer => {
    const id = parameters.get('cl_ord_id');
    const since_ms = Number(parameters.get('start') ?? 0) * 1_000;
    const closed = exchange
      .listVisible()
      .filter((one) => (id === null || one.clientId === id) && one.at_ms >= since_ms);
    const from = Number(parameters.get('ofs') ?? 0);
    switch (method) {
      case 'AddOrder':
        return place(parameters);
      case 'OpenOrders':
        return result({ open: {} });
      case 'ClosedOrders': {
        const page = closed.toReversed().slice(from, from + 50);
        return result({
          closed: Object.fromEntries(page.map((one) => [referenceOf(one), show(one)])),
          count: closed.length,
        });
      }
      case 'BalanceEx':
        return result(
          Object.fromEntries(
            [...exchange.balances].map(([asset, balance]) => [
              nameOf(asset),
              { balance: writeAmount(balance), hold_trade: '0.0000000000' },
            ]),
          ),
        );
      case 'TradeVolume': {
        const fee = writeAmount(readAmount(exchange.feeRate) * 100n);
        return result({ fees: Object.fromEntries(coins.map((coin) => [marketOf('kraken', coin), { fee }])) });
      }
      case 'GetApiKeyInfo':
        return result({ api_key_name: 'dealer', permissions: state.permissions, ip_allowlist: ['192.0.2.1'] });
      default:
        return error('EGeneral:Unknown method');
    }
  };

  const server = await serveVenue(({ path, headers, body }) => {
    if (path === '/0/public/Time') return result({ unixtime: Math.floor(exchange.now() / 1_000) });
    if (path === '/0/public/AssetPairs') return result(describePairs(exchange, coins));
    if (path === '/0/public/Assets') {
      return result(
        Object.fromEntries(
          [...coins, 'USDT'].map((coin) => [
            nameOf(coin),
            {
              aclass: 'currency',
              altname: coin === 'BTC' ? 'XBT' : coin,
              decimals: 10,
              display_decimals: 5,
              status: 'enabled',
            },
          ]),
        ),
      );
    }
    const parameters = new URLSearchParams(body);
    const nonce = parameters.get('nonce') ?? '0';
    if (state.isRevoked || headers['api-key'] !== KRAKEN_KEY.key) return error('EAPI:Invalid key');
    if (headers['api-sign'] !== signKraken(path, nonce, body, KRAKEN_KEY.secret))
      return error('EAPI:Invalid signature');
    if (BigInt(nonce) <= lastNonce) return error('EAPI:Invalid nonce');
    lastNonce = BigInt(nonce);
    return askPrivate(path.replace('/0/private/', ''), parameters);
  });
  return Object.assign(server, { state });
}

const referenceOf = ({ reference }: PlayedOrder) => `OPLAY-${reference}`;

function show(order: PlayedOrder) {
  const time = order.at_ms / 1_000;
  return {
    refid: null,
    userref: null,
    cl_ord_id: order.clientId,
    status: order.filled === order.amount ? 'closed' : 'canceled',
    opentm: time,
    closetm: time,
    starttm: 0,
    expiretm: 0,
    descr: {
      pair: marketOf('kraken', order.coin),
      type: order.side.toLowerCase(),
      ordertype: 'limit',
      price: writeAmount(order.price),
      price2: '0',
      leverage: 'none',
      order: 'played',
      close: '',
    },
    vol: writeAmount(order.amount),
    vol_exec: writeAmount(order.filled),
    cost: writeAmount(order.cost),
    fee: writeAmount(order.fee.amount),
    price: writeAmount(order.price),
    stopprice: '0',
    limitprice: '0',
    misc: '',
    oflags: 'fciq',
    reason: null,
  };
}

function describePairs({ amountStep, priceStep, minCost, isOpen }: PlayedExchange, coins: readonly string[]) {
  const decimals = (step: string) => (step.split('.')[1] ?? '').length;
  return Object.fromEntries(
    coins.map((coin) => [
      marketOf('kraken', coin),
      {
        altname: marketOf('kraken', coin),
        wsname: `${coin === 'BTC' ? 'XBT' : coin}/USDT`,
        aclass_base: 'currency',
        base: nameOf(coin),
        aclass_quote: 'currency',
        quote: 'USDT',
        lot: 'unit',
        pair_decimals: decimals(priceStep),
        lot_decimals: decimals(amountStep),
        lot_multiplier: 1,
        leverage_buy: [],
        leverage_sell: [],
        fees: [[0, 0.1]],
        fees_maker: [[0, 0.1]],
        fee_volume_currency: 'ZUSD',
        margin_call: 80,
        margin_stop: 40,
        ordermin: amountStep,
        costmin: minCost,
        tick_size: priceStep,
        status: isOpen ? 'online' : 'cancel_only',
      },
    ]),
  );
}
