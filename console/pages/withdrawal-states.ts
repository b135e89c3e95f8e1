import type { Withdrawal } from '../../clients/bureau-client/src/operations.ts';

/** A state of a withdrawal in a word or two, and what it means where that is more. */
export const statesOf: Readonly<Record<Withdrawal['status'], readonly [name: string, meaning: string]>> = {
  PENDING: [
    'In review',
    'The exchange reviews it; your coins are set aside. If it is rejected, they are back at once, and we mail you.',
  ],
  PROCESSING: ['Being sent', ''],
  COMPLETED: ['Completed', ''],
  FAILED: ['Not sent', 'Amount and fee are back in your balance.'],
};

/** Why a withdrawal was not sent. */
export const reasonsOf: Readonly<Record<NonNullable<Withdrawal['reason']>, string>> = {
  rejected: 'The exchange’s review rejected it.',
  refused: 'The network’s custodian refused it.',
  settled: 'The exchange ended it by hand.',
};
