import { ask } from '../../ask.ts';
import type { AccountDetail } from '../schema.d.ts';

export interface AccountView {
  readonly account: AccountDetail;
  readonly changed: () => void;
}

/** Reads who signs in for an account; `null` for nobody. */
export async function readHolder(accountId: string): Promise<{ readonly email: string } | null> {
  const path = `/desk/holders/${encodeURIComponent(accountId)}`;
  return (await ask<{ holder: { email: string } | null }>('GET', path)).holder;
}
