import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { multiply } from '../../exact.ts';
import { inWords, shorten, showAmount, showCents, showSum } from '../../format.ts';
import { useLoaded } from '../../load.ts';
import { Shown } from '../../parts/notice.tsx';
import { linkTo, nameAlone } from '../../networks.ts';
import { TransactionLink } from '../../parts/transaction-link.tsx';
import type { Place } from '../place.ts';
import { operate, readPublic } from '../operate.ts';
import { AccountChoice, Holder } from '../parts/account-choice.tsx';
import { type AccountOfHolder, type WithAccount, addAccounts, withAccounts } from '../parts/find-accounts.ts';
import { AccountName, Back, CopiedAddress, CopiedId, State, Time, Whole } from '../parts/names.tsx';
import { NoRecord } from '../parts/no-record.tsx';
import { type List, listOf } from '../parts/list.ts';
import { Pages } from '../parts/pages.tsx';
import { type Column, Facts, Records, actColumn } from '../parts/records.tsx';
import { ReasonField, Step } from '../parts/step.tsx';
import { Tabs, shownOf } from '../parts/tabs.tsx';
import { type Moment, Timeline, readMoments } from '../parts/timeline.tsx';
import type { AuditEntry, Operations, OperatorDeposit, SearchResult } from '../schema.d.ts';
import { useMay } from '../staff.ts';
import { isValued, valueColumn } from './account-records.tsx';
import { ageColumn } from './waiting.tsx';

/** The lists by their name in the address of the page. */
const lists = {
  quarantined: {
    name: 'In quarantine',
    about: 'These have arrived, and are credited to nobody until somebody decides.',
    query: { status: 'QUARANTINED' },
    empty: 'Nothing is in quarantine.',
  },
  pending: {
    name: 'On their way',
    about: 'These are credited once their networks have confirmed them.',
    query: { status: 'PENDING' },
    empty: 'No deposit waits for confirmations.',
  },
  kept: {
    name: 'Kept',
    about: 'Nobody knows whose these are. They stay in custody, and can still be credited.',
    query: { status: 'QUARANTINED', decision: 'KEPT' },
    empty: 'None was kept.',
    did: 'kept',
  },
  credited: {
    name: 'Credited',
    about: 'These were in quarantine, until somebody found out whose they are.',
    query: { status: 'QUARANTINED', decision: 'CREDITED' },
    empty: 'None was credited.',
    did: 'credited',
  },
} as const;

const parts = {
  quarantined: lists.quarantined.name,
  pending: lists.pending.name,
  kept: lists.kept.name,
  credited: lists.credited.name,
  dust: 'Dust',
};

type Decided = WithAccount<OperatorDeposit> & { readonly decided: AuditEntry | undefined };

const decisions = { KEPT: 'keep_deposit', CREDITED: 'credit_deposit' } as const;

/** So many of the newest decisions are looked at. */
const DECISIONS_READ = 200;

/** Gives deposits that have no value, as they are not credited, what they are worth now; nothing without a price. */
async function readValuer(): Promise<(deposit: OperatorDeposit) => string> {
  const tickers = await readPublic('/api/v1/markets/tickers').then(
    ({ tickers: read }) => read,
    () => [],
  );
  return (deposit) => {
    if (isValued(deposit)) return deposit.usdValue;
    const price = deposit.asset === 'USDT' ? '1' : tickers.find(({ symbol }) => symbol === deposit.asset)?.price;
    return price === undefined ? '0' : multiply(deposit.amount, price, 6);
  };
}

/** The deposits of a list; those that were decided, with who did. */
function listDeposits(query: Operations['get /deposits']['query'] & object): List<Decided> {
  const list = withAccounts(
    listOf('get /deposits', { query }),
    ({ creditAccountId, accountId }) => creditAccountId ?? accountId ?? undefined,
  );
  const action = query.decision && decisions[query.decision];
  const read = async (cursor: string | undefined) => {
    const [{ rows, nextCursor }, valueOf, { entries }] = await Promise.all([
      list.read(cursor),
      readValuer(),
      action ? operate('get /audit', { query: { action, limit: DECISIONS_READ } }) : { entries: [] },
    ]);
    return {
      rows: rows.map((row) => ({
        ...row,
        decided: entries.find(({ target }) => target === row.id),
        usdValue: valueOf(row),
      })),
      nextCursor,
    };
  };
  return { ...list, read };
}

