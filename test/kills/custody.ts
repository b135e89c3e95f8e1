import type { ServedExchange } from '../support/node/exchange/served-exchange.ts';

export const PARTIES = 4;

export const funds = { USDT: '100000', USDC: '20000', BTC: '1', ETH: '50', LTC: '100', DOGE: '50000' } as const;

/** Compares what custody holds with the ledger. At rest they must be equal; before, custody must cover the ledger. */
export type CompareCustody = (
  isAtRest: boolean,
) => Promise<{ readonly line: string; readonly violations: readonly string[] }>;

/** A custodian of a run. The simulated one holds no coins, so there is nothing to compare. */
export interface KilledCustodian {
  readonly url: string;
  /** The public key with which its signer proves that a payout was refused; absent where it has none. */
  readonly signerKey?: string;
  /** Says which exchange runs now. Returns how its ledger is compared with what custody holds. */
  follow?(exchange: ServedExchange): CompareCustody;
  stop(): Promise<void>;
}
