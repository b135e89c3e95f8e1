import type { Database } from '../db/database.ts';
import { ledgerNumberOf } from '../db/record-id.ts';
import { composeEvents } from './compose-events.ts';
import { composeOperatorEvents } from './compose-operator-events.ts';
import type { Event, EventRow } from './event.ts';
import { OPERATOR, type OperatorEvent } from './operator-event.ts';

/** The events of one listener, and how they are shown. */
export interface Feed<Shown extends Event | OperatorEvent = Event | OperatorEvent> {
  /** An account's id, or `OPERATOR`. */
  readonly listenerId: string;
  /** Shows events in the order of their rows. Throws when D1 fails. */
  readonly compose: (database: Database, rows: readonly EventRow[]) => Promise<Shown[]>;
}

/** What happened to an account. */
export function accountFeed(accountId: string): Feed<Event> {
  return { listenerId: accountId, compose: (database, rows) => composeEvents(database, accountId, rows) };
}

/** What happened in a ledger, for the operator. */
export function operatorFeed(ledger: number): Feed<OperatorEvent> {
  return { listenerId: OPERATOR, compose: (database, rows) => composeOperatorEvents(database, ledger, rows) };
}

/** The feed that an endpoint is sent. The operator's endpoint is told of the ledger that its id names. */
export function feedOf({ accountId, id }: { readonly accountId: string; readonly id: string }): Feed {
  return accountId === OPERATOR ? operatorFeed(ledgerNumberOf(id)) : accountFeed(accountId);
}
