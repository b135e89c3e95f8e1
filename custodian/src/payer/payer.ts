import type { ServedNetwork } from '../networks.ts';
import type { SignRequest, Signed } from '../signer/requests.ts';
import type { Spend, Version } from '../store/spends.ts';

/** How a spend would be made. The text of the plan is the family's own; the same plan gives the same transaction. */
export interface Plan {
  readonly kind: 'plan';
  readonly fence: string;
  readonly plan: string;
}

/** Why a spend has to wait. */
export interface Hold {
  readonly kind: 'hold';
  readonly reason: string;
}

/** How spends are made on the networks of one family. Nothing here signs or sends. */
export interface Payer {
  readonly network: ServedNetwork;
  /** Chooses a fence and everything else of a first version. Reads, and changes nothing. */
  plan(spend: Spend): Promise<Plan | Hold>;
  /** What goes with the reservation of a fence, in its transaction: coins, where there are any. */
  reserve(spend: Spend, plan: string): void;
  /** What goes with its release. */
  release(spend: Spend): void;
  /** What goes with a stored version, in its transaction. */
  noteStored(spend: Spend, plan: string, signed: Signed): void;
  /** What the signer is asked for a plan. */
  request(spend: Spend, plan: string): SignRequest;
  /** The plan of a version that pays more, when one is due; it has the same fence. */
  bump(spend: Spend, versions: readonly Version[], height: number): Promise<string | undefined>;
}