const depositColumn: Column<Decided> = {
  name: 'Deposit',
  show: ({ id, amount, asset, network, address, ts }) => (
    <>
      <a href={`/desk/deposits/${id}`}>{showSum(amount, asset)}</a>
      {network !== null && <small class="below">{nameAlone(network)}</small>}
      {address !== null && (
        <small class="below">
          to{'\u00A0'}
          <code title={address}>{shorten(address)}</code>
        </small>
      )}
      <small class="below">
        <Time iso={ts} />
      </small>
    </>
  ),
};

const accountColumn: Column<Decided> = {
  name: 'Account',
  show: ({ creditAccountId, accountId, account }) => {
    const id = creditAccountId ?? accountId;
    return id === null ? <span class="dim">none</span> : <AccountName id={id} account={account} />;
  },
};

const confirmedColumn: Column<Decided> = {
  name: 'Confirmed',
  show: ({ confirmations, confirmationsNeeded }) => `${confirmations ?? 0} of ${confirmationsNeeded ?? '–'}`,
};

const heldColumn: Column<Decided> = {
  name: 'Why in quarantine',
  narrow: 'half',
  show: ({ reason }) => (reason === null ? '–' : inWords(reason)),
};

/** Why it was decided, by whom and when. The audit knows it. */
const decidedColumns = (did: string): readonly Column<Decided>[] => [
  {
    name: `Why ${did}`,
    narrow: 'half',
    show: ({ decided }) => {
      const because = decided?.detail['because'];
      return typeof because === 'string' ? <span class="details">{because}</span> : '–';
    },
  },
  {
    name: `${inWords(did)} by`,
    narrow: 'half',
    show: ({ decided }) =>
      decided ? (
        <>
          {decided.actor}
          <small class="below">
            <Time iso={decided.ts} />
          </small>
        </>
      ) : (
        'not in the newest of the audit'
      ),
  },
];

const decideColumn = actColumn<Decided>('Decide', ({ id }) => `/desk/deposits/${id}`);

const creditColumn = (changed: () => void): Column<Decided> => ({
  name: 'Credit',
  isStep: true,
  show: (row) =>
    row.remedies.includes('credit') && (
      <div class="outlined">
        <CreditIt deposit={row} worth={row.usdValue} changed={changed} />
      </div>
    ),
});

/** Deposits that wait for somebody or for confirmations, what became of those in quarantine, and the dust. */
export function Deposits({ query }: Place) {
  const wanted = shownOf(parts, query);
  const mayDecide = useMay()('decide_quarantine');
  const [turn, setTurn] = useState(0);
  const list = wanted === 'dust' ? undefined : lists[wanted];
  return (
    <>
      <h1>Deposits</h1>
      <Tabs label="Of deposits" path="/desk/deposits" of={parts} shown={wanted} />
      <section class="card">
        {list ? (
          <>
            <p>{list.about}</p>
            <Pages key={wanted} turn={turn} list={listDeposits(list.query)}>
              {(rows) => (
                <Records
                  label={list.name}
                  rows={rows}
                  keyOf={({ id }) => id}
                  columns={[
                    depositColumn,
                    valueColumn,
                    wanted === 'pending' ? confirmedColumn : heldColumn,
                    ...('did' in list ? decidedColumns(list.did) : []),
                    ...(wanted === 'kept' ? [] : [accountColumn]),
                    ...('did' in list ? [] : [{ ...ageColumn, narrow: 'half' } as const]),
                    ...(wanted === 'quarantined' && mayDecide ? [decideColumn] : []),
                    ...(wanted === 'kept' && mayDecide ? [creditColumn(() => setTurn(turn + 1))] : []),
                  ]}
                  empty={list.empty}
                />
              )}
            </Pages>
          </>
        ) : (
          <Dust />
        )}
      </section>
    </>
  );
}

function Dust() {
  const { loaded } = useLoaded(() => operate('get /deposits/dust'));
  return (
    <>
      <p>
        A deposit below the <a href="/desk/settings?show=networks">minimum of its network</a> is dust: it stays in
        custody, and is credited to nobody.
      </p>
      <Shown loaded={loaded}>
        {({ dust }) => (
          <Records
            isSmall
            label="Dust"
            rows={dust}
            keyOf={({ asset, network }) => `${asset} ${network}`}
            columns={[
              { name: 'Asset', show: ({ asset }) => asset },
              { name: 'Network', show: ({ network }) => nameAlone(network) },
              { name: 'Deposits', isNumber: true, show: ({ deposits }) => String(deposits) },
              { name: 'Sum', isNumber: true, show: ({ amount }) => showAmount(amount) },
            ]}
            empty="There is no dust yet."
          />
        )}
      </Shown>
    </>
  );
}

