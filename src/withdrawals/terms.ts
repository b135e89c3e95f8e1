import { type Settings, amountInForce, minimumInForce } from '../db/settings.ts';
import type { Asset, AssetNetwork } from '../money/assets.ts';
import type { Atoms } from '../money/amounts.ts';

/** The terms in force for withdrawals of an asset on a network; amounts in atoms of the asset. */
export interface WithdrawalTerms {
  readonly fee: Atoms;
  /** At least one atom. */
  readonly minimum: Atoms;
  /** Halted for all networks, or paused for this one. */
  readonly isSuspended: boolean;
}

/** The terms of an asset on one of its networks: the operator's settings if there are any, else the asset's record. */
export function termsOf(asset: Asset, listed: AssetNetwork, settings: Settings): WithdrawalTerms {
  const { network } = listed;
  return {
    fee: amountInForce(settings.fees, asset, network, listed.withdrawFee),
    minimum: minimumInForce(settings.minimums, asset, network, listed.minWithdrawal),
    isSuspended: settings.withdrawalsHalted || settings.pausedNetworks.includes(network),
  };
}
