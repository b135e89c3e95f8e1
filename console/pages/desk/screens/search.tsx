import { inWords } from '../../format.ts';
import { useLoaded } from '../../load.ts';
import { Shown } from '../../parts/notice.tsx';
import type { Place } from '../place.ts';
import { operate } from '../operate.ts';
import { addAccounts, findAccounts } from '../parts/find-accounts.ts';
import { AccountName } from '../parts/names.tsx';
import { Records } from '../parts/records.tsx';
import type { SearchResult } from '../schema.d.ts';
import { accountColumns } from './accounts.tsx';

/** The page on which a result is shown. */
function pathOf({ kind, id, accountId }: SearchResult): string {
  const account = `/desk/accounts/${accountId}`;
  if (kind === 'withdrawal') return `/desk/withdrawals/${accountId}/${id}`;
  if (kind === 'deposit') return `/desk/deposits/${id}`;
  if (kind === 'api_key') return `${account}/security`;
  if (kind === 'order') return `${account}/orders`;
  if (kind === 'settlement') return `${account}/transactions`;
  return kind === 'violation' ? '/desk' : account;
}

const MOST_ACCOUNTS = 20;

async function read(text: string) {
  const [{ results }, { rows }] = await Promise.all([
    operate('get /search', { query: { q: text } }),
    findAccounts({ query: text }, undefined, MOST_ACCOUNTS),
  ]);
  // An account that is found by its id is listed as one.
  const others = results.filter(({ kind, id }) => kind !== 'account' || !rows.some((row) => row.id === id));
  return { results: await addAccounts(others, ({ accountId }) => accountId ?? undefined), accounts: rows };
}

const count = (found: number) => (found === 1 ? '1 result' : `${found === 0 ? 'No' : found} results`);

/** What a text names: records exactly, and accounts by the beginning of a word of their name or of an e-mail. */
export function Search({ query }: Place) {
  const text = query.get('q') ?? '';
  const { loaded } = useLoaded(() => read(text));
  return (
    <>
      <h1>Search</h1>
      <Shown loaded={loaded}>
        {({ results, accounts }) => (
          <>
            <p role="status" class="breaks">
              {count(new Set([...accounts, ...results].map(({ id }) => id)).size)} for “{text}”.
            </p>
            {accounts.length > 0 && (
              <section class="card">
                <h2>Accounts</h2>
                <Records label="Accounts" rows={accounts} keyOf={({ id }) => id} columns={accountColumns} empty="" />
              </section>
            )}
            {(results.length > 0 || accounts.length === 0) && (
              <section class="card">
                {results.length > 0 && <h2>Records with this id, address or hash</h2>}
                <Records
                  label="Records"
                  rows={results}
                  keyOf={({ kind, id, accountId }) => `${kind} ${id} ${accountId}`}
                  columns={[
                    { name: 'What', show: (row) => <a href={pathOf(row)}>{inWords(row.kind)}</a> },
                    { name: 'Id', show: ({ id }) => <code>{id}</code> },
                    {
                      name: 'Account',
                      show: ({ accountId, account }) =>
                        accountId ? <AccountName id={accountId} account={account} /> : 'none',
                    },
                    { name: 'Network', show: ({ network }) => network ?? '–' },
                  ]}
                  empty="Nothing has this id, address or hash, and no account this name or e-mail. Words of a name and e-mails are found by their beginning; paste everything else whole."
                />
              </section>
            )}
          </>
        )}
      </Shown>
    </>
  );
}
