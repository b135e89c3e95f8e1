import { depositRecords } from './deposit-records.ts';
import { orderRecords } from './order-records.ts';
import type { RecordKind } from './record-kind.ts';
import { settlementRecords } from './settlement-records.ts';
import { withdrawalRecords } from './withdrawal-records.ts';

/** Every kind of record that moves money. A transfer of any other kind has no record, which breaks an invariant. */
export const recordKinds: readonly RecordKind[] = [orderRecords, depositRecords, withdrawalRecords, settlementRecords];
