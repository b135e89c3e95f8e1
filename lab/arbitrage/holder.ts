import { type BucketLimits, defaultLimits } from '../../src/keys/rights.ts';
import { type Asset, assetSymbols, scaleOf, toUsdt } from '../../src/money/assets.ts';
import { type Atoms, parseAmount } from '../../src/money/amounts.ts';
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

export interface HolderOptions {
  readonly assets: readonly Asset[];
  readonly keys: number;
  /** The ledgers of the accounts, one in each. Default: one account, in ledger 0. */
  readonly ledgers?: readonly number[];
  /** How many orders each key may place. Default: the default limits. */
  readonly trades?: BucketLimits;
  /** The same for reads; previews count as reads. */
  readonly reads?: BucketLimits;
}

/** Somebody with an account and its keys, or with several. The profit is computed from the accounts' balances. */
export class Holder {
  readonly keys: readonly Trader[];
  readonly tally: Tally;
  readonly #accounts: readonly Trader[];
  readonly #first: Balances;

  private constructor(accounts: readonly (readonly Trader[])[], tally: Tally, first: Balances) {
    this.keys = accounts.flat();
    this.tally = tally;
    this.#accounts = accounts.flatMap(([key]) => key ?? []);
    this.#first = first;
  }

  static async open(operator: Operator, options: HolderOptions): Promise<Holder> {
    const { ledgers = [0] } = options;
    const tally: Tally = { filled: 0, refused: {} };
    const accounts: Trader[][] = [];
    for (const ledger of ledgers) {
      await operator.openIn(ledger);
      accounts.push(await openKeys(operator, options, tally));
    }
    return new Holder(accounts, tally, await readBalances(accounts.flatMap(([key]) => key ?? [])));
  }

  /**
   * What the accounts have gained since they were opened, in atoms of USDT. Only the differences of the balances count,
   * each coin at its true mid price in `frame`, so the funds it began with gain and lose nothing when the market moves.
   */
  async readProfit(frame: Frame): Promise<Atoms> {
    const now = await readBalances(this.#accounts);
    return assetSymbols.reduce((sum, asset) => sum + valueOf(asset, now[asset] - this.#first[asset], frame), 0n);
  }
}

async function openKeys(operator: Operator, options: HolderOptions, tally: Tally): Promise<Trader[]> {
  const { keys, trades = defaultLimits.trade, reads = defaultLimits.read } = options;
  const held = ['USDT', ...options.assets].map((asset) => [asset, FUNDS[asset as Asset]] as const);
  const accountId = await operator.openAccount(Object.fromEntries(held));
  const traders: Trader[] = [];
  for (let key = 0; key < keys; key += 1) {
    const token = await operator.createKey(accountId, {
      scopes: ['read', 'trade'],
      rateLimits: { ...defaultLimits, read: reads, trade: trades },
    });
    traders.push(new Trader(operator.origin, token, trades.perMinute, tally));
  }
  return traders;
}

async function readBalances(accounts: readonly Trader[]): Promise<Balances> {
  const all = await Promise.all(accounts.map((account) => account.readBalances()));
  const sum = (asset: Asset) =>
    all.reduce((total, told) => total + (parseAmount(told[asset] ?? '0', scaleOf(asset)) ?? 0n), 0n);
  return Object.fromEntries(assetSymbols.map((asset) => [asset, sum(asset)])) as Record<Asset, Atoms>;
}

/** Rounded down, below zero too. */
function valueOf(asset: Asset, amount: Atoms, frame: Frame): Atoms {
  if (asset === 'USDT') return amount;
  const price = truePrice(frame, asset);
  return amount < 0n ? -toUsdt(asset, -amount, price, 'up') : toUsdt(asset, amount, price, 'down');
}
