import { inWords, showAmount, showCents } from '../../format.ts';
import { useLoaded } from '../../load.ts';
import { Shown } from '../../parts/notice.tsx';
import { TransactionLink } from '../../parts/transaction-link.tsx';
import type { Place } from '../place.ts';
import { operate } from '../operate.ts';
import { AccountLink, State, Time } from '../parts/names.tsx';
import { Facts, Records } from '../parts/records.tsx';
import type { AccountDetail, OperatorDeposit, OperatorWithdrawal } from '../schema.d.ts';
import { depositColumns, withdrawalColumns } from './account-records.tsx';
import { WithdrawalSteps } from './withdrawal-steps.tsx';

/** As many of the account's other records are shown, and looked at for the same address. */
const SHOWN = 5;
const LOOKED_AT = 200;

async function read(id: string, withdrawalId: string) {
  const path = { id };
  const [{ withdrawal }, { account }, { withdrawals }, { deposits }, { claims }] = await Promise.all([
    operate('get /accounts/{id}/withdrawals/{withdrawalId}', { path: { id, withdrawalId } }),
    operate('get /accounts/{id}', { path }),
    operate('get /accounts/{id}/withdrawals', { path, query: { limit: LOOKED_AT } }),
    operate('get /accounts/{id}/deposits', { path, query: { limit: SHOWN } }),
    operate('get /payout-claims', { query: { limit: LOOKED_AT } }),
  ]);
  const earlier = withdrawals.filter((row) => row.id !== withdrawalId && row.ts <= withdrawal.ts);
  const claim = claims.find((known) => known.withdrawalId === withdrawalId);
  return { withdrawal, account, earlier, deposits, claim };
}

/** One withdrawal, with the facts that a reviewer needs, and what can be done with it. */
export function WithdrawalScreen({ rest: [id = '', withdrawalId = ''] }: Place) {
  const { loaded, reload } = useLoaded(() => read(id, withdrawalId));
  return (
    <Shown loaded={loaded}>
      {({ withdrawal, account, earlier, deposits, claim }) => (
        <>
          <div class="top">
            <h1>
              Withdrawal of {showAmount(withdrawal.amount)} {withdrawal.asset}
            </h1>
            <State of={withdrawal.status} />
          </div>
          <section class="card">
            <h2>The withdrawal</h2>
            <WithdrawalFacts withdrawal={withdrawal} />
          </section>
          <section class="card">
            <h2>What to look at</h2>
            <AccountFacts withdrawal={withdrawal} account={account} earlier={earlier} />
            <WithdrawalSteps withdrawal={withdrawal} claim={claim} changed={reload} />
          </section>
          <Recent earlier={earlier} deposits={deposits} id={id} />
        </>
      )}
    </Shown>
  );
}

function WithdrawalFacts({ withdrawal }: { readonly withdrawal: OperatorWithdrawal }) {
  return (
    <Facts
      of={[
        ['Amount', `${showAmount(withdrawal.amount)} ${withdrawal.asset}`],
        ['Worth', `${showCents(withdrawal.usdValue)} USDT`],
        ['Fee', `${showAmount(withdrawal.fee)} ${withdrawal.asset}`],
        ['Network', withdrawal.network],
        ['To', <code key="to">{withdrawal.address}</code>],
        ['Asked for', <Time key="ts" iso={withdrawal.ts} />],
        [
          'Transaction',
          withdrawal.txHash === null ? (
            'none yet'
          ) : (
            <TransactionLink key="tx" network={withdrawal.network} txHash={withdrawal.txHash} />
          ),
        ],
        [
          'The custodian waits for',
          withdrawal.held && (
            <>
              {inWords(withdrawal.held.reason)}, since <Time iso={withdrawal.held.since} />
            </>
          ),
        ],
        ['Why it failed', withdrawal.reason && inWords(withdrawal.reason)],
        ['By the key', withdrawal.keyId === null ? null : <code key="key">{withdrawal.keyId}</code>],
        ['Id', <code key="id">{withdrawal.id}</code>],
      ]}
    />
  );
}

/** What tells an ordinary withdrawal from a strange one. */
function AccountFacts({
  withdrawal,
  account,
  earlier,
}: {
  readonly withdrawal: OperatorWithdrawal;
  readonly account: AccountDetail;
  readonly earlier: readonly OperatorWithdrawal[];
}) {
  const { network, address } = withdrawal;
  const approval = account.allowlist.find((entry) => entry.network === network && entry.address === address);
  const same = earlier.filter((row) => row.network === network && row.address === address);
  const paid = same.filter(({ status }) => status === 'COMPLETED').length;
  const { limit, used } = account.dailyWithdrawals;
  return (
    <Facts
      of={[
        ['Account', <AccountLink key="account" id={account.id} label={account.label} />],
        ['State', <State key="state" of={account.status} />],
        ['Opened', <Time key="opened" iso={account.createdAt} />],
        ['Left in the account', `${showCents(account.usdValue)} USDT`],
        ['Daily limit used', `${showAmount(used)} of ${showAmount(limit)} USDT`],
        ['Two-factor authentication', account.totp.enabled ? 'on' : 'off'],
        [
          'The address is approved',
          approval ? (
            <>
              {approval.label}, since <Time iso={approval.createdAt} />
            </>
          ) : (
            'no'
          ),
        ],
        ['Paid to this address before', paid === 0 ? 'never' : `${paid} of the last ${LOOKED_AT} withdrawals`],
        [
          'Changes of the account',
          <a key="audit" href={`/desk/audit?target=${account.id}`}>
            in the audit
          </a>,
        ],
        [
          'Changes of this withdrawal',
          <a key="own" href={`/desk/audit?target=${withdrawal.id}`}>
            in the audit
          </a>,
        ],
      ]}
    />
  );
}

function Recent({
  id,
  earlier,
  deposits,
}: {
  readonly id: string;
  readonly earlier: readonly OperatorWithdrawal[];
  readonly deposits: readonly OperatorDeposit[];
}) {
  return (
    <>
      <section class="card">
        <h2>Earlier withdrawals</h2>
        <Records
          label="Earlier withdrawals"
          rows={earlier.slice(0, SHOWN)}
          keyOf={(row) => row.id}
          columns={withdrawalColumns}
          empty="This is the account’s first withdrawal."
        />
        <a href={`/desk/accounts/${id}/withdrawals`}>All withdrawals of the account</a>
      </section>
      <section class="card">
        <h2>Last deposits</h2>
        <Records
          label="Last deposits"
          rows={deposits}
          keyOf={(row) => row.id}
          columns={depositColumns}
          empty="Nothing was ever deposited."
        />
        <a href={`/desk/accounts/${id}/deposits`}>All deposits of the account</a>
      </section>
    </>
  );
}
