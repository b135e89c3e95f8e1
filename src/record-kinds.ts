import { depositRecords } from './deposits/deposit-records.ts';
import { fundingRecords } from './dealing/funding-records.ts';
import { hedgeRecords } from './dealing/hedge-records.ts';
import { orderRecords } from './orders/order-records.ts';
import type { RecordKind } from './reconciliation/record-kind.ts';
import { settlementRecords } from './settlements/settlement-records.ts';
import { withdrawalRecords } from './withdrawals/withdrawal-records.ts';

/** Every kind of record that moves money. A transfer of any other kind has no record, which breaks an invariant. */
export const recordKinds: readonly RecordKind[] = [
  orderRecords,
  depositRecords,
  withdrawalRecords,
  settlementRecords,
  fundingRecords,
  hedgeRecords,
];
