import { type Settings, amountInForce, minimumInForce } from '../db/settings.ts';
import type { Asset, AssetNetwork } from '../money/assets.ts';

/**
 * The terms of an asset on one of its networks: the operator's settings if there are any, else the asset's record. Amounts
 * are atoms of the asset, the minimum at least one. Suspended is what is halted for all networks, or paused for this one.
 */
export function termsOf(asset: Asset, listed: AssetNetwork, settings: Settings) {
  const { network } = listed;
  return {
    fee: amountInForce(settings.fees, asset, network, listed.withdrawFee),
    minimum: minimumInForce(settings.minimums, asset, network, listed.minWithdrawal),
    isSuspended: settings.withdrawalsHalted || settings.pausedNetworks.includes(network),
  };
}
