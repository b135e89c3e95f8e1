import { type Settings, minimumInForce } from '../ledger/settings.ts';
import { bucketNames, defaultLimits } from '../keys/bucket-limits.ts';
import { intervals } from '../markets/candles/interval.ts';
import { formatAmount } from '../money/amounts.ts';
import {
  type Asset,
  type AssetNetwork,
  type Coin,
  QUOTE_ASSET,
  assetSymbols,
  assets,
  coinSymbols,
  pairOf,
  scaleOf,
} from '../money/assets.ts';
import { networkRecords } from '../money/networks.ts';
import type { OrderBounds } from '../trade/order-bounds.ts';
import { termsOf } from '../wallet/withdrawals/terms.ts';
import type { AssetList, ExchangeInfo } from './schemas.ts';

/** Every asset on each of its networks, with the fees and minimums in force. */
export function describeAssets(settings: Settings): AssetList {
  return {
    assets: assetSymbols.map((asset) => ({
      asset,
      name: assets[asset].name,
      scale: scaleOf(asset),
      networks: assets[asset].networks.map((listed) => describeNetwork(asset, listed, settings)),
    })),
  };
}

function describeNetwork(asset: Asset, listed: AssetNetwork, settings: Settings) {
  const { fee, minimum, isSuspended } = termsOf(asset, listed, settings);
  const minDeposit = minimumInForce(settings.depositMinimums, asset, listed.network, listed.minDeposit);
  return {
    network: listed.network,
    contractAddress: listed.contractAddress,
    decimals: listed.decimals,
    // Deposits are credited also while something is halted or paused, since a chain cannot be stopped.
    depositEnabled: true,
    minDeposit: formatAmount(minDeposit, scaleOf(asset)),
    withdrawEnabled: !isSuspended,
    withdrawFee: formatAmount(fee, scaleOf(asset)),
    minWithdrawal: formatAmount(minimum, scaleOf(asset)),
    confirmations: listed.confirmations,
    addressPattern: networkRecords[listed.network].addressPattern,
  };
}

/** Every market with its steps and bounds, the intervals of candles, and the default rate limits. */
export function describeExchange(
  settings: Settings,
  readBounds: (coin: Coin) => OrderBounds,
  now_ms: number,
): ExchangeInfo {
  const status = settings.tradingHalted ? 'HALTED' : 'TRADING';
  return {
    symbols: coinSymbols.map((coin) => {
      const { min, max } = readBounds(coin);
      return {
        symbol: coin,
        pair: pairOf(coin),
        base: coin,
        quote: QUOTE_ASSET,
        status,
        baseStep: formatAmount(1n, scaleOf(coin)),
        quoteStep: formatAmount(1n, scaleOf(QUOTE_ASSET)),
        minNotional: formatAmount(min, scaleOf(QUOTE_ASSET)),
        maxNotional: formatAmount(max, scaleOf(QUOTE_ASSET)),
      };
    }),
    intervals: [...intervals],
    rateLimits: bucketNames.map((bucket) => ({ bucket, ...defaultLimits[bucket] })),
    serverTime: new Date(now_ms).toISOString(),
  };
}
