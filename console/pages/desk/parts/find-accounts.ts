import { ask } from '../../ask.ts';
import { operate } from '../operate.ts';
import type { ListedAccount } from '../schema.d.ts';
import type { Page } from './list.ts';

/** An account with the e-mail of its holder, which the console knows and the exchange does not. */
export interface AccountOfHolder extends ListedAccount {
  readonly email: string | undefined;
}

/** What accounts are looked for by. */
export interface AccountFilter {
  readonly query?: string;
  readonly status?: ListedAccount['status'];
}

interface Holder {
  readonly accountId: string;
  readonly email: string;
}

const askHolders = async (query: Record<string, string>) =>
  (await ask<{ holders: readonly Holder[] }>('GET', `/desk/holders?${new URLSearchParams(query).toString()}`)).holders;

/**
 * Reads a page of accounts: on the first those of whose holder the e-mail begins with the query, and then those that the
 * exchange finds.
 */
export async function findAccounts(
  filter: AccountFilter,
  cursor: string | undefined,
  limit?: number,
): Promise<Page<AccountOfHolder>> {
  const [{ accounts, nextCursor }, byEmail] = await Promise.all([
    operate('get /accounts', { query: { ...filter, ...(cursor && { cursor }), ...(limit && { limit }) } }),
    cursor === undefined && filter.query ? askHolders({ email: filter.query }) : [],
  ]);
  const ids = byEmail.map(({ accountId }) => accountId).join(',');
  const ofHolders = ids === '' ? [] : (await operate('get /accounts', { query: { ...filter, ids } })).accounts;
  const rows = [...new Map([...ofHolders, ...accounts].map((account) => [account.id, account])).values()];
  const holders = rows.length === 0 ? [] : await askHolders({ accounts: rows.map(({ id }) => id).join(',') });
  const emails = new Map(holders.map(({ accountId, email }) => [accountId, email]));
  return { rows: rows.map((account) => ({ ...account, email: emails.get(account.id) })), nextCursor };
}
