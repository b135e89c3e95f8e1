import { type Settings, minimumInForce } from '../db/settings.ts';
import { bucketNames, defaultLimits } from '../keys/rights.ts';
import { intervals } from '../markets/candles/interval.ts';
import { formatAmount } from '../money/amounts.ts';
import {
  type Asset,
  type AssetNetwork,
  QUOTE_ASSET,
  assetSymbols,
  assets,
  coinSymbols,
  pairOf,
  scaleOf,
} from '../money/assets.ts';
import { type Network, networkRecords } from '../money/networks.ts';
import { type TradingContext, boundsInForce, spreadInForce } from '../orders/in-force.ts';
import { termsOf } from '../withdrawals/terms.ts';
import type { AssetList, Deposits, ExchangeInfo } from './schemas.ts';

/**
 * Every asset on each of its networks, with the fees and minimums in force. Nobody watches the `unserved` networks, so
 * they take no deposits.
 */
export function describeAssets(settings: Settings, unserved: readonly Network[]): AssetList {
  return {
    assets: assetSymbols.map((asset) => ({
      asset,
      name: assets[asset].name,
      scale: scaleOf(asset),
      networks: assets[asset].networks.map((listed) => describeNetwork(asset, listed, settings, unserved)),
    })),
  };
}

function describeNetwork(asset: Asset, listed: AssetNetwork, settings: Settings, unserved: readonly Network[]) {
  const { fee, minimum, isSuspended } = termsOf(asset, listed, settings);
  const deposits = judgeDeposits(asset, listed.network, settings, unserved);
  const minDeposit = minimumInForce(settings.depositMinimums, asset, listed.network, listed.minDeposit);
  return {
    network: listed.network,
    contractAddress: listed.contractAddress,
    decimals: listed.decimals,
    depositEnabled: deposits === 'OPEN',
    deposits,
    minDeposit: formatAmount(minDeposit, scaleOf(asset)),
    withdrawEnabled: !isSuspended,
    withdrawFee: formatAmount(fee, scaleOf(asset)),
    minWithdrawal: formatAmount(minimum, scaleOf(asset)),
    confirmations: listed.confirmations,
    addressPattern: networkRecords[listed.network].addressPattern,
  };
}

function judgeDeposits(
  asset: Asset,
  network: Network,
  { pausedDeposits }: Settings,
  unserved: readonly Network[],
): Deposits {
  if (unserved.includes(network)) return 'UNSERVED';
  const isPaused = pausedDeposits.networks.includes(network) || pausedDeposits.assets.includes(asset);
  return isPaused ? 'PAUSED' : 'OPEN';
}

/** Every market with its steps, bounds and spread, the intervals of candles, and the default rate limits. */
export function describeExchange(settings: Settings, trading: TradingContext, now_ms: number): ExchangeInfo {
  return {
    symbols: coinSymbols.map((coin) => {
      const { min, max } = boundsInForce(coin, settings, trading.boundsOf);
      const isHalted = settings.tradingHalted || settings.haltedCoins.includes(coin);
      return {
        symbol: coin,
        pair: pairOf(coin),
        base: coin,
        quote: QUOTE_ASSET,
        status: isHalted ? 'HALTED' : 'TRADING',
        baseStep: formatAmount(1n, scaleOf(coin)),
        quoteStep: formatAmount(1n, scaleOf(QUOTE_ASSET)),
        minNotional: formatAmount(min, scaleOf(QUOTE_ASSET)),
        maxNotional: formatAmount(max, scaleOf(QUOTE_ASSET)),
        spreadBps: spreadInForce(coin, settings, trading),
      };
    }),
    intervals: [...intervals],
    rateLimits: bucketNames.map((bucket) => ({ bucket, ...defaultLimits[bucket] })),
    serverTime: new Date(now_ms).toISOString(),
  };
}
