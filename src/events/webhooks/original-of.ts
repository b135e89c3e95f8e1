import { FIRST_LEDGER, moveToLedger } from '../../db/record-id.ts';
import { OPERATOR } from '../operator-event.ts';

/** The id of the original of an endpoint, which is its own unless it is a copy. */
export function originalOf({ accountId, id }: { readonly accountId: string; readonly id: string }): string {
  return accountId === OPERATOR ? moveToLedger(id, FIRST_LEDGER) : id;
}
