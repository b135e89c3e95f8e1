import {
  ArgumentsRequired,
  BadRequest,
  type Balances,
  type Currency,
  type DepositAddress,
  type DepositAddresses,
  type Dict,
  type Int,
  type LedgerEntry,
  NotSupported,
  type Str,
  type Strings,
  type Transaction,
} from 'ccxt';
import { BureauStreams } from './bureau-streams.ts';

/**
 * Bureau as an exchange of CCXT: market orders that fill at once and whole, balances, deposit addresses, withdrawals,
 * tickers and candles. Methods behave as CCXT's manual says; comments here describe only what is particular to Bureau.
 */
export class Bureau extends BureauStreams {
  override async fetchBalance(params: Dict = {}): Promise<Balances> {
    await this.loadMarkets();
    return this.parseBalance(await this.privateGetWalletBalances(params));
  }

  /** `params.network` is required for a currency on several networks. */
  override async fetchDepositAddress(code: string, params: Dict = {}): Promise<DepositAddress> {
    await this.loadMarkets();
    const [networkId, rest] = this.#takeNetwork(code, params);
    const byNetwork = await this.fetchDepositAddressesByNetwork(code, rest);
    const address = byNetwork[this.networkIdToCode(networkId, code) as string];
    if (address === undefined) throw new BadRequest(`${this.id} takes no deposits of ${code} on ${networkId}`);
    return address;
  }

  override async fetchDepositAddressesByNetwork(code: string, params: Dict = {}): Promise<DepositAddresses> {
    const addresses = await this.fetchDepositAddresses([code], params);
    return this.indexBy(addresses, 'network') as DepositAddresses;
  }

  /** The address of each currency on each network where it can be deposited. */
  override async fetchDepositAddresses(codes?: Strings, params: Dict = {}): Promise<DepositAddress[]> {
    await this.loadMarkets();
    const { addresses } = await this.privateGetWalletAddresses(params);
    const byNetwork = this.indexBy(addresses as Dict[], 'network') as Record<string, Dict>;
    return (codes ?? (this.codes as string[])).flatMap((code) => {
      const currency = this.currency(code);
      return Object.values(currency.networks as Dict)
        .filter((network: Dict) => network['deposit'] === true)
        .map((network: Dict) => this.parseDepositAddress(byNetwork[network['id'] as string] ?? {}, currency));
    });
  }

  /** The activity of the account. A trade is shown with the coin that it moved; the USDT are in the order. */
  override async fetchLedger(code?: Str, since?: Int, limit?: Int, params: Dict = {}): Promise<LedgerEntry[]> {
    const currency = await this.#loadCurrency(code);
    const wanted = (row: Dict) => currency === undefined || row['asset'] === currency.id;
    const query = { since, limit, wanted, params };
    const rows = await this.readRows(this.privateGetWalletTransactions, 'transactions', query);
    return this.parseLedger(rows, currency, since, limit);
  }

  /**
   * Withdraws. The address receives `amount`; the fee is paid in addition. `params.network` is required for a currency
   * on several networks. `params.totpCode` is the code of the second factor; it is computed from `twofa` if that is
   * set. With one `params.idempotencyKey` it is paid once. Too many decimals are refused, not cut off.
   */
  override async withdraw(
    code: string,
    amount: number,
    address: string,
    tag?: Str,
    params: Dict = {},
  ): Promise<Transaction> {
    const [memo, own] = this.handleWithdrawTagAndParams(tag, params) as [Str, Dict];
    if (memo !== undefined) throw new NotSupported(`${this.id} withdraw() has no network with tags`);
    this.checkAddress(address);
    await this.loadMarkets();
    const currency = this.currency(code);
    const [network, rest] = this.#takeNetwork(code, own);
    const { withdrawal } = await this.privatePostWalletWithdrawals({
      asset: currency.id,
      network,
      amount: this.numberToString(amount),
      address,
      ...(this.twofa !== undefined && { totpCode: this.oath() }),
      ...rest,
    });
    return this.parseTransaction(withdrawal as Dict, currency);
  }

  async fetchWithdrawal(id: string, code?: Str, params: Dict = {}): Promise<Transaction> {
    const currency = await this.#loadCurrency(code);
    const { withdrawal } = await this.privateGetWalletWithdrawalsId({ id, ...params });
    return this.parseTransaction(withdrawal as Dict, currency);
  }

  override async fetchWithdrawals(code?: Str, since?: Int, limit?: Int, params: Dict = {}): Promise<Transaction[]> {
    const currency = await this.#loadCurrency(code);
    const wanted = (row: Dict) => currency === undefined || row['asset'] === currency.id;
    const query = { since, limit, wanted, params };
    const rows = await this.readRows(this.privateGetWalletWithdrawals, 'withdrawals', query);
    return this.parseTransactions(rows, currency, since, limit);
  }

  /** Bureau's name of the requested network, and the other parameters. */
  #takeNetwork(code: string, params: Dict): [networkId: string, rest: Dict] {
    const [named, rest] = this.handleNetworkCodeAndParams(params) as [Str, Dict];
    if (named !== undefined) return [this.networkCodeToId(named, code) as string, rest];
    const networks = Object.values(this.currency(code).networks as Dict) as Dict[];
    const [only] = networks;
    if (networks.length === 1 && only !== undefined) return [only['id'] as string, rest];
    const names = networks.map((network) => network['network'] as string).join(', ');
    throw new ArgumentsRequired(`${this.id} needs params.network for ${code}: one of ${names}`);
  }

  async #loadCurrency(code: Str): Promise<Currency | undefined> {
    await this.loadMarkets();
    return code === undefined ? undefined : this.currency(code);
  }
}
