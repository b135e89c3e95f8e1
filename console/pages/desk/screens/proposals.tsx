import { useState } from 'preact/hooks';
import { inWords, showSum, showTime } from '../../format.ts';
import { useLoaded } from '../../load.ts';
import { Choice } from '../../parts/form.tsx';
import { Shown } from '../../parts/notice.tsx';
import { go } from '../../route.ts';
import type { Place } from '../place.ts';
import { operate } from '../operate.ts';
import type { WithAccount } from '../parts/find-accounts.ts';
import { AccountLink, AccountName, Back, CopiedAddress, State, Time, Whole } from '../parts/names.tsx';
import { NoRecord } from '../parts/no-record.tsx';
import { FOR_GOOD, findAccountOf, tellEffect } from '../parts/deeds.ts';
import { type NamedProposal, nameProposals, tellProposal } from '../parts/named-record.ts';
import { type List, listOf } from '../parts/list.ts';
import { Pages } from '../parts/pages.tsx';
import { Facts, Records } from '../parts/records.tsx';
import { settingNames } from '../parts/setting-names.ts';
import { OldAndNew, ReasonField, Step } from '../parts/step.tsx';
import { Value } from '../parts/value.tsx';
import type { ExchangeSettings, HolderNotice, Proposal, StaffMember } from '../schema.d.ts';
import { readStaff, useMay, useStaff } from '../staff.ts';
import { ChangedSettings } from './changed-settings.tsx';

/** The proposals of a state, with what they are about. */
function listProposals(status: Proposal['status']): List<NamedProposal> {
  const list = listOf('get /proposals', { query: { status } });
  const read = async (cursor: string | undefined) => {
    const { rows, nextCursor } = await list.read(cursor);
    return { rows: await nameProposals(rows), nextCursor };
  };
  return { ...list, read };
}

const statuses = ['OPEN', 'APPROVED', 'DECLINED', 'EXPIRED'] as const;

/** Changes that wait for a second person, or did. */
export function Proposals({ query }: Place) {
  const status = statuses.find((known) => known === query.get('status')) ?? 'OPEN';
  const { actor } = useStaff();
  const may = useMay();
  const isOwn = ({ proposedBy }: Proposal) => proposedBy === actor;
  const isToDecide = (row: Proposal) => status === 'OPEN' && !isOwn(row) && may('decide_proposals');
  /** Those that wait for the reader come first, and of them the newest. */
  const sort = (rows: readonly NamedProposal[]) =>
    status === 'OPEN'
      ? rows.toSorted(
          (a, b) => Number(isOwn(a)) - Number(isOwn(b)) || Date.parse(b.proposedAt) - Date.parse(a.proposedAt),
        )
      : rows;
  return (
    <>
      <h1>Proposals</h1>
      <section class="card">
        <div class="top">
          <p>Sensitive changes need two people: one proposes a change, and another approves it here.</p>
          <div class="filters">
            <Choice
              label="State"
              value={status}
              set={(next) => go(`/desk/proposals?status=${next}`)}
              options={statuses.map((known) => [known, inWords(known)] as const)}
            />
          </div>
        </div>
        <Pages list={listProposals(status)}>
          {(rows) => (
            <Records
              label="Proposals"
              rows={sort(rows)}
              keyOf={({ id }) => id}
              columns={[
                {
                  name: 'Proposal',
                  show: (row) => (
                    <>
                      <a class="breaks" href={`/desk/proposals/${row.id}`}>
                        {tellProposal(row)}
                      </a>
                      <small class="below">
                        by {isOwn(row) ? 'you' : row.proposedBy}
                        {isToDecide(row) && ', for you to decide'}
                      </small>
                    </>
                  ),
                },
                ...(status === 'OPEN'
                  ? []
                  : [
                      {
                        name: 'Decided by',
                        show: ({ decidedBy }: Proposal) => decidedBy ?? <span class="dim">nobody</span>,
                      },
                    ]),
                { name: 'Account', show: showAccount },
                { name: 'Made', show: ({ proposedAt }) => <Time iso={proposedAt} /> },
                {
                  name: status === 'EXPIRED' ? 'Expired' : 'Expires',
                  show: ({ expiresAt }) => <Time iso={expiresAt} />,
                },
              ]}
              empty={status === 'OPEN' ? 'Nothing waits for a second person.' : `None is ${status.toLowerCase()}.`}
            />
          )}
        </Pages>
      </section>
    </>
  );
}

