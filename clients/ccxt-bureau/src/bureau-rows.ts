import {
  type Balances,
  type Currency,
  type CurrencyInterface,
  type DepositAddress,
  type Dict,
  type LedgerEntry,
  type Market,
  type OHLCV,
  type Order,
  Precise,
  type Str,
  type Ticker,
  type Trade,
  type Transaction,
} from 'ccxt';
import { BureauConnection } from './bureau-connection.ts';

/** Decimals of a price. */
const PRICE_STEP = '0.00000001';

const orderStatuses: Dict = { COMPLETED: 'closed', FAILED: 'rejected' };
const withdrawalStatuses: Dict = { PENDING: 'pending', PROCESSING: 'pending', COMPLETED: 'ok', FAILED: 'failed' };
const ledgerTypes: Dict = {
  TRADE: 'trade',
  P2P: 'trade',
  QUICK_TRADE: 'trade',
  DEPOSIT: 'transaction',
  WITHDRAWAL: 'transaction',
};

/** Converts Bureau's rows to CCXT's structures. */
export abstract class BureauRows extends BureauConnection {
  override parseMarket(row: Dict): Market {
    const base = this.safeCurrencyCode(this.safeString(row, 'base'));
    const quote = this.safeCurrencyCode(this.safeString(row, 'quote'));
    const quoteStep = this.safeNumber(row, 'quoteStep');
    return this.safeMarketStructure({
      id: this.safeString(row, 'symbol'),
      symbol: `${base}/${quote}`,
      base,
      quote,
      baseId: this.safeString(row, 'base'),
      quoteId: this.safeString(row, 'quote'),
      type: 'spot',
      spot: true,
      margin: false,
      active: row['status'] === 'TRADING',
      precision: {
        amount: this.safeNumber(row, 'baseStep'),
        price: this.parseNumber(PRICE_STEP),
        cost: quoteStep,
        base: this.safeNumber(row, 'baseStep'),
        quote: quoteStep,
      },
      limits: { cost: { min: this.safeNumber(row, 'minNotional'), max: this.safeNumber(row, 'maxNotional') } },
      info: row,
    });
  }

  override parseCurrency(row: Dict): CurrencyInterface {
    const id = this.safeString(row, 'asset');
    const code = this.safeCurrencyCode(id);
    const precision = this.parseNumber(this.parsePrecision(this.safeString(row, 'scale')));
    const networks = (row['networks'] as Dict[]).map((on): [Str, Dict] => {
      const networkId = this.safeString(on, 'network');
      const network = this.networkIdToCode(networkId, code);
      const deposit = this.safeBool(on, 'depositEnabled') === true;
      const withdraw = this.safeBool(on, 'withdrawEnabled') === true;
      const limits = {
        deposit: { min: this.safeNumber(on, 'minDeposit') },
        withdraw: { min: this.safeNumber(on, 'minWithdrawal') },
      };
      const fee = this.safeNumber(on, 'withdrawFee');
      const active = deposit && withdraw;
      return [network, { info: on, id: networkId, network, active, deposit, withdraw, fee, precision, limits }];
    });
    const name = this.safeString(row, 'name');
    const byCode = Object.fromEntries(networks);
    return this.safeCurrencyStructure({
      info: row,
      id,
      code,
      name,
      type: 'crypto',
      active: true,
      precision,
      networks: byCode,
    });
  }

  override parseTicker(row: Dict, market?: Market): Ticker {
    const known = this.safeMarket(this.safeString(row, 'symbol'), market);
    const timestamp = this.parse8601(this.safeString(row, 'ts'));
    return this.safeTicker(
      {
        symbol: known?.symbol,
        timestamp,
        datetime: this.iso8601(timestamp),
        last: this.safeString(row, 'price'),
        percentage: Precise.stringMul(this.safeString(row, 'change24h'), '100'),
        baseVolume: this.safeString(row, 'volume24h'),
        info: row,
      },
      known,
    );
  }

  override parseOHLCV(row: Dict): OHLCV {
    return [
      this.parse8601(this.safeString(row, 'ts')),
      this.safeNumber(row, 'open'),
      this.safeNumber(row, 'high'),
      this.safeNumber(row, 'low'),
      this.safeNumber(row, 'close'),
      this.safeNumber(row, 'volume'),
    ];
  }

