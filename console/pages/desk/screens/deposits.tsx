import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { inWords, showAmount, showCents, showSum } from '../../format.ts';
import { useLoaded } from '../../load.ts';
import { Shown } from '../../parts/notice.tsx';
import { linkTo, nameNetwork } from '../../networks.ts';
import { TransactionLink } from '../../parts/transaction-link.tsx';
import type { Place } from '../place.ts';
import { operate } from '../operate.ts';
import { AccountChoice, nameAccount } from '../parts/account-choice.tsx';
import { type AccountOfHolder, type WithAccount, addAccounts, withAccounts } from '../parts/find-accounts.ts';
import { AccountName, Back, State, Time, Whole } from '../parts/names.tsx';
import { type List, listOf } from '../parts/list.ts';
import { Pages } from '../parts/pages.tsx';
import { type Column, Facts, Records } from '../parts/records.tsx';
import { OldAndNew, ReasonField, Step } from '../parts/step.tsx';
import { Tabs, shownOf } from '../parts/tabs.tsx';
import { type Moment, Timeline, readMoments } from '../parts/timeline.tsx';
import type { AuditEntry, Operations, OperatorDeposit, SearchResult } from '../schema.d.ts';
import { useMay } from '../staff.ts';
import { isValued } from './account-records.tsx';

/** The lists by their name in the address of the page. */
const lists = {
  quarantined: ['In quarantine', { status: 'QUARANTINED' }, 'Nothing is in quarantine.'],
  pending: ['On their way', { status: 'PENDING' }, 'No deposit waits for confirmations.'],
  kept: ['Kept', { status: 'QUARANTINED', decision: 'KEPT' }, 'None was kept.', 'Why kept'],
  credited: [
    'Credited by hand',
    { status: 'QUARANTINED', decision: 'CREDITED' },
    'None was credited by hand.',
    'Why credited',
  ],
} as const;

const parts = {
  quarantined: lists.quarantined[0],
  pending: lists.pending[0],
  kept: lists.kept[0],
  credited: lists.credited[0],
  dust: 'Dust',
};

type Decided = WithAccount<OperatorDeposit> & { readonly decided: AuditEntry | undefined };

const decisions = { KEPT: 'keep_deposit', CREDITED: 'credit_deposit' } as const;

/** So many of the newest decisions are looked at. */
const DECISIONS_READ = 200;

/** The deposits of a list; those that were decided, with who did. */
function listDeposits(query: Operations['get /deposits']['query'] & object): List<Decided> {
  const list = withAccounts(listOf('get /deposits', { query }), ({ accountId }) => accountId ?? undefined);
  const action = query.decision && decisions[query.decision];
  const read = async (cursor: string | undefined) => {
    const [{ rows, nextCursor }, { entries }] = await Promise.all([
      list.read(cursor),
      action ? operate('get /audit', { query: { action, limit: DECISIONS_READ } }) : { entries: [] },
    ]);
    return {
      rows: rows.map((row) => ({ ...row, decided: entries.find(({ target }) => target === row.id) })),
      nextCursor,
    };
  };
  return { ...list, read };
}

const depositColumn: Column<Decided> = {
  name: 'Deposit',
  show: ({ id, amount, asset }) => <a href={`/desk/deposits/${id}`}>{showSum(amount, asset)}</a>,
};

const originColumns: readonly Column<Decided>[] = [
  { name: 'Network', show: ({ network }) => network ?? '–' },
  {
    name: 'Account',
    show: ({ accountId, account }) => (accountId === null ? 'none' : <AccountName id={accountId} account={account} />),
  },
  { name: 'First seen', show: ({ ts }) => <Time iso={ts} /> },
];

const confirmedColumn: Column<Decided> = {
  name: 'Confirmed',
  show: ({ confirmations, confirmationsNeeded }) => `${confirmations ?? 0} of ${confirmationsNeeded ?? '–'}`,
};

const heldColumn: Column<Decided> = {
  name: 'Why in quarantine',
  show: ({ reason }) => (reason === null ? '–' : inWords(reason)),
};

/** Who decided it, and why. The audit knows both. */
const decidedColumns = (why: string): readonly Column<Decided>[] => [
  {
    name: why,
    show: ({ decided }) => {
      const because = decided?.detail['because'];
      return typeof because === 'string' ? <span class="breaks">{because}</span> : '–';
    },
  },
  { name: 'Decided by', show: ({ decided }) => decided?.actor ?? 'not in the newest of the audit' },
];

