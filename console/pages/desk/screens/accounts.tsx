import { useState } from 'preact/hooks';
import { add } from '../../exact.ts';
import { showCents } from '../../format.ts';
import { Choice, TextField } from '../../parts/form.tsx';
import { Folded } from '../../parts/folded.tsx';
import { useHasRoom } from '../../parts/has-room.ts';
import { go } from '../../route.ts';
import type { Place } from '../place.ts';
import { operate } from '../operate.ts';
import { type AccountOfHolder, listAccounts } from '../parts/find-accounts.ts';
import { AccountName, Day, State, Time } from '../parts/names.tsx';
import { Pages } from '../parts/pages.tsx';
import { type Column, Records } from '../parts/records.tsx';
import { Step } from '../parts/step.tsx';
import { useMay } from '../staff.ts';
import { valueColumn } from './account-records.tsx';

const statuses = [
  ['', 'All'],
  ['active', 'Active'],
  ['frozen', 'Frozen'],
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
  { name: 'State', narrow: 'bare first', show: ({ status }) => <State of={status} /> },
  valueColumn,
  {
    name: 'Traded in 30 days, USDT',
    isNumber: true,
    narrow: 'nowhere',
    show: ({ volume, isVolumeWhole }) => `${isVolumeWhole ? '' : 'over '}${showCents(volume)}`,
  },
  {
    name: 'Last sign-in',
    narrow: 'bare end',
    show: ({ lastSignInAt }) =>
      lastSignInAt === null ? (
        <span class="quiet">
          never<span class="narrow"> signed in</span>
        </span>
      ) : (
        <>
          <span class="narrow">signed in </span>
          <Time iso={lastSignInAt} />
        </>
      ),
  },
  { name: 'Opened', narrow: 'nowhere', show: ({ createdAt }) => <Day iso={createdAt} /> },
];

/** What is looked for, by its name in the address of the page. */
const filters = ['query', 'status', 'openedFrom', 'openedTo'] as const;

/** Shows the accounts that fit. */
function find(wanted: Readonly<Record<string, string>>): void {
  const given = Object.entries(wanted).filter(([, value]) => value !== '');
  go(`/desk/accounts?${new URLSearchParams(given).toString()}`);
}

const midnightOf = (day: string | undefined) => (/^\d{4}-\d\d-\d\d$/.test(day ?? '') ? `${day}T00:00:00Z` : '');

/** Finding an account and opening one. What is looked for is in the address of the page. */
export function Accounts({ query }: Place) {
  const asked = Object.fromEntries(filters.map((name) => [name, query.get(name) ?? '']));
  const status = statuses.find(([known]) => known === asked['status'])?.[0] ?? '';
  const [wanted, setWanted] = useState(asked);
  const set = (name: string) => (value: string) => setWanted((known) => ({ ...known, [name]: value }));
  const may = useMay();
  const [openedFrom, openedTo] = [midnightOf(asked['openedFrom']), midnightOf(asked['openedTo'])];
  const filter = {
    ...(asked['query'] && { query: asked['query'] }),
    ...(status && { status }),
    ...(openedFrom && { openedFrom }),
    ...(openedTo && { openedTo }),
  };
  // On a narrow screen the search of all pages stands just above.
  const isWide = useHasRoom(760);
  const text = (
    <div class="filters">
      <TextField label="Filter by name, e-mail, id or address" value={wanted['query'] ?? ''} set={set('query')} />
      <button type="submit">Filter</button>
    </div>
  );
  const others = (
    <div class="filters">
      <Choice label="State" value={status} set={(next) => find({ ...wanted, status: next })} options={statuses} />
      <TextField label="Opened from, UTC" type="date" value={wanted['openedFrom'] ?? ''} set={set('openedFrom')} />
      <TextField label="Opened before, UTC" type="date" value={wanted['openedTo'] ?? ''} set={set('openedTo')} />
    </div>
  );
  const isNarrowed = Boolean(status || openedFrom || openedTo);
  return (
    <>
      <div class="top">
        <h1>Accounts</h1>
        {may('open_accounts') && <OpenAccount />}
      </div>
      <section class="card">
        <form
          onSubmit={(event) => {
            event.preventDefault();
            find({ ...wanted, query: (wanted['query'] ?? '').trim() });
          }}
        >
          {isWide ? (
            <>
              {text}
              <details class="plain-details" open={isNarrowed}>
                <summary>More filters</summary>
                {others}
              </details>
            </>
          ) : (
            <Folded label="Filter" isOpen={isNarrowed || asked['query'] !== ''}>
              {text}
              {others}
            </Folded>
          )}
        </form>
        <Pages list={listAccounts(filter)}>
          {(rows) => (
            <>
              <Records
                label="Accounts"
                rows={rows}
                keyOf={({ id }) => id}
                columns={accountColumns}
                empty={
                  Object.keys(filter).length > 0 ? (
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
                  The {rows.length} accounts shown are worth {showCents(add(rows.map(({ usdValue }) => usdValue)))}{' '}
                  USDT.
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
