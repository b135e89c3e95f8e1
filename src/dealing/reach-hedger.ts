import { FIRST_LEDGER } from '../db/record-id.ts';
import type { Bindings } from '../platform/bindings.ts';
import { tryOrLog } from '../platform/log.ts';
import { reach } from '../platform/objects.ts';
import type { VenueReport } from './contract.ts';
import type { VenueDifference } from './judge-venue.ts';

/** What is known of a venue: its last report, and how it differs from the ledgers; `null` where that is not known. */
export interface VenueState {
  readonly venue: string;
  readonly report: VenueReport | null;
  readonly differences: readonly VenueDifference[] | null;
}

/** The methods of a ledger's hedger. Every call may throw: the object can be reset while a call runs. */
export interface HedgerCalls {
  /** Orders have moved a position: it looks soon. */
  tell(): Promise<void>;
  /** Looks now. That of ledger 0 also compares the venues. */
  wake(): Promise<void>;
  /** The venues as of the last minute; only that of ledger 0 knows them. */
  readVenues(): Promise<readonly VenueState[]>;
}

export type HedgerBindings = Pick<Bindings, 'LEDGER_HEDGER' | 'LEDGER_LOCATION'>;

/** The hedger of a ledger, which is made near the database. Another location is another one, and nothing is lost with it. */
export function reachHedger({ LEDGER_HEDGER, LEDGER_LOCATION }: HedgerBindings, ledger: number): HedgerCalls {
  return reach(LEDGER_HEDGER, hedgerName(LEDGER_LOCATION, ledger), LEDGER_LOCATION) as unknown as HedgerCalls;
}

export function hedgerName(location: string, ledger: number): string {
  return `hedger ${ledger} ${location}`;
}

/** The least time between two calls that tell a hedger, and how long after one it looks: so it misses no order. */
export const TELL_PAUSE_MS = 1_000;

/** Tells a ledger's hedger of orders, at most once a second. Nobody waits for it, and it never rejects. */
export function createTeller(bindings: HedgerBindings): (ledger: number) => void {
  let told_ms = -Infinity;
  return (ledger) => {
    const now_ms = Date.now();
    if (now_ms >= told_ms && now_ms - told_ms < TELL_PAUSE_MS) return;
    told_ms = now_ms;
    void tell(bindings, ledger);
  };
}

async function tell(bindings: HedgerBindings, ledger: number): Promise<void> {
  await tryOrLog('hedger_unreachable', { ledger }, undefined, () => reachHedger(bindings, ledger).tell());
}

/** Wakes a ledger's hedger, as the schedule does every minute. Never rejects. */
export async function wakeHedger(bindings: HedgerBindings, ledger: number): Promise<void> {
  await tryOrLog('hedger_unreachable', { ledger }, undefined, () => reachHedger(bindings, ledger).wake());
}

/** The venues as the hedger of ledger 0 saw them within the last minute; `undefined` when it does not answer. */
export async function readVenueStates(bindings: HedgerBindings): Promise<readonly VenueState[] | undefined> {
  return tryOrLog('hedger_unreachable', { ledger: FIRST_LEDGER }, undefined, () =>
    reachHedger(bindings, FIRST_LEDGER).readVenues(),
  );
}