/** The account that is to be changed; `null` where none is. */
function showAccount(proposal: WithAccount<Proposal>) {
  const id = findAccountOf(proposal);
  return id === undefined ? null : <AccountName id={id} account={proposal.account} />;
}

async function readProposal(id: string) {
  const [{ proposal }, { settings }, staff] = await Promise.all([
    operate('get /proposals/{id}', { path: { id } }),
    operate('get /settings'),
    readStaff(),
  ]);
  const [known] = await nameProposals([proposal]);
  return { proposal: known ?? { ...proposal, account: undefined, record: undefined }, settings, staff };
}

/** One proposal, with the whole request, to be approved or declined. */
export function ProposalScreen({ rest: [id = ''] }: Place) {
  const { loaded, reload } = useLoaded(() => readProposal(id));
  return (
    <>
      <Back to="/desk/proposals">Proposals</Back>
      <Shown loaded={loaded} title="Proposal" absent={<NoRecord kind="proposal" id={id} />}>
        {({ proposal, ...known }) => (
          <>
            <div class="named">
              <h1>{tellProposal(proposal)}</h1>
              <State of={proposal.status} />
            </div>
            {proposal.status === 'OPEN' && <Decide {...known} proposal={proposal} decided={reload} />}
            <div class="split wide-first">
              <section class="card">
                <h2>What was proposed</h2>
                <Body {...known} proposal={proposal} />
              </section>
              <section class="card aside">
                <h2>The proposal</h2>
                <Facts
                  of={[
                    ['By', <Whole key="by">{proposal.proposedBy}</Whole>],
                    ['Made', <Time key="made" iso={proposal.proposedAt} />],
                    ['Open until', proposal.decidedAt === null ? <Time key="until" iso={proposal.expiresAt} /> : null],
                    ['Decided by', proposal.decidedBy && <Whole key="decided">{proposal.decidedBy}</Whole>],
                    ['Decided', proposal.decidedAt && <Time key="at" iso={proposal.decidedAt} />],
                    ['Why it was declined', proposal.reason],
                  ]}
                />
                <details class="plain-details">
                  <summary>The request and its digest</summary>
                  <p class="breaks">
                    <code>{`${proposal.method} ${proposal.path}`}</code>
                  </p>
                  <p class="breaks">
                    <code>{proposal.digest}</code>
                  </p>
                </details>
              </section>
            </div>
          </>
        )}
      </Shown>
    </>
  );
}

interface BodyOf {
  readonly proposal: NamedProposal;
  readonly settings: ExchangeSettings;
  readonly staff: readonly StaffMember[];
}

/** Fields of requests whose names say something else in words. */
const fieldNames: Readonly<Record<string, string>> = {
  ...settingNames,
  email: 'E-mail',
  usdt: 'For, in USDT',
  txHash: 'Transaction',
  venueReference: 'The venue’s name of it',
};

const nameField = (name: string) => fieldNames[name] ?? inWords(name);

const hasSum = (value: unknown): value is { readonly asset: string; readonly amount: string } =>
  typeof value === 'object' && value !== null && 'asset' in value && 'amount' in value;

const isNotice = (value: unknown): value is NonNullable<HolderNotice> =>
  typeof value === 'object' && value !== null && 'text' in value && 'until' in value;

