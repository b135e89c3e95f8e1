import { depositRecords } from './deposit-records.ts';
import { orderRecords } from './order-records.ts';
import { settlementRecords } from './settlement-records.ts';
import { withdrawalRecords } from './withdrawal-records.ts';

/**
 * Every kind of record that moves money. A transfer of a kind that is not listed still counts for every sum, but
 * nothing asks for its record: add the kind here.
 */
export const recordKinds = [orderRecords, depositRecords, withdrawalRecords, settlementRecords] as const;
