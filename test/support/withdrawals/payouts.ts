import { v7 } from 'uuid';
import { assets, assetSymbols } from '../../../src/money/assets.ts';
import type { Network } from '../../../src/money/networks.ts';
import type { Payout } from '../../../src/custody/custody.ts';

export function drawPayout(network: Network = 'TRC20', change: Partial<Payout> = {}): Payout {
  const asset = assetSymbols.find((symbol) => assets[symbol].networks.some((one) => one.network === network)) ?? 'USDT';
  const carried = assets[asset].networks.find((one) => one.network === network);
  return {
    withdrawalId: v7(),
    asset,
    network,
    contractAddress: carried?.contractAddress ?? null,
    address: `an address on ${network}`,
    amount: '250.5',
    ...change,
  };
}
