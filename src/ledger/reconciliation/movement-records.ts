import type { RecordKind } from './record-kind.ts';

const isOut = `r.half = 'OUT'`;

/**
 * The halves of movements between ledgers. Each has one transfer, to or from `house:transit`. Whether the other ledger
 * has the other half is checked by `check-movements.ts`.
 */
export const movementRecords: RecordKind = {
  name: 'movements',
  title: 'movement',
  kind: 'movement',
  legs: [
    {
      number: 'r.transfer',
      debit: `iif(${isOut}, r.account_id, 'house:transit')`,
      credit: `iif(${isOut}, 'house:transit', r.account_id)`,
      asset: 'r.asset',
      amount: 'r.amount',
    },
  ],
  odd: 'r.ledger = r.peer',
  found: 'r.id = t.reference',
  weight: 1,
  shown: ['half'],
};