/** Why a deposit is in quarantine, and what that means. */
const reasons: Readonly<Record<string, string>> = {
  unknown_address: 'Its address belongs to nobody here.',
  unsupported_asset: 'The asset is not on this network here.',
  below_minimum: 'It is below the minimum deposit.',
  inner_payment: 'A contract paid it within a transaction, which only a trace shows.',
  supply_cap: 'It would exceed the supply limit of its asset.',
};

async function readDeposit(id: string) {
  const [{ deposit }, moments, valueOf] = await Promise.all([
    operate('get /deposits/{id}', { path: { id } }),
    readMoments(id),
    readValuer(),
  ]);
  const { accountId, creditAccountId } = deposit;
  const [clues, [named]] = await Promise.all([
    readClues(deposit),
    addAccounts([deposit], () => creditAccountId ?? accountId ?? undefined),
  ]);
  return { deposit, moments, clues, account: named?.account, worth: valueOf(deposit) };
}

/** What else has the transaction or the address of a deposit that is nobody’s: it may say whose it is. */
async function readClues({ id, status, network, txHash, address }: OperatorDeposit) {
  if (status !== 'QUARANTINED' || network === null) return [];
  const found = await Promise.all(
    [txHash, address].map(async (q) => (q === null ? [] : (await operate('get /search', { query: { q } })).results)),
  );
  const others = found.flat().filter((result) => result.id !== id);
  return addAccounts(others, ({ accountId }) => accountId ?? undefined);
}

/** One deposit that the custodian reported, what happened to it, and what can be done with it. */
export function DepositScreen({ rest: [id = ''] }: Place) {
  const { loaded, reload } = useLoaded(() => readDeposit(id));
  return (
    <>
      <Back to="/desk/deposits">Deposits</Back>
      <Shown loaded={loaded} title="Deposit" absent={<NoRecord kind="deposit" id={id} />}>
        {({ deposit, moments, clues, account, worth }) => (
          <>
            <div class="named">
              <h1>Deposit of {showSum(deposit.amount, deposit.asset)}</h1>
              <State of={deposit.decision ?? deposit.status} />
            </div>
            <div class="split wide-first">
              <QuarantineSteps deposit={deposit} worth={worth} clues={clues} changed={reload} />
              <section class="card">
                <h2>The deposit</h2>
                <Facts of={describe(deposit, worth, account)} />
              </section>
              <Timeline id={deposit.id} moments={[...tellSeen(deposit, moments), ...moments, ...tellNow(deposit)]} />
            </div>
          </>
        )}
      </Shown>
    </>
  );
}

/** When a deposit was seen, where the audit has no row of it. */
const tellSeen = ({ ts, network }: OperatorDeposit, moments: readonly Moment[]): readonly Moment[] =>
  moments.length > 0
    ? []
    : [{ ts, what: network === null ? 'Credited inside the exchange' : `Seen on ${nameAlone(network)}` }];

/** What a deposit waits for now, or how it ended. */
function tellNow({ status, decision, confirmations, confirmationsNeeded }: OperatorDeposit): readonly Moment[] {
  const count = `${confirmations ?? 0} of ${confirmationsNeeded ?? 0} confirmations`;
  if (status === 'PENDING') return [{ what: `Has ${count}, and waits for the others`, tone: 'warn' }];
  if (status === 'FAILED') return [{ what: 'It failed on its network, and is credited to nobody', tone: 'bad' }];
  if (status === 'COMPLETED' || decision === 'CREDITED') return [{ what: 'Credited', tone: 'good' }];
  return decision === 'KEPT' ? [] : [{ what: 'Waits until somebody decides', tone: 'warn' }];
}

function describe(
  deposit: OperatorDeposit,
  worth: string,
  account: AccountOfHolder | undefined,
): readonly (readonly [string, ComponentChildren])[] {
  const { accountId, creditAccountId, network } = deposit;
  return [
    ['Amount', showSum(deposit.exactAmount ?? deposit.amount, deposit.asset)],
    [isValued(deposit) ? 'Worth' : 'Worth now', worth === '0' ? null : `${showCents(worth)} USDT`],
    ['Network', network === null ? null : nameAlone(network)],
    ['Account', accountId === null ? 'none' : <AccountName key="account" id={accountId} account={account} />],
    [
      'Confirmations',
      network === null ? null : `${deposit.confirmations ?? '–'} of ${deposit.confirmationsNeeded ?? '–'}`,
    ],
    [
      'Transaction',
      network !== null && deposit.txHash !== null ? (
        <Whole key="tx">
          <TransactionLink network={network} txHash={deposit.txHash} />
          {deposit.outputIndex !== null && `, output ${deposit.outputIndex}`}
        </Whole>
      ) : null,
    ],
    ['To address', deposit.address && <CopiedAddress key="address" address={deposit.address} />],
    ['Credited to', creditAccountId && <AccountName key="credit" id={creditAccountId} account={account} />],
    ['Id', <CopiedId key="id" id={deposit.id} />],
  ];
}

