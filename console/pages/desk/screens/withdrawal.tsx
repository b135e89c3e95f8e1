import { isGreater } from '../../exact.ts';
import { inWords, showAmount, showCents, showSum, showTime } from '../../format.ts';
import { useLoaded } from '../../load.ts';
import { Shown } from '../../parts/notice.tsx';
import { nameAlone } from '../../networks.ts';
import { TransactionLink } from '../../parts/transaction-link.tsx';
import type { Place } from '../place.ts';
import { operate } from '../operate.ts';
import { AccountLink, Back, CopiedAddress, CopiedId, State, Time, Whole } from '../parts/names.tsx';
import { NoRecord } from '../parts/no-record.tsx';
import { KeyRisks } from '../parts/key-risks.tsx';
import { Facts, Records } from '../parts/records.tsx';
import { type Moment, Timeline, readMoments } from '../parts/timeline.tsx';
import type { AccountDetail, OperatorDeposit, OperatorWithdrawal } from '../schema.d.ts';
import { WithdrawalState, depositColumns, withdrawalColumns } from './account-records.tsx';
import { showAge } from './waiting.tsx';
import { WithdrawalSteps } from './withdrawal-steps.tsx';

/** As many of the account's other records are shown, and looked at for the same address. */
const SHOWN = 5;
const LOOKED_AT = 200;

async function read(id: string, withdrawalId: string) {
  const path = { id };
  const [{ withdrawal }, { account }, { withdrawals }, { deposits }, { claims }, { settings }, moments] =
    await Promise.all([
      operate('get /accounts/{id}/withdrawals/{withdrawalId}', { path: { id, withdrawalId } }),
      operate('get /accounts/{id}', { path }),
      operate('get /accounts/{id}/withdrawals', { path, query: { limit: LOOKED_AT } }),
      operate('get /accounts/{id}/deposits', { path, query: { limit: SHOWN } }),
      operate('get /payout-claims', { query: { limit: LOOKED_AT } }),
      operate('get /settings'),
      readMoments(withdrawalId),
    ]);
  const earlier = withdrawals.filter((row) => row.id !== withdrawalId && row.ts <= withdrawal.ts);
  const claim = claims.find((known) => known.withdrawalId === withdrawalId);
  return { withdrawal, account, earlier, deposits, claim, limit: settings.reviewThreshold, moments };
}

/** One withdrawal, with the facts that a reviewer needs, and what can be done with it. */
export function WithdrawalScreen({ rest: [id = '', withdrawalId = ''] }: Place) {
  const { loaded, reload } = useLoaded(() => read(id, withdrawalId));
  return (
    <Shown loaded={loaded} title="Withdrawal" absent={<NoRecord kind="withdrawal" id={withdrawalId} />}>
      {({ withdrawal, account, earlier, deposits, claim, limit, moments }) => (
        <>
          <BackToList withdrawal={withdrawal} account={account} />
          <div class="named">
            <h1>Withdrawal of {showSum(withdrawal.amount, withdrawal.asset)}</h1>
            <WithdrawalState of={withdrawal.status} />
            <p>
              Worth {showCents(withdrawal.usdValue)} USDT, over {nameAlone(withdrawal.network)}.{' '}
              {withdrawal.status === 'PENDING' && tellHeld(account, limit)}
            </p>
          </div>
          {claim && withdrawal.status === 'PROCESSING' && (
            <p class="notice">
              {claim.claimedBy} claimed it <Time iso={claim.claimedAt} />, to pay it by hand.
            </p>
          )}
          <div class="split wide-first">
            <section class="card aside">
              <h2>What to look at</h2>
              <AccountFacts withdrawal={withdrawal} account={account} earlier={earlier} />
              <WithdrawalSteps withdrawal={withdrawal} claim={claim} changed={reload} />
            </section>
            <section class="card">
              <h2>The withdrawal</h2>
              <WithdrawalFacts withdrawal={withdrawal} />
            </section>
            <Timeline
              id={withdrawal.id}
              moments={[
                { ts: withdrawal.ts, what: `Requested ${nameKey(withdrawal, account).join(' ')}` },
                ...moments,
                ...tellNow(withdrawal),
              ]}
            >
              <a href={`/desk/audit?target=${account.id}`}>Audit of the account</a>
            </Timeline>
          </div>
          <Recent earlier={earlier} deposits={deposits} id={id} />
        </>
      )}
    </Shown>
  );
}

/** To the list in which a withdrawal is: what waits is with others, and what has ended is with its account. */
function BackToList({
  withdrawal: { status },
  account: { id, label },
}: {
  readonly withdrawal: OperatorWithdrawal;
  readonly account: AccountDetail;
}) {
  if (status === 'PENDING') return <Back to="/desk/reviews">Reviews</Back>;
  if (status === 'PROCESSING') return <Back to="/desk/payouts">Payouts</Back>;
  return <Back to={`/desk/accounts/${id}/withdrawals`}>{label}</Back>;
}

