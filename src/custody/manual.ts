import type { Custody, CustodyState } from './custody.ts';

const accepted: CustodyState = { kind: 'accepted' };

/**
 * A custodian that is a person: every payout waits until an operator has paid it by hand and settles the withdrawal with
 * the hash. Nobody says what is held.
 */
export const manualCustody: Custody = {
  name: 'manual',
  submit: () => Promise.resolve(accepted),
  lookup: () => Promise.resolve(accepted),
  holdings: () => Promise.resolve([]),
};
