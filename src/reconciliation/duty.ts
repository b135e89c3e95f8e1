import type { Database } from '../db/database.ts';
import type { Bindings } from '../platform/bindings.ts';
import type { ObjectState } from '../platform/objects.ts';
import type { Counts, Finding } from './invariants.ts';
import type { DaySums } from './day-sums.ts';

/** A ledger, and what its keeper has for a duty. */
export interface DutyContext {
  readonly bindings: Bindings;
  readonly ledger: number;
  readonly database: Database;
  /** What a duty remembers, under a name of its own. */
  readonly state: ObjectState;
  /** What the house gained in this ledger, by day. */
  readonly sums: DaySums;
  /** Adds to the reconciliation's report what was checked, and halts the exchange for a finding. Throws when D1 fails. */
  readonly note: (checked: Counts, findings: readonly Finding[], now_ms: number) => Promise<void>;
}

/** What a keeper does about its ledger every minute, after it has reconciled. */
export interface Duty {
  /** What the log calls its failure. The other duties are done all the same. */
  readonly fault: string;
  run(context: DutyContext): Promise<unknown>;
  /**
   * For a duty that is part of the reconciliation, and waits for its turn: forgets what it has checked, after an operator
   * restored the ledger to an earlier time.
   */
  beginAnew?(context: DutyContext): void;
}
