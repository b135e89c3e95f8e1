import type { ServedNetwork } from '../networks.ts';
import type { SignRequest, SignedTransaction } from '../signer/requests.ts';
import type { Spend, Version } from '../store/spends.ts';

/**
 * How to make a payment. Each family of networks has its own format; the same plan always gives the same transaction.
 */
export interface Plan {
  readonly kind: 'plan';
  readonly fence: string;
  readonly plan: string;
  /** The `clock` of a block after which no transaction can use the fence; absent where fences never die. */
  readonly diesAt?: number;
}

/** The chain shows that the database does not know all that was paid, so nothing may be planned. */
export interface Older {
  readonly kind: 'older';
  readonly reason: string;
}

/** A payment that must wait, and why. */
export interface Hold {
  readonly kind: 'hold';
  readonly reason: string;
}

/** A payment that waits for another of ours, so that there is nothing to tell anybody. */
export interface Wait {
  readonly kind: 'wait';
  readonly reason: string;
}

/** Plans the payments on a network of one family. It neither signs nor sends. */
export interface Payer {
  readonly network: ServedNetwork;
  /**
   * Why the chain shows that this database is older than it, and does not know all that was paid; `undefined` when nothing
   * shows it.
   */
  findOlder(): Promise<string | undefined>;
  /** Plans a first version, with its fence. Changes nothing. */
  plan(spend: Spend): Promise<Plan | Hold | Older | Wait>;
  /** Reserves what the plan needs besides its fence, such as coins. Runs in the transaction that reserves the fence. */
  reserve(spend: Spend, plan: string): void;
  /** Undoes `reserve`, in the transaction that releases the fence. */
  release(spend: Spend): void;
  /** Notes what follows from a stored version, such as its change. Runs in the transaction that stores it. */
  noteStored(spend: Spend, plan: string, signed: SignedTransaction): void;
  /** The most that a transaction of this plan can pay to the network, in atoms of the coin. */
  feeOf(plan: string): bigint;
  request(spend: Spend, plan: string): SignRequest;
  /** The plan of a version with a higher fee and the same fence, or `undefined` when none is due. */
  bump(spend: Spend, versions: readonly Version[], height: number): Promise<string | undefined>;
  /**
   * The plan of a version that pays nobody and only uses up the fence of a cancelled payout; `undefined` where the fence
   * dies by itself. Rejects where neither can be.
   */
  cancel(spend: Spend, versions: readonly Version[]): Promise<string | undefined>;
}