/** What a field of a request says: an account is a link, and an amount has its coin. */
function showField(name: string, value: unknown, { asset }: Proposal['body']) {
  if (name.toLowerCase().endsWith('accountid') && typeof value === 'string') return <AccountLink id={value} />;
  if (hasSum(value)) return showSum(value.amount, value.asset);
  if (isNotice(value)) return `${value.text} From ${showTime(value.from)} until ${showTime(value.until)}.`;
  return (
    <>
      <Value of={value} /> {name === 'amount' && asset !== undefined && <Value of={asset} />}
    </>
  );
}

/** What the request says, and of what it is about; what is still to be changed, beside what it is now, and what then happens. */
function Body({ proposal, settings, staff }: BodyOf) {
  const { status, path, body, account, record } = proposal;
  const { reason: _reason, ...change } = body;
  const isOpen = status === 'OPEN';
  const effect = tellEffect(proposal);
  const isOfSettings = isOpen && path.endsWith('/settings');
  const email = /\/staff\/(.+)$/.exec(path)?.[1];
  const member = email !== undefined && staff.find((one) => one.email === decodeURIComponent(email));
  const before: Readonly<Record<string, unknown>> = !isOpen
    ? {}
    : email === undefined
      ? { dailyWithdrawalLimit: account?.dailyWithdrawalLimit, status: account?.status }
      : { roles: member ? member.roles : [] };
  const [changes, says] = [true, false].map((isChange) =>
    Object.entries(body).filter(
      ([name]) =>
        name !== 'accountId' &&
        // The title says it.
        !(name === 'outcome' && path.endsWith('/settle')) &&
        !(isOfSettings && name !== 'reason') &&
        (before[name] !== undefined) === isChange,
    ),
  );
  return (
    <>
      {isOfSettings && <ChangedSettings change={change} settings={settings} />}
      {changes?.map(([name, value]) => (
        <OldAndNew key={name} name={nameField(name)} old={<Value of={before[name]} />} next={<Value of={value} />} />
      ))}
      <Facts
        of={[
          [
            'Record',
            record ? (
              <a key="record" href={record.path}>
                {record.name}
              </a>
            ) : null,
          ],
          ['Account', showAccount(proposal)],
          ['State', record?.status === undefined ? null : <State key="state" of={record.status} />],
          ...(record?.facts ?? []),
          ...(says ?? []).map(([name, value]) => [nameField(name), showField(name, value, body)] as const),
          ['To', record?.address ? <CopiedAddress key="to" address={record.address} /> : null],
        ]}
      />
      {isOpen && (
        <div class="effect">
          <h3>What happens when it is approved</h3>
          <p>{effect.replace(FOR_GOOD, '')} The change is made at once, and the audit names both people.</p>
          {effect.endsWith(FOR_GOOD) && <p class="notice warn">{FOR_GOOD}</p>}
        </div>
      )}
    </>
  );
}

/** How the reader decides a proposal, and why they cannot approve it, where they cannot. */
function Decide({ decided, ...known }: BodyOf & { readonly decided: () => void }) {
  const { actor } = useStaff();
  const may = useMay();
  const [reason, setReason] = useState('');
  const { proposal } = known;
  const { id, digest } = proposal;
  if (!may('decide_proposals')) return <p class="notice">Your role decides no proposals.</p>;
  const isOwn = proposal.proposedBy === actor;
  return (
    <div class="notice top">
      <p>{isOwn ? 'You proposed this. Another person has to approve it.' : `${proposal.proposedBy} proposed this.`}</p>
      <div class="steps">
        {!isOwn && (
          <Step
            main
            label="Approve"
            title={tellProposal(proposal)}
            act={() => operate('post /proposals/{id}/approve', { path: { id }, body: { digest } })}
            done={decided}
          >
            <Body {...known} />
          </Step>
        )}
        <Step
          danger={!isOwn}
          label={isOwn ? 'Take it back' : 'Decline'}
          title={isOwn ? 'Take the proposal back' : 'Decline the proposal'}
          act={() => operate('post /proposals/{id}/decline', { path: { id }, body: { reason } })}
          done={decided}
        >
          <ReasonField value={reason} set={setReason} />
        </Step>
      </div>
    </div>
  );
}
