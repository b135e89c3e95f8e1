import { type Dict, functions } from 'ccxt';
import { errorClasses, orderErrorClasses } from './error-classes.ts';

/**
 * The capabilities of CCXT that Bureau has. All others are false: there is, for example, no order book.
 */
const capabilities = [
  'CORS',
  'createMarketBuyOrder',
  'createMarketBuyOrderWithCost',
  'createMarketOrder',
  'createMarketOrderWithCost',
  'createMarketSellOrder',
  'createMarketSellOrderWithCost',
  'createOrder',
  'fetchBalance',
  'fetchClosedOrders',
  'fetchCurrencies',
  'fetchDepositAddress',
  'fetchDepositAddresses',
  'fetchDepositAddressesByNetwork',
  'fetchLedger',
  'fetchMarkets',
  'fetchMyTrades',
  'fetchOHLCV',
  'fetchOrder',
  'fetchOrderTrades',
  'fetchOrders',
  'fetchStatus',
  'fetchTicker',
  'fetchTickers',
  'fetchTime',
  'fetchWithdrawal',
  'fetchWithdrawals',
  'privateAPI',
  'publicAPI',
  'sandbox',
  'spot',
  'watchBalance',
  'watchMyTrades',
  'watchOrders',
  'watchTicker',
  'watchTickers',
  'withdraw',
  'ws',
];

const intervals = ['1m', '3m', '5m', '15m', '30m', '1h', '2h', '4h', '6h', '12h', '1d', '1w', '1M'];

/** Bureau counts the last sixty seconds: 300 public calls, 120 reads or 30 orders are allowed in them. */
const WINDOW_MS = 60_000;
const WEIGHT_LIMIT = 300;
const weights = { public: 1, read: 2.5, write: 10 };

/** Every capability of CCXT, with whether Bureau has it. */
export function describeCapabilities(known: Dict): Dict {
  return Object.fromEntries(Object.keys(known).map((name) => [name, capabilities.includes(name)]));
}

/** CCXT's description of the exchange, without the capabilities. */
export const description: Dict = {
  id: 'bureau',
  name: 'Bureau',
  countries: [],
  version: 'v1',
  rateLimit: WINDOW_MS / WEIGHT_LIMIT,
  rateLimiterAlgorithm: 'rollingWindow',
  rollingWindowSize: WINDOW_MS,
  // An order may wait for other orders of its key, and is answered when it is filled.
  timeout: 30_000,
  urls: {
    // Every operator has an address of his own. Set it by `urls: { api: 'https://exchange.example' }`.
    api: '',
    // The address of an exchange that `npm start` started.
    test: 'http://127.0.0.1:8787',
  },
  requiredCredentials: { apiKey: true, secret: false },
  timeframes: Object.fromEntries(intervals.map((interval) => [interval, interval])),
  api: {
    public: {
      get: {
        assets: weights.public,
        'exchange-info': weights.public,
        'markets/tickers': weights.public,
        'markets/{symbol}': weights.public,
        'markets/{symbol}/candles': weights.public,
        status: weights.public,
        time: weights.public,
      },
    },
    private: {
      get: {
        'account/api-key': weights.read,
        orders: weights.read,
        'orders/{id}': weights.read,
        'wallet/addresses': weights.read,
        'wallet/balances': weights.read,
        'wallet/transactions': weights.read,
        'wallet/withdrawals': weights.read,
        'wallet/withdrawals/{id}': weights.read,
      },
      post: { orders: weights.write, 'wallet/withdrawals': weights.write },
    },
  },
  // The spread is part of the executed price.
  fees: { trading: { tierBased: false, percentage: true, taker: 0, maker: 0 } },
  precisionMode: functions.TICK_SIZE,
  exceptions: { exact: errorClasses, orders: orderErrorClasses },
  options: {
    // Every POST has an Idempotency-Key, so CCXT may send it again.
    maxRetriesOnFailure: 3,
    maxRetriesOnFailureDelay: 500,
    // How many pages of 200 rows are read at most to reach `since`.
    maxPages: 50,
    networks: {
      BTC: 'BTC',
      BEP20: 'BEP20',
      TRC20: 'TRC20',
      SOL: 'SOL',
      ETH: 'ETH',
      ERC20: 'ETH',
      ARBITRUM: 'ARBITRUM',
      OPTIMISM: 'OPTIMISM',
      BASE: 'BASE',
      AVAXC: 'AVAX',
      MATIC: 'POLYGON',
      LTC: 'LTC',
      DOGE: 'DOGE',
    },
  },
};
