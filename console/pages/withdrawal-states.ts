import type { Withdrawal } from '../../clients/bureau-client/src/operations.ts';

/** A state of a withdrawal in words, with what comes next. */
export const statesOf: Readonly<Record<Withdrawal['status'], string>> = {
  PENDING: 'Waits for a review by the exchange; your coins are set aside',
  PROCESSING: 'Is being sent; this can take some minutes',
  COMPLETED: 'Sent',
  FAILED: 'Not sent; amount and fee are back in your balance',
};

/** Why a withdrawal was not sent. */
export const reasonsOf: Readonly<Record<NonNullable<Withdrawal['reason']>, string>> = {
  rejected: 'The exchange’s review rejected it.',
  refused: 'The network’s custodian refused it.',
  settled: 'The exchange ended it by hand.',
};
