import { refuse } from '../http/refusal.ts';

/** Refuses a number that is the one of no ledger, in the member or parameter at `pointer`. */
export function refuseLedger(pointer: string) {
  return refuse('invalid_request', 'The request is not valid.', {
    errors: [{ pointer, code: 'unknown_value', detail: 'is the number of no ledger of this exchange' }],
  });
}
