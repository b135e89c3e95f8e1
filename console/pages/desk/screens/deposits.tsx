import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { inWords, showAmount, showCents } from '../../format.ts';
import { useLoaded } from '../../load.ts';
import { Shown } from '../../parts/notice.tsx';
import { TransactionLink } from '../../parts/transaction-link.tsx';
import { scrollToCurrent } from '../../parts/scroll-to-current.ts';
import type { Place } from '../place.ts';
import { operate } from '../operate.ts';
import { AccountChoice, nameAccount } from '../parts/account-choice.tsx';
import { type AccountOfHolder, type WithAccount, withAccounts } from '../parts/find-accounts.ts';
import { AccountLink, AccountName, State, Time } from '../parts/names.tsx';
import { listOf } from '../parts/list.ts';
import { Pages } from '../parts/pages.tsx';
import { type Column, Facts, Records } from '../parts/records.tsx';
import { OldAndNew, ReasonField, Step } from '../parts/step.tsx';
import type { OperatorDeposit } from '../schema.d.ts';
import { useMay } from '../staff.ts';
import { depositColumns, isValued } from './account-records.tsx';

/** The lists by their name in the address of the page. */
const lists = {
  quarantined: ['In quarantine', { status: 'QUARANTINED' }, 'Nothing is in quarantine.'],
  pending: ['On their way', { status: 'PENDING' }, 'No deposit waits for confirmations.'],
  kept: ['Kept', { status: 'QUARANTINED', decision: 'KEPT' }, 'None was kept.'],
  credited: ['Credited by hand', { status: 'QUARANTINED', decision: 'CREDITED' }, 'None was credited by hand.'],
} as const;

const owner: Column<WithAccount<OperatorDeposit>> = {
  name: 'Account',
  show: ({ accountId, account }) =>
    accountId === null ? 'nobody’s' : <AccountName id={accountId} account={account} />,
};

/** Deposits that wait for somebody or for confirmations, what became of those in quarantine, and the dust. */
export function Deposits({ query }: Place) {
  const wanted = query.get('show') ?? 'quarantined';
  const list = wanted in lists ? lists[wanted as keyof typeof lists] : undefined;
  return (
    <>
      <h1>Deposits</h1>
      <nav class="tabs" aria-label="Of deposits" ref={scrollToCurrent}>
        {Object.entries(lists).map(([name, [title]]) => (
          <a key={name} href={`/desk/deposits?show=${name}`} aria-current={name === wanted ? 'page' : undefined}>
            {title}
          </a>
        ))}
        <a href="/desk/deposits?show=dust" aria-current={wanted === 'dust' ? 'page' : undefined}>
          Dust
        </a>
      </nav>
      <section class="card">
        {list ? (
          <>
            <h2>{list[0]}</h2>
            <Pages
              list={withAccounts(
                listOf('get /deposits', { query: list[1] }),
                ({ accountId }) => accountId ?? undefined,
              )}
            >
              {(rows) => (
                <Records
                  label={list[0]}
                  rows={rows}
                  keyOf={({ id }) => id}
                  columns={[...depositColumns, owner]}
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

/** One deposit that the custodian reported, and what can be done with it. */
export function DepositScreen({ rest: [id = ''] }: Place) {
  const { loaded, reload } = useLoaded(async () => (await operate('get /deposits/{id}', { path: { id } })).deposit);
  return (
    <Shown loaded={loaded}>
      {(deposit) => (
        <>
          <div class="top">
            <h1>
              Deposit of {showAmount(deposit.amount)} {deposit.asset}
            </h1>
            <State of={deposit.status} />
          </div>
          <section class="card">
            {deposit.reason !== null && <p class="notice">{reasons[deposit.reason] ?? inWords(deposit.reason)}</p>}
            <Facts of={describe(deposit)} />
            <details class="plain-details">
              <summary>Id, and place in its transaction</summary>
              <Facts
                of={[
                  ['Id', <code key="id">{deposit.id}</code>],
                  ['Output of the transaction', deposit.outputIndex === null ? null : String(deposit.outputIndex)],
                ]}
              />
            </details>
            <QuarantineSteps deposit={deposit} changed={reload} />
          </section>
        </>
      )}
    </Shown>
  );
}

function describe(deposit: OperatorDeposit): readonly (readonly [string, ComponentChildren])[] {
  const { accountId, creditAccountId, decision } = deposit;
  return [
    ['Amount', `${showAmount(deposit.exactAmount ?? deposit.amount)} ${deposit.asset}`],
    ['Worth', isValued(deposit) ? `${showCents(deposit.usdValue)} USDT` : null],
    ['Network', deposit.network ?? 'inside the exchange'],
    ['Confirmations', `${deposit.confirmations ?? '–'} of ${deposit.confirmationsNeeded ?? '–'}`],
    ['Account', accountId === null ? 'nobody’s' : <AccountLink key="account" id={accountId} />],
    ['Address', <code key="address">{deposit.address ?? '–'}</code>],
    [
      'Transaction',
      deposit.network !== null && deposit.txHash !== null ? (
        <TransactionLink key="tx" network={deposit.network} txHash={deposit.txHash} />
      ) : null,
    ],
    ['First seen', <Time key="ts" iso={deposit.ts} />],
    ['Decided', decision && inWords(decision)],
    ['Credited to', creditAccountId && <AccountLink key="credit" id={creditAccountId} />],
    [
      'Audit',
      <a key="audit" href={`/desk/audit?target=${deposit.id}`}>
        who decided what
      </a>,
    ],
  ];
}

function QuarantineSteps({ deposit, changed }: { readonly deposit: OperatorDeposit; readonly changed: () => void }) {
  const may = useMay();
  const { remedies } = deposit;
  return (
    <>
      {remedies.includes('raise_supply_cap') && (
        <p>
          Raise the supply cap of {deposit.asset} in the <a href="/desk/settings?show=risk">settings</a>: the
          custodian’s next report credits it.
        </p>
      )}
      {may('decide_quarantine') && (
        <div class="steps">
          {remedies.includes('credit') && <CreditIt deposit={deposit} changed={changed} />}
          {remedies.includes('keep') && <KeepIt deposit={deposit} changed={changed} />}
        </div>
      )}
    </>
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
      main
      label="Credit it"
      title={`Credit ${showAmount(amount)} ${asset} to an account`}
      act={() => operate('post /deposits/{id}/credit', { path: { id }, body: { accountId, reason } })}
      done={changed}
    >
      <p>When you know whose it is. This cannot be undone.</p>
      <AccountChoice chosen={account} choose={choose} />
      <ReasonField value={reason} set={setReason} />
      {account && <OldAndNew name="Whose it is" old="nobody’s" next={nameAccount(account)} />}
    </Step>
  );
}

function KeepIt({ deposit: { id, amount, asset }, changed }: StepOf) {
  const [reason, setReason] = useState('');
  return (
    <Step
      label="Keep it"
      title={`Keep ${showAmount(amount)} ${asset}`}
      act={() => operate('post /deposits/{id}/keep', { path: { id }, body: { reason } })}
      done={changed}
    >
      <p>When nobody knows whose it is. It stays in custody, owed to nobody, and can still be credited later.</p>
      <ReasonField value={reason} set={setReason} />
    </Step>
  );
}
