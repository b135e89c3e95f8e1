import type { RecordKind } from '../reconciliation/record-kind.ts';

/** Fundings. Each has one transfer, between two accounts of the house. */
export const fundingRecords: RecordKind = {
  name: 'fundings',
  title: 'funding',
  kind: 'funding',
  type: `'FUNDING'`,
  isSlow: false,
  legs: [{ number: 'r.transfer', debit: 'r.account_id', credit: 'r.source', asset: 'r.asset', amount: 'r.amount' }],
  odd: `r.account_id NOT GLOB 'house:*' OR r.source NOT GLOB 'house:*'`,
  found: 'r.account_id = t.debit AND r.id = t.reference',
  weight: 1,
  shown: ['source'],
};
