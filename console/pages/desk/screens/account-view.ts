import type { AccountDetail } from '../schema.d.ts';

/** What a view of an account is given. */
export interface AccountView {
  readonly account: AccountDetail;
  readonly changed: () => void;
}
