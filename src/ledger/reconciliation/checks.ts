import type { Check } from './check.ts';
import { checkAddresses } from './check-addresses.ts';
import { checkBalances } from './check-balances.ts';
import { checkLimits } from './check-limits.ts';
import { recordKinds } from './record-kinds.ts';

/** Every walk of a pass over a table. The journal is walked by the tail, before all of them. */
export const checks: readonly Check[] = [checkBalances, ...recordKinds, checkLimits, checkAddresses];
