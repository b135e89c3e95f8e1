import type { TronTransaction } from '../signer/requests.ts';

/** The bandwidth of one of our transactions: at most 400 bytes, at 1,000 sun a byte, which the network has asked since 2021. */
const BANDWIDTH_FEE = 400_000n;

/** What a payment of TRX to an address that does not exist yet costs beside: 1 TRX, and 0.1 TRX in place of bandwidth. */
const ACTIVATION_FEE = 1_100_000n;

/** The most that a transaction can pay to the network, in sun, when none of our energy and bandwidth is staked. */
export function maxFeeOf({ data, feeLimit }: Pick<TronTransaction, 'data' | 'feeLimit'>): bigint {
  return BANDWIDTH_FEE + (data === '0x' ? ACTIVATION_FEE : BigInt(feeLimit));
}
