import { useState } from 'preact/hooks';
import { inWords, showAmount } from '../../format.ts';
import { Choice } from '../../parts/form.tsx';
import { useLoaded } from '../../load.ts';
import { operate } from '../operate.ts';
import { type WithAccount, withAccounts } from '../parts/find-accounts.ts';
import { AccountName } from '../parts/names.tsx';
import { listOf } from '../parts/list.ts';
import { Pages } from '../parts/pages.tsx';
import { type Column, Records } from '../parts/records.tsx';
import type { Operations, OperatorWithdrawal } from '../schema.d.ts';
import { useMay } from '../staff.ts';
import { withdrawalColumns } from './account-records.tsx';

const accountColumn: Column<WithAccount<OperatorWithdrawal>> = {
  name: 'Account',
  show: ({ accountId, account }) => <AccountName id={accountId} account={account} />,
};

/** All of a list are in one state, so it is not said. */
const [firstColumn, ...moreColumns] = withdrawalColumns.filter(({ name }) => name !== 'State');
const columns = [...(firstColumn ? [firstColumn] : []), accountColumn, ...moreColumns];

const reviewColumn: Column<OperatorWithdrawal> = {
  name: 'Review',
  isStep: true,
  show: ({ id, accountId }) => (
    <a class="act" href={`/desk/withdrawals/${accountId}/${id}`}>
      Review
    </a>
  ),
};

const listWithdrawals = (query: Operations['get /withdrawals']['query']) =>
  withAccounts(listOf('get /withdrawals', { query }), ({ accountId }) => accountId);

/** The withdrawals that wait for a review, the oldest first. */
export function Reviews() {
  const { loaded } = useLoaded(async () => (await operate('get /settings')).settings.reviewThreshold);
  const threshold = loaded.state === 'here' ? loaded.value : undefined;
  const may = useMay();
  return (
    <>
      <h1>Reviews</h1>
      <section class="card">
        <p>
          {threshold === null
            ? 'No threshold is set, so no withdrawal waits for a person. '
            : 'A withdrawal waits for a person when it takes what an account withdrew in 24 hours above '}
          {threshold && <strong>{showAmount(threshold)} USDT. </strong>}
          <a href="/desk/settings?show=accounts">Change it in the settings</a>
        </p>
        <Pages list={listWithdrawals({ status: 'PENDING' })}>
          {(rows) => (
            <Records
              label="Withdrawals to review"
              rows={rows}
              keyOf={({ id }) => id}
              columns={may('review_withdrawals') ? [...columns, reviewColumn] : columns}
              empty="Nothing waits for a review."
            />
          )}
        </Pages>
      </section>
    </>
  );
}

const ages = [
  ['60', 'for an hour'],
  ['10', 'for ten minutes'],
  ['0', 'at all'],
] as const;

/** The withdrawals that the custodian has, and who pays which by hand. */
export function Payouts() {
  const [minutes, setMinutes] = useState<(typeof ages)[number][0]>('60');
  const { loaded } = useLoaded(() => operate('get /payout-claims', { query: { limit: 200 } }));
  const claims = loaded.state === 'here' ? loaded.value.claims : [];
  const heldColumn: Column<OperatorWithdrawal> = {
    name: 'Custodian waits for',
    show: ({ held }) => (held === null ? 'nothing' : inWords(held.reason)),
  };
  const claimColumn: Column<OperatorWithdrawal> = {
    name: 'Claimed by',
    show: ({ id }) => claims.find(({ withdrawalId }) => withdrawalId === id)?.claimedBy ?? 'nobody',
  };
  return (
    <>
      <h1>Payouts</h1>
      <section class="card">
        <p>
          The custodian has these and has not ended them. It is asked again and again by itself; after an hour a person
          is needed. Ask the custodian what became of a payout before you settle it.
        </p>
        <Choice label="With the custodian" value={minutes} set={setMinutes} options={ages} />
        <Pages wanted={minutes} list={listWithdrawals({ status: 'PROCESSING', olderThanMinutes: Number(minutes) })}>
          {(rows) => (
            <Records
              label="Payouts with the custodian"
              rows={rows}
              keyOf={({ id }) => id}
              columns={[...columns, heldColumn, claimColumn]}
              empty="No payout is with the custodian for so long. Nothing is to be done."
            />
          )}
        </Pages>
      </section>
    </>
  );
}
