import type { AccountDetail } from '../schema.d.ts';

export interface AccountView {
  readonly account: AccountDetail;
  readonly changed: () => void;
}