/** With what or by whom a withdrawal was requested: the keys of an account are listed, and the sessions of its holder are not. */
function nameKey({ keyId }: OperatorWithdrawal, { apiKeys }: AccountDetail): readonly ['with' | 'by', string] {
  const label = apiKeys.find(({ id }) => id === keyId)?.label;
  if (label !== undefined) return ['with', `API key ${label}`];
  return ['by', keyId === null ? 'the exchange' : 'the holder, in the console'];
}

/** By which rule a withdrawal is held: the limit of now, unless that was changed since. */
function tellHeld({ dailyWithdrawals: { used } }: AccountDetail, limit: string | null): string {
  if (limit === null || !isGreater(used, limit))
    return 'Held because withdrawals of the account in 24 hours were above the review limit of that time.';
  return `Held because withdrawals of the account in 24 hours come to ${showCents(used)} USDT, above the review limit of ${showAmount(limit)} USDT.`;
}

/** What a withdrawal waits for now, or how it ended. */
function tellNow({ status, held, reason, txHash }: OperatorWithdrawal): readonly Moment[] {
  if (status === 'PENDING') return [{ what: 'Waits for review', tone: 'warn' }];
  if (status === 'COMPLETED') {
    return [{ what: txHash === null ? 'Paid inside the exchange' : 'Paid', tone: 'good' }];
  }
  if (status === 'FAILED') {
    const why = reason === null ? '' : ` (${inWords(reason).toLowerCase()})`;
    return [{ what: `Not paid${why}; amount and fee are back in the account`, tone: 'bad' }];
  }
  return [
    held === null
      ? { what: 'Is with the custodian', tone: 'warn' }
      : { ts: held.since, what: `The custodian waits for ${inWords(held.reason).toLowerCase()}`, tone: 'warn' },
  ];
}

function WithdrawalFacts({
  withdrawal: { id, amount, asset, fee, network, txHash, note },
}: {
  readonly withdrawal: OperatorWithdrawal;
}) {
  return (
    <Facts
      of={[
        ['Amount', showSum(amount, asset)],
        ['Fee', showSum(fee, asset)],
        ['Network', nameAlone(network)],
        [
          'Transaction',
          txHash === null ? (
            'none yet'
          ) : (
            <Whole key="tx">
              <TransactionLink network={network} txHash={txHash} />
            </Whole>
          ),
        ],
        ['What the holder was told', note],
        ['Id', <CopiedId key="id" id={id} />],
      ]}
    />
  );
}

/** A fact that is as with most withdrawals, or one to look at twice. */
const Sign = ({ isUsual, words }: { readonly isUsual: boolean; readonly words: string }) => (
  <State of={isUsual ? 'ok' : 'unknown'} words={words} />
);

const DAY_MS = 86_400_000;

/** Whether something was done within the day before a withdrawal: a thief is quick. */
const isJustBefore = (iso: string, { ts }: OperatorWithdrawal) => Date.parse(ts) - Date.parse(iso) < DAY_MS;

/** How long before a withdrawal something was done just before it; of what was done long before, nothing. */
const tellBefore = (iso: string, withdrawal: OperatorWithdrawal) =>
  isJustBefore(iso, withdrawal) ? [`${showAge(iso, Date.parse(withdrawal.ts))} before the request`] : [];

/** How often an address was paid, among the earlier withdrawals that were looked at. */
function countPaid(paid: number): string {
  if (paid === 0) return 'never';
  return paid === 1 ? 'once' : `${paid} times`;
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
  const key = account.apiKeys.find(({ id }) => id === withdrawal.keyId);
  const [how, requester] = nameKey(withdrawal, account);
  const facts = [
    ['To', <CopiedAddress key="to" address={address} />],
    [`Requested ${how}`, key ? <a href={`/desk/accounts/${account.id}/security`}>{requester}</a> : requester],
    [
      'Address approved',
      <>
        <Sign
          isUsual={approval !== undefined && !isJustBefore(approval.createdAt, withdrawal)}
          words={approval ? showTime(approval.createdAt) : 'no'}
        />
        {approval && (
          <small class="below">
            {[...tellBefore(approval.createdAt, withdrawal), `as ${approval.label}`].join(', ')}
          </small>
        )}
      </>,
    ],
    ['Address paid before', <Sign key="paid" isUsual={paid > 0} words={countPaid(paid)} />],
    [
      'Account',
      <>
        <AccountLink id={account.id} label={account.label} /> <State of={account.status} />
      </>,
    ],
    ['Two-factor', <Sign key="totp" isUsual={account.totp.enabled} words={account.totp.enabled ? 'on' : 'off'} />],
    [
      'Account opened',
      <>
        <Sign isUsual={!isJustBefore(account.createdAt, withdrawal)} words={showTime(account.createdAt)} />
        <small class="below">{tellBefore(account.createdAt, withdrawal)}</small>
      </>,
    ],
    ['Account is worth now', `${showCents(account.usdValue)} USDT`],
    ['Daily limit used', `${showCents(used)} of ${showAmount(limit)} USDT`],
    ['Earlier withdrawals', earlier.length === LOOKED_AT ? `${LOOKED_AT} or more` : String(earlier.length)],
  ] as const;
  return (
    <>
      {key && <KeyRisks of={key} />}
      <Facts of={facts} />
    </>
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
