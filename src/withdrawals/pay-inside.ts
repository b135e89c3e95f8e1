import { type Transfer, house } from '../db/transfers.ts';
import type { WithdrawalRow } from './withdrawal.ts';

/** The transfer that pays a withdrawal to another account of this exchange. Throws for one that is paid on a chain. */
export function paysInside({ id, recipient, asset, amount }: WithdrawalRow): Transfer {
  if (recipient === null) throw new Error('a withdrawal on a chain is paid by the custodian');
  return { debit: house.payouts, credit: recipient, asset, amount, kind: 'withdrawal', reference: id };
}
