import {
  ArgumentsRequired,
  BadResponse,
  type BaseError,
  type Dict,
  Exchange,
  ExchangeError,
  ExchangeNotAvailable,
  type Int,
  type Str,
} from 'ccxt';
import { describeCapabilities, description } from './description.ts';

/** An operation as a method, which CCXT makes from the description. */
type Operation = (params?: Dict) => Promise<Dict>;

/** Rows of a page: the largest number that Bureau allows. */
const PAGE_SIZE = 200;

/** The rows to read from a list. */
interface RowQuery {
  /** The oldest time to read, in milliseconds since 1970. */
  readonly since: Int;
  readonly limit: Int;
  readonly wanted: (row: Dict) => boolean;
  readonly params: Dict;
}

type ErrorClass = new (message: string) => BaseError;

/** Sends requests to Bureau and turns its refusals into errors of CCXT. */
export abstract class BureauConnection extends Exchange {
  declare readonly publicGetAssets: Operation;
  declare readonly publicGetExchangeInfo: Operation;
  declare readonly publicGetMarketsTickers: Operation;
  declare readonly publicGetMarketsSymbol: Operation;
  declare readonly publicGetMarketsSymbolCandles: Operation;
  declare readonly publicGetStatus: Operation;
  declare readonly publicGetTime: Operation;
  declare readonly privateGetAccountApiKey: Operation;
  declare readonly privateGetOrders: Operation;
  declare readonly privateGetOrdersId: Operation;
  declare readonly privateGetWalletAddresses: Operation;
  declare readonly privateGetWalletBalances: Operation;
  declare readonly privateGetWalletTransactions: Operation;
  declare readonly privateGetWalletWithdrawals: Operation;
  declare readonly privateGetWalletWithdrawalsId: Operation;
  declare readonly privatePostOrders: Operation;
  declare readonly privatePostWalletWithdrawals: Operation;

  override describe(): Dict {
    const known = super.describe() as Dict;
    return this.deepExtend(known, description, { has: describeCapabilities(known['has'] as Dict) }) as Dict;
  }

  /**
   * Sends a request, with retries if the options say so. A POST without an `idempotencyKey` gets one here and keeps it
   * in all retries, so it takes effect once.
   */
  override request(
    path: string,
    api: unknown = 'public',
    method: string = 'GET',
    params: Dict = {},
    headers?: Dict,
    body?: Str,
    config: Dict = {},
  ): Promise<Dict> {
    const intent = method === 'POST' ? { idempotencyKey: crypto.randomUUID() } : {};
    return super.request(path, api, method, { ...intent, ...params }, headers, body, config) as Promise<Dict>;
  }

  override sign(path: string, api: unknown = 'public', method = 'GET', params: Dict = {}): Dict {
    const origin = this.urls['api'] as unknown as string;
    if (origin === '') throw new ArgumentsRequired(`${this.id} needs the address of the exchange in urls.api`);
    const placed = this.extractParams(path);
    const rest = this.omit(params, [...placed, 'idempotencyKey']) as Dict;
    const escaped = Object.fromEntries(placed.map((name) => [name, encodeURIComponent(String(params[name]))]));
    const url = `${origin}/api/${this.version}/${this.implodeParams(path, escaped)}`;
    const headers: Dict = {};
    if (api === 'private') {
      this.checkRequiredCredentials();
      headers['Authorization'] = `Bearer ${this.apiKey}`;
    }
    if (method === 'GET') {
      const query = this.urlencode(rest);
      return { url: query === '' ? url : `${url}?${query}`, method, headers, body: undefined };
    }
    headers['Content-Type'] = 'application/json';
    headers['Idempotency-Key'] = params['idempotencyKey'] as string;
    return { url, method, headers, body: this.json(rest) };
  }

  /** Throws the error for a problem's code. Any other answer is left to CCXT, which decides by the status. */
  override handleErrors(
    status: number,
    _reason: string,
    url: string,
    method: string,
    _headers: Dict,
    body: string,
    answer: Dict | undefined,
  ): undefined {
    if (status < 400) {
      if (answer === undefined) throw new BadResponse(`${this.id} ${method} ${url} answered no JSON`);
      return undefined;
    }
    const code = this.safeString(answer, 'code');
    if (code === undefined) return undefined;
    const { exact, orders } = this.exceptions as { exact: Dict; orders: Dict };
    const byCode = { ...exact, ...(/\/orders\b/.test(url) && orders) } as Record<string, ErrorClass>;
    // A code that this version does not know: its `retryable` says whether a retry may help.
    const unknown = this.safeBool(answer, 'retryable') === true ? ExchangeNotAvailable : ExchangeError;
    const ErrorOfCode = byCode[code] ?? unknown;
    throw new ErrorOfCode(`${this.id} ${body}`);
  }

  /**
   * Reads a list page by page, newest first, until `since` or `limit` is reached; without both, one page. Throws when
   * `since` is not reached within `maxPages` pages, because the oldest rows would be missing.
   */
  protected async readRows(ask: Operation, list: string, { since, limit, wanted, params }: RowQuery): Promise<Dict[]> {
    const rows: Dict[] = [];
    const maxPages = this.safeInteger(this.options, 'maxPages', 1);
    let cursor: Str;
    for (let page = 1; page <= maxPages; page += 1) {
      const answer = await ask({ limit: PAGE_SIZE, ...params, ...(cursor !== undefined && { cursor }) });
      const read = answer[list] as Dict[];
      rows.push(...read.filter(wanted));
      cursor = this.safeString(answer, 'nextCursor');
      const oldest = this.parse8601(this.safeString(read.at(-1), 'ts'));
      const isEnough = since === undefined && (limit === undefined || rows.length >= limit);
      const isPast = since !== undefined && oldest !== undefined && oldest < since;
      if (cursor === undefined || isEnough || isPast) return rows;
    }
    if (since === undefined) return rows;
    throw new ExchangeError(`${this.id} has more than ${maxPages} pages of ${list} since ${this.iso8601(since)}`);
  }
}