  /** All of a balance can be spent: an open withdrawal is no longer part of it. */
  override parseBalance(response: Dict): Balances {
    const timestamp = this.parse8601(this.safeString(response, 'ts'));
    const result: Dict = { info: response, timestamp, datetime: this.iso8601(timestamp) };
    for (const row of response['balances'] as Dict[]) {
      const amount = this.safeString(row, 'amount');
      result[this.safeCurrencyCode(this.safeString(row, 'asset')) as string] = {
        free: amount,
        used: '0',
        total: amount,
      };
    }
    return this.safeBalance(result);
  }

  override parseOrder(row: Dict, market?: Market): Order {
    const known = this.safeMarket(this.safeString(row, 'coin'), market);
    const timestamp = this.parse8601(this.safeString(row, 'ts'));
    const amount = this.safeString(row, 'coinAmount');
    const isFilled = row['status'] === 'COMPLETED';
    return this.safeOrder(
      {
        id: this.safeString(row, 'id'),
        clientOrderId: this.safeString(row, 'clientOrderId'),
        timestamp,
        datetime: this.iso8601(timestamp),
        symbol: known?.symbol,
        type: 'market',
        timeInForce: 'FOK',
        side: this.safeStringLower(row, 'side'),
        price: this.safeString(row, 'executedPrice'),
        average: this.safeString(row, 'executedPrice'),
        amount,
        filled: isFilled ? amount : '0',
        cost: isFilled ? this.safeString(row, 'usdtAmount') : '0',
        status: this.safeString(orderStatuses, row['status'] as string),
        fee: { cost: this.parseNumber('0'), currency: known?.quote },
        info: row,
      },
      known,
    );
  }

  /** An order fills at once and whole, so it is one trade, with the order's id. */
  override parseTrade(row: Dict, market?: Market): Trade {
    const known = this.safeMarket(this.safeString(row, 'coin'), market);
    const timestamp = this.parse8601(this.safeString(row, 'ts'));
    return this.safeTrade(
      {
        id: this.safeString(row, 'id'),
        order: this.safeString(row, 'id'),
        timestamp,
        datetime: this.iso8601(timestamp),
        symbol: known?.symbol,
        type: 'market',
        side: this.safeStringLower(row, 'side'),
        takerOrMaker: 'taker',
        price: this.safeString(row, 'executedPrice'),
        amount: this.safeString(row, 'coinAmount'),
        cost: this.safeString(row, 'usdtAmount'),
        fee: { cost: this.parseNumber('0'), currency: known?.quote },
        info: row,
      },
      known,
    );
  }

  override parseTransaction(row: Dict, currency?: Currency): Transaction {
    const code = this.safeCurrencyCode(this.safeString(row, 'asset'), currency);
    const timestamp = this.parse8601(this.safeString(row, 'ts'));
    const txid = this.safeString(row, 'txHash');
    const address = this.safeString(row, 'address');
    return {
      id: this.safeString(row, 'id'),
      txid,
      timestamp,
      datetime: this.iso8601(timestamp),
      network: this.networkIdToCode(this.safeString(row, 'network'), code),
      address,
      addressTo: address,
      addressFrom: undefined,
      tag: undefined,
      tagTo: undefined,
      tagFrom: undefined,
      type: 'withdrawal',
      amount: this.safeNumber(row, 'amount'),
      currency: code,
      status: this.safeString(withdrawalStatuses, row['status'] as string),
      updated: undefined,
      comment: undefined,
      fee: { currency: code, cost: this.safeNumber(row, 'fee') },
      internal: row['status'] === 'COMPLETED' && txid === undefined,
      info: row,
    };
  }

  override parseLedgerEntry(row: Dict, currency?: Currency): LedgerEntry {
    const timestamp = this.parse8601(this.safeString(row, 'ts'));
    const known = this.safeCurrency(this.safeString(row, 'asset'), currency);
    return this.safeLedgerEntry(
      {
        id: this.safeString(row, 'id'),
        referenceId: this.safeString(row, 'id'),
        timestamp,
        direction: /(BUY|DEPOSIT)$/.test(row['type'] as string) ? 'in' : 'out',
        type: this.safeString(ledgerTypes, row['category'] as string),
        currency: known?.code,
        amount: this.safeString(row, 'amount'),
        status: this.safeString(withdrawalStatuses, row['status'] as string),
        info: row,
      },
      known,
    );
  }

  override parseDepositAddress(row: Dict, currency?: Currency): DepositAddress {
    const address = this.safeString(row, 'address') as string;
    this.checkAddress(address);
    const code = currency?.code as string;
    const network = this.networkIdToCode(this.safeString(row, 'network'), code) as string;
    return { currency: code, network, address, tag: undefined, info: row };
  }
}
