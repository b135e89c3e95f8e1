import type { Bindings } from '../platform/bindings.ts';
import type { Progress } from './reconciliation/progress.ts';
import type { ChainName, Link } from './reconciliation/history.ts';
import { LEDGER_NUMBER } from './record-id.ts';

/** How far the reconciliation has come, and the newest links of what is kept of the history. */
export interface KeeperStanding {
  readonly progress: Progress;
  readonly links: Readonly<Record<ChainName, Link | null>>;
}

/** What the keeper of a ledger does for whoever reaches it. Every call may throw, as an object does that is reset. */
export interface Keeper {
  /** Has it work soon, in its own time: the sweep of withdrawals, and the reconciliation. */
  wake(): Promise<void>;
  read(): Promise<KeeperStanding>;
  /** Begins a pass now, and takes it as far as some seconds go. */
  run(): Promise<void>;
  /** Has the next pass begin without the pause between two. */
  expectPass(): Promise<void>;
  /** Forgets what is kept of the history, and begins anew. */
  beginAnew(): Promise<void>;
}

/** Where the keeper is found. */
export type KeeperBindings = Pick<Bindings, 'LEDGER_KEEPER' | 'LEDGER_LOCATION'>;

/**
 * The keeper of the one ledger that there is, near its database when it is first made. A stub is broken once its object
 * was reset, so every use takes a new one.
 */
export function reachKeeper({ LEDGER_KEEPER, LEDGER_LOCATION: locationHint }: KeeperBindings): Keeper {
  return LEDGER_KEEPER.getByName(String(LEDGER_NUMBER), { locationHint }) as unknown as Keeper;
}
