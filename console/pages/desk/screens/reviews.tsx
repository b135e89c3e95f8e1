import { inWords, showSum } from '../../format.ts';
import { useLoaded } from '../../load.ts';
import type { Place } from '../place.ts';
import { operate } from '../operate.ts';
import { type WithAccount, withAccounts } from '../parts/find-accounts.ts';
import { AccountName } from '../parts/names.tsx';
import { listOf } from '../parts/list.ts';
import { Pages } from '../parts/pages.tsx';
import { type Column, Records, actColumn } from '../parts/records.tsx';
import type { Operations, OperatorWithdrawal } from '../schema.d.ts';
import { useMay } from '../staff.ts';
import { Tabs, shownOf } from '../parts/tabs.tsx';
import { withdrawalColumns } from './account-records.tsx';
import { MOST_READ, STUCK_AFTER_MINUTES, ageColumn, countRows } from './waiting.tsx';

const accountColumn: Column<WithAccount<OperatorWithdrawal>> = {
  name: 'Account',
  show: ({ accountId, account }) => <AccountName id={accountId} account={account} />,
};

/** All of a list are in one state, so it is not said; nor is since when they wait, as for how long is. */
const [firstColumn, ...moreColumns] = withdrawalColumns.filter(({ name }) => name !== 'State' && name !== 'When');
const columns = [
  ...(firstColumn ? [firstColumn] : []),
  accountColumn,
  // Each with its name on a telephone, since no state tells what they are.
  ...moreColumns.map(({ narrow, ...column }) =>
    narrow === 'bare last' ? column : { ...column, ...(narrow && { narrow }) },
  ),
];

const pathOf = ({ id, accountId }: OperatorWithdrawal) => `/desk/withdrawals/${accountId}/${id}`;

const listWithdrawals = (query: Operations['get /withdrawals']['query']) =>
  withAccounts(listOf('get /withdrawals', { query }), ({ accountId }) => accountId);

/** The withdrawals that wait for a review, the oldest first. */
export function Reviews() {
  const { loaded } = useLoaded(async () => (await operate('get /settings')).settings.reviewThreshold);
  const limit = loaded.state === 'here' ? loaded.value : undefined;
  const may = useMay();
  return (
    <>
      <h1>Reviews</h1>
      <section class="card">
        <p>
          {limit === null
            ? 'No review limit is set, so nothing waits here. '
            : limit !== undefined &&
              `Withdrawals wait here once an account has asked to withdraw more than ${showSum(limit, 'USDT')} in 24 hours. `}
          <a href="/desk/settings?show=accounts">Change the limit</a>
        </p>
        <Pages list={listWithdrawals({ status: 'PENDING' })}>
          {(rows) => (
            <Records
              label="Withdrawals to review"
              rows={rows}
              keyOf={({ id }) => id}
              columns={[...columns, ageColumn, ...(may('review_withdrawals') ? [actColumn('Review', pathOf)] : [])]}
              empty="Nothing waits for a review."
            />
          )}
        </Pages>
      </section>
    </>
  );
}

/** For how many minutes at least they are with the custodian, and what is said where there are none. */
const waits = {
  all: ['All', 0, 'No payout is with the custodian.'],
  minutes: ['Over 10 min', 10, 'No payout has waited over 10 minutes.'],
  hour: ['Over 1 hour', STUCK_AFTER_MINUTES, 'No payout has waited over an hour.'],
} as const;

const ages = { all: waits.all[0], minutes: waits.minutes[0], hour: waits.hour[0] };

/** The lists by their names, with how many each has. */
async function countPayouts(): Promise<typeof ages> {
  const counted = Object.entries(waits).map(async ([age, [name, olderThanMinutes]]) => {
    const query = { status: 'PROCESSING', olderThanMinutes, limit: MOST_READ } as const;
    const { withdrawals, nextCursor } = await operate('get /withdrawals', { query });
    return [age, `${name} (${countRows(withdrawals, nextCursor)})`];
  });
  return Object.fromEntries(await Promise.all(counted)) as typeof ages;
}

/** The withdrawals that the custodian has, and who pays which by hand. */
export function Payouts({ query }: Place) {
  const shown = shownOf(ages, query);
  const [, olderThanMinutes, empty] = waits[shown];
  const { loaded } = useLoaded(() =>
    Promise.all([
      operate('get /payout-claims', { query: { limit: MOST_READ } }),
      operate('get /proposals', { query: { status: 'OPEN', limit: MOST_READ } }),
    ]),
  );
  const [{ claims }, { proposals }] = loaded.state === 'here' ? loaded.value : [{ claims: [] }, { proposals: [] }];
  const { loaded: counted } = useLoaded(countPayouts);
  const heldColumn: Column<OperatorWithdrawal> = {
    name: 'Custodian waits for',
    show: ({ held }) => (held === null ? <span class="dim">–</span> : inWords(held.reason)),
  };
  const claimColumn: Column<OperatorWithdrawal> = {
    name: 'Claimed by',
    show: ({ id }) => claims.find(({ withdrawalId }) => withdrawalId === id)?.claimedBy ?? <span class="dim">–</span>,
  };
  const proposalColumn: Column<OperatorWithdrawal> = {
    name: 'Proposal',
    show: (row) =>
      proposals.map(
        ({ id, path, body }) =>
          path.includes(row.id) && (
            <span key={id}>
              <a href={`/desk/proposals/${id}`}>End as {body['outcome']}</a>: needs approval
            </span>
          ),
      ),
  };
  return (
    <>
      <h1>Payouts</h1>
      <Tabs
        label="Of payouts"
        path="/desk/payouts"
        of={counted.state === 'here' ? counted.value : ages}
        shown={shown}
      />
      <section class="card">
        <p>Withdrawals that the custodian was told to pay, and has not paid yet.</p>
        <Pages list={listWithdrawals({ status: 'PROCESSING', olderThanMinutes })}>
          {(rows) => (
            <>
              <Records
                label="Payouts with the custodian"
                rows={rows}
                keyOf={({ id }) => id}
                columns={[
                  ...columns,
                  ageColumn,
                  ...(rows.some(({ held }) => held !== null) ? [heldColumn] : []),
                  ...(claims.length > 0 ? [claimColumn] : []),
                  ...(proposals.some(({ path }) => path.includes('/withdrawals/')) ? [proposalColumn] : []),
                  actColumn('Open', pathOf),
                ]}
                empty={empty}
              />
              {rows.length > 0 && (
                <p class="quiet">
                  Unpaid after an hour? Open the payout, and ask the custodian again before you settle it as paid or
                  failed.
                </p>
              )}
            </>
          )}
        </Pages>
      </section>
    </>
  );
}
