import { type BucketLimits, defaultLimits } from '../../src/keys/bucket-limits.ts';
import { type Asset, assetSymbols, scaleOf } from '../../src/money/assets.ts';
import { type Atoms, parseAmount } from '../../src/money/amounts.ts';
import { toUsdt } from '../../src/money/conversion.ts';
import type { Operator } from '../../test/support/node/exchange/operator.ts';
import { truePrice } from './played-market.ts';
import type { Frame } from './price-path.ts';
import { type Tally, Trader } from './trader.ts';

/** More than any strategy moves at once. */
const FUNDS: Readonly<Record<Asset, string>> = {
  USDT: '2000000',
  USDC: '1000000',
  BTC: '30',
  ETH: '800',
  AVAX: '100000',
  MATIC: '8000000',
  BNB: '3000',
  LTC: '25000',
  DOGE: '15000000',
};

/** Limits that are never reached. */
export const UNLIMITED: BucketLimits = { perMinute: 1_000_000, perDay: 1_000_000 };

type Balances = Readonly<Record<Asset, Atoms>>;

/** How a holder is opened. */
export interface HolderOptions {
  /** The coins to hold beside USDT. */
  readonly assets: readonly Asset[];
  readonly keys: number;
  /** How many orders each key may place. Default: the default limits. */
  readonly trades?: BucketLimits;
}

/** An account and its keys. The profit is computed from the account's balances. */
export class Holder {
  readonly keys: readonly Trader[];
  readonly tally: Tally;
  readonly #first: Balances;

  private constructor(keys: readonly Trader[], tally: Tally, first: Balances) {
    this.keys = keys;
    this.tally = tally;
    this.#first = first;
  }

  static async open(operator: Operator, options: HolderOptions): Promise<Holder> {
    const { keys, trades = defaultLimits.trade } = options;
    const held = ['USDT', ...options.assets].map((asset) => [asset, FUNDS[asset as Asset]] as const);
    const accountId = await operator.openAccount(Object.fromEntries(held));
    const tally: Tally = { filled: 0, refused: {} };
    const traders: Trader[] = [];
    for (let key = 0; key < keys; key += 1) {
      const token = await operator.createKey(accountId, {
        scopes: ['read', 'trade'],
        rateLimits: { ...defaultLimits, trade: trades },
      });
      traders.push(new Trader(operator.origin, token, trades.perMinute, tally));
    }
    return new Holder(traders, tally, await readBalances(traders));
  }

  /**
   * What the account has gained since it was opened, in atoms of USDT. Only the differences of the balances count, each
   * coin at its true mid price in `frame`, so the funds it began with gain and lose nothing when the market moves.
   */
  async readProfit(frame: Frame): Promise<Atoms> {
    const now = await readBalances(this.keys);
    return assetSymbols.reduce((sum, asset) => sum + valueOf(asset, now[asset] - this.#first[asset], frame), 0n);
  }
}

async function readBalances([key]: readonly Trader[]): Promise<Balances> {
  const told = (await key?.readBalances()) ?? {};
  const amounts = assetSymbols.map((asset) => [asset, parseAmount(told[asset] ?? '0', scaleOf(asset))] as const);
  return Object.fromEntries(amounts) as Record<Asset, Atoms>;
}

/** Rounded down, below zero too. */
function valueOf(asset: Asset, amount: Atoms, frame: Frame): Atoms {
  if (asset === 'USDT') return amount;
  const price = truePrice(frame, asset);
  return amount < 0n ? -toUsdt(asset, -amount, price, 'up') : toUsdt(asset, amount, price, 'down');
}