const decideColumn: Column<Decided> = {
  name: 'Decide',
  isStep: true,
  show: ({ id }) => (
    <a class="act" href={`/desk/deposits/${id}`}>
      Decide
    </a>
  ),
};

/** Deposits that wait for somebody or for confirmations, what became of those in quarantine, and the dust. */
export function Deposits({ query }: Place) {
  const wanted = shownOf(parts, query);
  const may = useMay();
  const list = wanted === 'dust' ? undefined : lists[wanted];
  return (
    <>
      <h1>Deposits</h1>
      <Tabs label="Of deposits" path="/desk/deposits" of={parts} shown={wanted} />
      <section class="card">
        {list ? (
          <>
            <h2>{list[0]}</h2>
            <Pages list={listDeposits(list[1])}>
              {(rows) => (
                <Records
                  label={list[0]}
                  rows={rows}
                  keyOf={({ id }) => id}
                  columns={[
                    depositColumn,
                    wanted === 'pending' ? confirmedColumn : heldColumn,
                    ...(list[3] === undefined ? [] : decidedColumns(list[3])),
                    ...originColumns,
                    ...(wanted === 'quarantined' && may('decide_quarantine') ? [decideColumn] : []),
                  ]}
                  empty={list[2]}
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
      <h2>Dust</h2>
      <p>Deposits below the minimum of their asset and network. They are in custody, and credited to nobody.</p>
      <Shown loaded={loaded}>
        {({ dust }) => (
          <Records
            isSmall
            label="Dust"
            rows={dust}
            keyOf={({ asset, network }) => `${asset} ${network}`}
            columns={[
              { name: 'Asset', show: ({ asset }) => asset },
              { name: 'Network', show: ({ network }) => network },
              { name: 'Deposits', isNumber: true, show: ({ deposits }) => String(deposits) },
              { name: 'Sum', isNumber: true, show: ({ amount }) => showAmount(amount) },
            ]}
            empty="No deposit was below the minimum."
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
  supply_cap: 'It would exceed the supply cap of its asset.',
};

async function readDeposit(id: string) {
  const [{ deposit }, moments] = await Promise.all([operate('get /deposits/{id}', { path: { id } }), readMoments(id)]);
  const { accountId, creditAccountId } = deposit;
  const [clues, [named]] = await Promise.all([
    readClues(deposit),
    addAccounts([deposit], () => creditAccountId ?? accountId ?? undefined),
  ]);
  return { deposit, moments, clues, account: named?.account };
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
      <Shown loaded={loaded} title="Deposit" list={{ path: '/desk/deposits', name: 'All deposits' }}>
        {({ deposit, moments, clues, account }) => (
          <>
            <div class="top">
              <div class="named">
                <h1>Deposit of {showSum(deposit.amount, deposit.asset)}</h1>
                <State of={deposit.decision ?? deposit.status} />
              </div>
            </div>
            <div class="split wide-first">
              <div>
                <QuarantineSteps deposit={deposit} changed={reload} />
                <section class="card">
                  <h2>The deposit</h2>
                  <Facts of={describe(deposit, account)} />
                  <details class="plain-details">
                    <summary>Id, and place in its transaction</summary>
                    <Facts
                      of={[
                        [
                          'Id',
                          <Whole key="id" isCode>
                            {deposit.id}
                          </Whole>,
                        ],
                        [
                          'Output of the transaction',
                          deposit.outputIndex === null ? null : String(deposit.outputIndex),
                        ],
                      ]}
                    />
                  </details>
                </section>
              </div>
              <div>
                <section class="card">
                  <h2>What happened</h2>
                  <Timeline
                    label="What happened"
                    moments={[...tellSeen(deposit, moments), ...moments, ...tellNow(deposit)]}
                  />
                  <a href={`/desk/audit?target=${deposit.id}`}>In the audit</a>
                </section>
                {deposit.status === 'QUARANTINED' && <Clues deposit={deposit} clues={clues} />}
              </div>
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
    : [{ ts, what: network === null ? 'Credited inside the exchange' : `Seen on ${nameNetwork(network)}` }];

/** What a deposit waits for now, or how it ended. */
function tellNow({ status, decision, reason, confirmations, confirmationsNeeded }: OperatorDeposit): readonly Moment[] {
  const count = `${confirmations ?? 0} of ${confirmationsNeeded ?? 0} confirmations`;
  if (status === 'PENDING') return [{ ts: undefined, what: `Has ${count}, and waits for the others`, tone: 'warn' }];
  if (status === 'FAILED')
    return [{ ts: undefined, what: 'It failed on its network, and is credited to nobody', tone: 'bad' }];
  if (status === 'COMPLETED' || decision === 'CREDITED') return [{ ts: undefined, what: 'Credited', tone: 'good' }];
  const why = reason === null ? '' : ` ${reasons[reason] ?? inWords(reason)}`;
  return [
    {
      ts: undefined,
      what:
        decision === 'KEPT'
          ? 'Kept in custody, owed to nobody. It can still be credited.'
          : `Confirmed, and in quarantine until somebody decides.${why}`,
      tone: 'warn',
    },
  ];
}

function describe(
  deposit: OperatorDeposit,
  account: AccountOfHolder | undefined,
): readonly (readonly [string, ComponentChildren])[] {
  const { accountId, creditAccountId, decision, network } = deposit;
  return [
    ['Amount', showSum(deposit.exactAmount ?? deposit.amount, deposit.asset)],
    ['Worth', isValued(deposit) ? `${showCents(deposit.usdValue)} USDT` : null],
    ['Account', accountId === null ? 'none' : <AccountName key="account" id={accountId} account={account} />],
    ['Network', network === null ? 'inside the exchange' : nameNetwork(network)],
    [
      'Confirmations',
      network === null ? null : `${deposit.confirmations ?? '–'} of ${deposit.confirmationsNeeded ?? '–'}`,
    ],
    ['First seen', <Time key="ts" iso={deposit.ts} />],
    [
      'Transaction',
      network !== null && deposit.txHash !== null ? (
        <Whole key="tx">
          <TransactionLink network={network} txHash={deposit.txHash} />
        </Whole>
      ) : null,
    ],
    [
      'To address',
      deposit.address && (
        <Whole key="address" isCode>
          {deposit.address}
        </Whole>
      ),
    ],
    ['Decided', decision && inWords(decision)],
    ['Credited to', creditAccountId && <AccountName key="credit" id={creditAccountId} account={account} />],
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
    <section class="card">
      <h2>Whose it may be</h2>
      <Records
        label="Whose it may be"
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
        empty="It is no account’s deposit address, and no other record is of this transaction."
      />
      <p>
        The exchange is not told who sent it.
        {link !== undefined && (
          <>
            {' '}
            <a href={link} target="_blank" rel="noreferrer">
              An explorer shows the sender
            </a>
            : compare it with what a customer tells you.
          </>
        )}
      </p>
    </section>
  );
}

/** What can be done with a deposit in quarantine, and what each of it means. */
function QuarantineSteps({ deposit, changed }: { readonly deposit: OperatorDeposit; readonly changed: () => void }) {
  const may = useMay();
  const { remedies, reason, asset } = deposit;
  if (reason === null) return null;
  const canCredit = remedies.includes('credit') && may('decide_quarantine');
  const canKeep = remedies.includes('keep') && may('decide_quarantine');
  return (
    <section class="card">
      <h2>{reasons[reason] ?? inWords(reason)}</h2>
      {remedies.includes('raise_supply_cap') && (
        <p>
          Raise the supply cap of {asset} in the <a href="/desk/settings">settings</a>: the custodian’s next report
          credits it.
        </p>
      )}
      {canCredit && (
        <div class="choice">
          <p>
            <strong>You know whose it is.</strong> Crediting adds it to the account that you choose, for good.
          </p>
          <CreditIt deposit={deposit} changed={changed} />
        </div>
      )}
      {canKeep && (
        <div class="choice">
          <p>
            <strong>Nobody knows whose it is.</strong> Keeping takes it off the list: it stays in custody, owed to
            nobody, and can be credited later.
          </p>
          <KeepIt deposit={deposit} changed={changed} />
        </div>
      )}
    </section>
  );
}

interface StepOf {
  readonly deposit: OperatorDeposit;
  readonly changed: () => void;
}

function CreditIt({ deposit: { id, amount, asset }, changed }: StepOf) {
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
      <p>Credit it only once you know whose it is: this cannot be undone.</p>
      <AccountChoice chosen={account} choose={choose} />
      <ReasonField value={reason} set={setReason} />
      {account && <OldAndNew name="Account of the deposit" old="none" next={nameAccount(account)} />}
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
      <p>
        For a deposit of which nobody knows whose it is. It stays in custody, owed to nobody, and can still be credited
        later.
      </p>
      <ReasonField value={reason} set={setReason} />
    </Step>
  );
}
