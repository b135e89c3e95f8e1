import { useState } from 'preact/hooks';
import { add } from '../../exact.ts';
import { showCents } from '../../format.ts';
import { Choice, TextField } from '../../parts/form.tsx';
import { go } from '../../route.ts';
import type { Place } from '../place.ts';
import { operate } from '../operate.ts';
import { type AccountOfHolder, findAccounts } from '../parts/find-accounts.ts';
import { AccountName, State, Time } from '../parts/names.tsx';
import { listOf } from '../parts/list.ts';
import { Pages } from '../parts/pages.tsx';
import { type Column, Records } from '../parts/records.tsx';
import { Step } from '../parts/step.tsx';
import { useMay } from '../staff.ts';

const USDT_DECIMALS = 6;

const statuses = [
  ['', 'all'],
  ['active', 'active'],
  ['frozen', 'frozen'],
] as const;

/** The columns of a list of accounts. */
export const accountColumns: readonly Column<AccountOfHolder>[] = [
  {
    name: 'Account',
    show: (account) => (
      <>
        <AccountName id={account.id} account={account} />
        {account.externalId !== null && <small class="below">{account.externalId}</small>}
      </>
    ),
  },
  { name: 'State', show: ({ status }) => <State of={status} /> },
  { name: 'Worth, USDT', isNumber: true, show: ({ usdValue }) => showCents(usdValue) },
  {
    name: 'Traded in 30 days',
    isNumber: true,
    show: ({ volume, isVolumeWhole }) => `${isVolumeWhole ? '' : 'over '}${showCents(volume)}`,
  },
  {
    name: 'Last sign-in',
    show: ({ lastSignInAt }) =>
      lastSignInAt === null ? <span class="quiet">never</span> : <Time iso={lastSignInAt} />,
  },
  { name: 'Opened', show: ({ createdAt }) => <Time iso={createdAt} /> },
];

/** Shows the accounts that fit. */
function find(text: string, status: string): void {
  const next = new URLSearchParams({ ...(text && { query: text }), ...(status && { status }) });
  go(`/desk/accounts?${next.toString()}`);
}

/** Finding an account and opening one. What is looked for is in the address of the page. */
export function Accounts({ query }: Place) {
  const wanted = query.get('query') ?? '';
  const status = statuses.find(([known]) => known === query.get('status'))?.[0] ?? '';
  const [text, setText] = useState(wanted);
  const may = useMay();
  const filter = { ...(wanted && { query: wanted }), ...(status && { status }) };
  return (
    <>
      <div class="top">
        <h1>Accounts</h1>
        {may('open_accounts') && <OpenAccount />}
      </div>
      <section class="card">
        <form
          class="filters"
          onSubmit={(event) => {
            event.preventDefault();
            find(text.trim(), status);
          }}
        >
          <TextField label="Name, e-mail, id, key’s id or address" value={text} set={setText} />
          <Choice label="State" value={status} set={(next) => find(text.trim(), next)} options={statuses} />
          <button type="submit">Find</button>
        </form>
        <Pages
          list={{
            ...listOf('get /accounts', { query: filter }),
            read: (cursor) => findAccounts(filter, cursor),
          }}
        >
          {(rows) => (
            <>
              <Records
                label="Accounts"
                rows={rows}
                keyOf={({ id }) => id}
                columns={accountColumns}
                empty={
                  wanted || status ? (
                    <>
                      No account is found. <a href="/desk/accounts">Show all</a>.
                    </>
                  ) : (
                    'There is no account yet. Open the first one.'
                  )
                }
              />
              {rows.length > 1 && (
                <p class="quiet">
                  {rows.length} shown, worth{' '}
                  {showCents(
                    add(
                      rows.map(({ usdValue }) => usdValue),
                      USDT_DECIMALS,
                    ),
                  )}{' '}
                  USDT together.
                </p>
              )}
            </>
          )}
        </Pages>
      </section>
    </>
  );
}

function OpenAccount() {
  const [label, setLabel] = useState('');
  const [externalId, setExternalId] = useState('');
  return (
    <Step
      label="Open an account"
      title="Open an account"
      act={async () => {
        const answer = await operate('post /accounts', { body: { label, ...(externalId && { externalId }) } });
        go(`/desk/accounts/${answer.account.id}`);
        return answer;
      }}
      done={() => undefined}
    >
      <TextField
        label="Name"
        help="Who it belongs to, as you call them"
        required
        maxLength={100}
        value={label}
        set={setLabel}
      />
      <TextField label="Your own id of it (may be empty)" maxLength={100} value={externalId} set={setExternalId} />
    </Step>
  );
}
