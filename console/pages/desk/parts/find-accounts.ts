import { ask } from '../../ask.ts';
import { exportCsv, operate, saveCsv } from '../operate.ts';
import type { ListedAccount } from '../schema.d.ts';
import { addEmailColumn } from './email-column.ts';
import type { List, Page } from './list.ts';

/** An account with the e-mail of its holder, which the console knows and the exchange does not. */
export interface AccountOfHolder extends ListedAccount {
  readonly email: string | undefined;
}

/** What accounts are looked for by. */
export interface AccountFilter {
  readonly query?: string;
  readonly status?: ListedAccount['status'];
  /** Between these times they were opened. */
  readonly openedFrom?: string;
  readonly openedTo?: string;
}

interface Holder {
  readonly accountId: string;
  readonly email: string;
}

const askHolders = async (query: Record<string, string>) =>
  (await ask<{ holders: readonly Holder[] }>('GET', `/desk/holders?${new URLSearchParams(query).toString()}`)).holders;

/** The ids of the accounts of whose holder the e-mail begins with the query, with commas between them. */
const findIdsByEmail = async ({ query }: AccountFilter) =>
  query ? (await askHolders({ email: query })).map(({ accountId }) => accountId).join(',') : '';

/**
 * Reads a page of accounts: on the first those of whose holder the e-mail begins with the query, and then those that the
 * exchange finds.
 */
export async function findAccounts(
  filter: AccountFilter,
  cursor: string | undefined,
  limit?: number,
): Promise<Page<AccountOfHolder>> {
  const [{ accounts, nextCursor }, ids] = await Promise.all([
    operate('get /accounts', { query: { ...filter, ...(cursor && { cursor }), ...(limit && { limit }) } }),
    cursor === undefined ? findIdsByEmail(filter) : '',
  ]);
  const ofHolders = ids === '' ? [] : (await operate('get /accounts', { query: { ...filter, ids } })).accounts;
  const rows = [...new Map([...ofHolders, ...accounts].map((account) => [account.id, account])).values()];
  return { rows: await addEmails(rows), nextCursor };
}

/** So many accounts are named at once. */
const MOST_NAMED = 100;

/** The e-mails of the holders of accounts, by the accounts' ids. */
async function readEmails(ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const emails = new Map<string, string>();
  for (let at = 0; at < ids.length; at += MOST_NAMED) {
    const holders = await askHolders({ accounts: ids.slice(at, at + MOST_NAMED).join(',') });
    for (const { accountId, email } of holders) emails.set(accountId, email);
  }
  return emails;
}

/** The accounts that fit, to be read a page at a time or exported, with the e-mails of their holders. */
export function listAccounts(query: AccountFilter): List<AccountOfHolder> {
  return {
    read: (cursor) => findAccounts(query, cursor),
    exportAll: async () => {
      const list = '/operator/v1/accounts';
      const ids = await findIdsByEmail(query);
      const ofHolders = ids === '' ? [] : [await exportCsv({ list, query: { ...query, ids } })];
      const found = await exportCsv({ list, query: { ...query } });
      saveCsv(list, await addEmailColumn([...ofHolders, found], readEmails));
    },
  };
}

async function addEmails(accounts: readonly ListedAccount[]): Promise<readonly AccountOfHolder[]> {
  const emails = await readEmails(accounts.map(({ id }) => id));
  return accounts.map((account) => ({ ...account, email: emails.get(account.id) }));
}

/** Something with the account that it is about; `undefined` when it is about none. */
export type WithAccount<Row> = Row & { readonly account: AccountOfHolder | undefined };

/** Adds to each row the account that `idOf` finds in it. No more than a hundred accounts are named. */
export async function addAccounts<Row>(
  rows: readonly Row[],
  idOf: (row: Row) => string | undefined,
): Promise<readonly WithAccount<Row>[]> {
  const known = [...new Set(rows.map(idOf))].filter((id) => id !== undefined);
  const ids = known.slice(0, MOST_NAMED).join(',');
  const accounts = ids === '' ? [] : await addEmails((await operate('get /accounts', { query: { ids } })).accounts);
  return rows.map((row) => ({ ...row, account: accounts.find(({ id }) => id === idOf(row)) }));
}

/** The same list, with the account of each row. */
export function withAccounts<Row>(list: List<Row>, idOf: (row: Row) => string | undefined): List<WithAccount<Row>> {
  const read = async (cursor: string | undefined) => {
    const { rows, nextCursor } = await list.read(cursor);
    return { rows: await addAccounts(rows, idOf), nextCursor };
  };
  return { ...list, read };
}
