import { useState } from 'preact/hooks';
import { inWords } from '../../format.ts';
import { useLoaded } from '../../load.ts';
import { Choice } from '../../parts/form.tsx';
import { Shown } from '../../parts/notice.tsx';
import { go } from '../../route.ts';
import type { Place } from '../place.ts';
import { operate } from '../operate.ts';
import { type WithAccount, addAccounts, withAccounts } from '../parts/find-accounts.ts';
import { AccountName, State, Time } from '../parts/names.tsx';
import { findAccountOf, nameDeed } from '../parts/deeds.ts';
import { listOf } from '../parts/list.ts';
import { Pages } from '../parts/pages.tsx';
import { Facts, Records } from '../parts/records.tsx';
import { ReasonField, Step } from '../parts/step.tsx';
import { Value } from '../parts/value.tsx';
import type { ExchangeSettings, Proposal } from '../schema.d.ts';
import { useMay, useStaff } from '../staff.ts';
import { ChangedSettings } from './changed-settings.tsx';

const statuses = ['OPEN', 'APPROVED', 'DECLINED', 'EXPIRED'] as const;

/** Changes that wait for a second person, or did. */
export function Proposals({ query }: Place) {
  const status = statuses.find((known) => known === query.get('status')) ?? 'OPEN';
  return (
    <>
      <h1>Proposals</h1>
      <section class="card">
        <p>What matters most needs two people: one proposes by making the change, another approves it here.</p>
        <Choice
          label="State"
          value={status}
          set={(next) => go(`/desk/proposals?status=${next}`)}
          options={statuses.map((known) => [known, inWords(known)] as const)}
        />
        <Pages list={withAccounts(listOf('get /proposals', { query: { status } }), findAccountOf)}>
          {(rows) => (
            <Records
              label="Proposals"
              rows={rows}
              keyOf={({ id }) => id}
              columns={[
                {
                  name: 'Proposal',
                  show: (row) => <a href={`/desk/proposals/${row.id}`}>{nameDeed(row, row.account?.label)}</a>,
                },
                { name: 'Account', show: (row) => showAccount(row) ?? '–' },
                { name: 'By', show: ({ proposedBy }) => proposedBy },
                { name: 'Made', show: ({ proposedAt }) => <Time iso={proposedAt} /> },
                { name: 'Until', show: ({ expiresAt }) => <Time iso={expiresAt} /> },
                { name: 'State', show: (row) => <State of={row.status} /> },
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

async function read(id: string) {
  const [{ proposal }, { settings }] = await Promise.all([
    operate('get /proposals/{id}', { path: { id } }),
    operate('get /settings'),
  ]);
  const [named] = await addAccounts([proposal], findAccountOf);
  return { proposal: named ?? { ...proposal, account: undefined }, settings };
}

/** One proposal, with the whole request, to be approved or declined. */
export function ProposalScreen({ rest: [id = ''] }: Place) {
  const { loaded, reload } = useLoaded(() => read(id));
  return (
    <Shown loaded={loaded}>
      {({ proposal, settings }) => (
        <>
          <div class="top">
            <h1>{nameDeed(proposal, proposal.account?.label)}</h1>
            <State of={proposal.status} />
          </div>
          <section class="card">
            <h2>What was proposed</h2>
            <Body proposal={proposal} settings={settings} />
            <Facts
              of={[
                ['Account', showAccount(proposal)],
                ['Proposed by', proposal.proposedBy],
                ['Made', <Time key="made" iso={proposal.proposedAt} />],
                ['Can be decided until', <Time key="until" iso={proposal.expiresAt} />],
                ['Decided by', proposal.decidedBy],
                ['Why it was declined', proposal.reason],
              ]}
            />
            <details class="plain-details">
              <summary>The request and its digest</summary>
              <Facts
                of={[
                  ['Request', <code key="request">{`${proposal.method} ${proposal.path}`}</code>],
                  ['Digest', <code key="digest">{proposal.digest}</code>],
                ]}
              />
            </details>
            {proposal.status === 'OPEN' && <Decide proposal={proposal} settings={settings} decided={reload} />}
          </section>
        </>
      )}
    </Shown>
  );
}

interface BodyOf {
  readonly proposal: WithAccount<Proposal>;
  readonly settings: ExchangeSettings;
}

/** What the request says; of settings that are still to be changed, beside what they are now. */
function Body({ proposal, settings }: BodyOf) {
  if (proposal.status === 'OPEN' && proposal.path.endsWith('/settings')) {
    return <ChangedSettings change={proposal.body} settings={settings} />;
  }
  const fields = Object.entries(proposal.body);
  if (fields.length === 0) return <p>The request says nothing more.</p>;
  return <Facts of={fields.map(([name, value]) => [inWords(name), <Value key={name} of={value} />])} />;
}

function Decide({ proposal, settings, decided }: BodyOf & { readonly decided: () => void }) {
  const { actor } = useStaff();
  const may = useMay();
  const [reason, setReason] = useState('');
  const { id, digest } = proposal;
  if (!may('decide_proposals')) return <p>Your role decides no proposals.</p>;
  const isOwn = proposal.proposedBy === actor;
  return (
    <>
      {isOwn && <p class="notice">You proposed this. Another person approves it; you can take it back.</p>}
      <div class="steps">
        {!isOwn && (
          <Step
            main
            label="Approve"
            title={nameDeed(proposal, proposal.account?.label)}
            act={() => operate('post /proposals/{id}/approve', { path: { id }, body: { digest } })}
            done={decided}
          >
            <Body proposal={proposal} settings={settings} />
            <p>The change is made at once, in your name and in that of {proposal.proposedBy}.</p>
          </Step>
        )}
        <Step
          danger
          label={isOwn ? 'Take it back' : 'Decline'}
          title={isOwn ? 'Take the proposal back' : 'Decline the proposal'}
          act={() => operate('post /proposals/{id}/decline', { path: { id }, body: { reason } })}
          done={decided}
        >
          <ReasonField value={reason} set={setReason} />
        </Step>
      </div>
    </>
  );
}
