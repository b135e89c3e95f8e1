import type { RecordKind } from './record-kind.ts';

const isOut = `r.half = 'OUT'`;
/** A half of the move of an account is the only record of it; those of other purposes belong to another record. */
const isOfMove = `r.purpose = 'ACCOUNT'`;

const leg = {
  debit: `iif(${isOut}, r.account_id, 'house:transit')`,
  credit: `iif(${isOut}, 'house:transit', r.account_id)`,
  asset: 'r.asset',
  amount: 'r.amount',
};

/**
 * The halves of movements between ledgers. Each has one transfer, to or from `house:transit`. Whether the other ledger
 * has the other half is checked by `check-movements.ts`.
 */
export const movementRecords: RecordKind = {
  name: 'movements',
  title: 'movement',
  kind: 'movement',
  legs: [
    { ...leg, number: `iif(${isOfMove}, NULL, r.transfer)` },
    { ...leg, number: `iif(${isOfMove}, r.transfer, NULL)`, sign: `iif(${isOut}, -1, 1)` },
  ],
  odd: 'r.ledger = r.peer',
  found: 'r.id = t.reference',
  weight: 2,
  shown: ['half'],
};