/** What may say whose a deposit is. */
function Clues({
  deposit: { network, txHash },
  clues,
}: {
  readonly deposit: OperatorDeposit;
  readonly clues: readonly WithAccount<SearchResult>[];
}) {
  const link = network === null || txHash === null ? undefined : linkTo(network, txHash);
  return (
    <>
      {clues.length > 0 && (
        <Records
          label="What has the same address or transaction"
          rows={clues}
          keyOf={({ kind, id, accountId }) => `${kind} ${id} ${accountId}`}
          columns={[
            { name: 'Same address or transaction', show: ({ kind }) => inWords(kind) },
            {
              name: 'Account',
              show: ({ accountId, account }) =>
                accountId === null ? 'none' : <AccountName id={accountId} account={account} />,
            },
          ]}
          empty=""
        />
      )}
      {link !== undefined && (
        <p>
          <a href={link} target="_blank" rel="noreferrer">
            See the sender in an explorer
          </a>
          , and compare it with what a customer tells you.
        </p>
      )}
    </>
  );
}

/** What is to be found out of a deposit in quarantine, what can be done with it, and what each of it means. */
function QuarantineSteps({ clues, ...step }: StepOf & { readonly clues: readonly WithAccount<SearchResult>[] }) {
  const may = useMay();
  const { deposit } = step;
  const { remedies, reason, asset } = deposit;
  if (reason === null) return null;
  const mayDecide = may('decide_quarantine');
  const canCredit = remedies.includes('credit');
  return (
    <section class="card aside">
      <h2>{canCredit ? 'Whose deposit is this?' : 'Why it is in quarantine'}</h2>
      <p>{reasons[reason] ?? `${inWords(reason)}.`}</p>
      {remedies.includes('raise_supply_cap') && (
        <p>
          Raise the supply limit of {asset} in the <a href="/desk/settings">settings</a>: the custodian’s next report
          credits it.
        </p>
      )}
      {canCredit && <Clues deposit={deposit} clues={clues} />}
      {canCredit && mayDecide && (
        <div class="choice">
          <p>
            <strong>If you know whose it is,</strong> credit it to their account, for good.
          </p>
          <CreditIt {...step} />
        </div>
      )}
      {remedies.includes('keep') && mayDecide && (
        <div class="choice">
          <p>
            <strong>If nobody knows,</strong> keep it: it leaves the list, and can be credited later.
          </p>
          <KeepIt {...step} />
        </div>
      )}
    </section>
  );
}

interface StepOf {
  readonly deposit: OperatorDeposit;
  /** In USDT, now; 0 where it has no price. */
  readonly worth: string;
  readonly changed: () => void;
}

function CreditIt({ deposit: { id, amount, asset }, worth, changed }: StepOf) {
  const [account, choose] = useState<AccountOfHolder>();
  const [reason, setReason] = useState('');
  const accountId = account?.id ?? '';
  return (
    <Step
      needsTwo
      label="Credit it"
      title={`Credit ${showSum(amount, asset)} to an account`}
      act={() => operate('post /deposits/{id}/credit', { path: { id }, body: { accountId, reason } })}
      done={changed}
    >
      <p>Once it is credited, this cannot be undone: be sure whose it is.</p>
      <AccountChoice chosen={account} choose={choose} />
      <ReasonField value={reason} set={setReason} />
      {account && (
        <dl class="change">
          <dt>What will be credited</dt>
          <dd>
            {showSum(amount, asset)}
            {worth !== '0' && `, worth ${showCents(worth)} USDT`} <span aria-hidden="true">→</span>{' '}
            <ins>{account.label}</ins>
            <Holder account={account} />
          </dd>
        </dl>
      )}
    </Step>
  );
}

function KeepIt({ deposit: { id, amount, asset }, changed }: StepOf) {
  const [reason, setReason] = useState('');
  return (
    <Step
      label="Keep it"
      title={`Keep ${showSum(amount, asset)}`}
      act={() => operate('post /deposits/{id}/keep', { path: { id }, body: { reason } })}
      done={changed}
    >
      <p>It stays in custody, owed to nobody, and can still be credited later.</p>
      <ReasonField value={reason} set={setReason} />
    </Step>
  );
}
