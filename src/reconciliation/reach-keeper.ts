import type { Bindings, LedgerBindings } from '../platform/bindings.ts';
import { reach } from '../platform/objects.ts';
import type { CustodyStanding } from '../db/custody-standing.ts';
import type { Progress } from './progress.ts';
import type { ChainName, Link } from './history.ts';
import { listLedgers } from '../db/database.ts';
import type { FlowsOfDay } from './flows.ts';
import type { ProfitOfDay } from './profit-of-day.ts';
import type { PositionOfDay } from './position-of-day.ts';

/** The progress of the reconciliation, and the newest stored link of each chain (see docs/design/reconciliation.md). */
export interface KeeperStanding {
  readonly progress: Progress;
  readonly links: Readonly<Record<ChainName, Link | null>>;
}

/** The methods of a ledger's keeper. Every call may throw: the object can be reset while a call runs. */
export interface Keeper {
  /** Schedules a sweep of withdrawals and the next work on the reconciliation, and returns without waiting for them. */
  wake(): Promise<void>;
  /** Wakes the webhook endpoints that are behind. Calls that come while this is done share the next time. */
  wakeSenders(): Promise<void>;
  read(): Promise<KeeperStanding>;
  /** What is known about the custodian, which the keeper of ledger 0 asks every minute. */
  readCustody(): Promise<CustodyStanding>;
  /** What the house gained, by day and coin, from a day such as `2026-11-21` on; newest day first. */
  readProfit(from: string): Promise<readonly ProfitOfDay[]>;
  /** What the house had of each coin at the end of each of these days, of which the last is as of now; newest first. */
  readPositions(from: string, to: string): Promise<readonly PositionOfDay[]>;
  /** What came in, left and was traded, by day, from a day such as `2026-11-21` on; newest day first. */
  readFlows(from: string): Promise<readonly FlowsOfDay[]>;
  /** Begins a pass now and works on it for some seconds. */
  run(): Promise<void>;
  /** Lets the next pass begin at once, without the hour between two passes. */
  expectPass(): Promise<void>;
  /** Deletes the stored links of the history and all progress, and begins again. */
  beginAnew(): Promise<void>;
}

export type KeeperBindings = Pick<Bindings, 'LEDGER_KEEPER' | 'LEDGER_LOCATION'>;

/** The keeper of a ledger, which is made near the database. */
export function reachKeeper({ LEDGER_KEEPER, LEDGER_LOCATION }: KeeperBindings, ledger: number): Keeper {
  return reach(LEDGER_KEEPER, String(ledger), LEDGER_LOCATION) as unknown as Keeper;
}

/**
 * The ledger whose keeper is the object of this id. An object that is woken by its alarm is told nothing else. Throws
 * when it keeps no ledger that is bound.
 */
export function ledgerOfKeeper(
  bindings: LedgerBindings & Pick<Bindings, 'LEDGER_KEEPER'>,
  id: DurableObjectId,
): number {
  const { LEDGER_KEEPER } = bindings;
  const ledger = listLedgers(bindings).find((one) => LEDGER_KEEPER.idFromName(String(one)).equals(id));
  if (ledger === undefined) throw new Error(`the object ${id.toString()} keeps no ledger`);
  return ledger;
}
