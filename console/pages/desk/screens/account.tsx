import { useState } from 'preact/hooks';
import { ask } from '../../ask.ts';
import { showAmount, showCents } from '../../format.ts';
import { useLoaded } from '../../load.ts';
import { TextField } from '../../parts/form.tsx';
import { useHasRoom } from '../../parts/has-room.ts';
import { Shown } from '../../parts/notice.tsx';
import { scrollToCurrent } from '../../parts/scroll-to-current.ts';
import type { Place } from '../place.ts';
import { operate } from '../operate.ts';
import { Back, CopiedId, State, Time } from '../parts/names.tsx';
import { NoRecord } from '../parts/no-record.tsx';
import { Matters } from '../parts/matters.tsx';
import { Facts, Records } from '../parts/records.tsx';
import { ReasonField, Step } from '../parts/step.tsx';
import { useMay } from '../staff.ts';
import { AccountNotes } from './account-notes.tsx';
import { AccountSteps } from './account-steps.tsx';
import { AccountRecords, recordKinds, valueColumn } from './account-records.tsx';
import { AccountSecurity } from './account-security.tsx';
import type { AccountDetail } from '../schema.d.ts';

const views = [
  ['', 'Overview'],
  ...Object.entries(recordKinds).map(([name, { title }]) => [name, title] as const),
  ['security', 'Security'],
] as const;

/** One account whole, a view at a time. */
export function AccountScreen({ rest: [id = '', view = ''], query }: Place) {
  const { loaded, reload } = useLoaded(async () => (await operate('get /accounts/{id}', { path: { id } })).account);
  return (
    <>
      <Back to="/desk/accounts">Accounts</Back>
      <Shown loaded={loaded} title="Account" absent={<NoRecord kind="account" id={id} />}>
        {(account) => (
          <>
            <div class="top">
              <div class="named">
                <h1>{account.label}</h1>
                <State of={account.status} />
              </div>
              <AccountSteps account={account} changed={reload} />
            </div>
            <nav class="tabs" aria-label="Of the account" ref={scrollToCurrent}>
              {views.map(([name, title]) => (
                <a
                  key={name}
                  href={`/desk/accounts/${id}${name && `/${name}`}`}
                  aria-current={name === view ? 'page' : undefined}
                >
                  {title}
                </a>
              ))}
              <a href={`/desk/audit?target=${id}`}>Audit</a>
            </nav>
            {view === '' && <Overview account={account} />}
            {view === 'security' && <AccountSecurity account={account} changed={reload} />}
            {view !== '' && view !== 'security' && <AccountRecords id={id} kind={view} query={query} />}
          </>
        )}
      </Shown>
    </>
  );
}

function Overview({ account }: { readonly account: AccountDetail }) {
  const { id, balances, usdValue, totp } = account;
  // Beside the worth where there is room, else between it and the notes.
  const isWide = useHasRoom(900);
  const limit = <DailyWithdrawals account={account} />;
  return (
    <>
      {totp.lockedUntil !== null && (
        <p class="notice">
          Too many wrong codes: the second factor is locked until <Time iso={totp.lockedUntil} />.
        </p>
      )}
      <UnderWay accountId={id} />
      <div class="split wide-first">
        <section class="card">
          <h2>Worth</h2>
          <p>
            <span class="figure">{showCents(usdValue)}</span> USDT
          </p>
          <Records
            label="Balances"
            rows={balances.filter(({ amount }) => amount !== '0')}
            keyOf={({ asset }) => asset}
            columns={[
              { name: 'Asset', show: ({ asset }) => asset },
              {
                name: 'Amount',
                isNumber: true,
                narrow: 'bare',
                show: ({ amount, asset }) => (
                  <>
                    {showAmount(amount)}
                    <span class="narrow"> {asset}</span>
                  </>
                ),
              },
              valueColumn,
            ]}
            empty="The account holds nothing yet. A deposit or a credit appears here."
          />
        </section>
        {!isWide && limit}
        <AccountNotes accountId={id} />
        <div class="aside">
          {isWide && limit}
          <HolderCard account={account} />
          <section class="card">
            <h2>The account</h2>
            <Facts
              of={[
                ['Opened', <Time key="opened" iso={account.createdAt} />],
                ['Your id', account.externalId],
                ['Id', <CopiedId key="id" id={id} />],
              ]}
            />
          </section>
        </div>
      </div>
    </>
  );
}

/** More withdrawals under way than this are not counted. */
const MOST_COUNTED = 20;

function count(rows: readonly unknown[], one: string, several: string): readonly string[] {
  if (rows.length === 0) return [];
  return [rows.length === 1 ? `1 ${one}` : `${rows.length}${rows.length < MOST_COUNTED ? '' : ' or more'} ${several}`];
}

/** The withdrawals of an account that have no end yet, in a line; nothing where there are none. */
function UnderWay({ accountId }: { readonly accountId: string }) {
  const { loaded } = useLoaded(async () => {
    const read = async (status: 'PENDING' | 'PROCESSING') =>
      (
        await operate('get /accounts/{id}/withdrawals', {
          path: { id: accountId },
          query: { status, limit: MOST_COUNTED },
        })
      ).withdrawals;
    const [held, sent] = await Promise.all([read('PENDING'), read('PROCESSING')]);
    return [
      ...count(held, 'waits for a review', 'wait for a review'),
      ...count(sent, 'is being sent', 'are being sent'),
    ];
  });
  if (loaded.state !== 'here' || loaded.value.length === 0) return null;
  const what = `Withdrawals: ${loaded.value.join(', ')}`;
  return (
    <Matters
      label="What is under way"
      of={[{ what, step: <a href={`/desk/accounts/${accountId}/withdrawals`}>See them</a> }]}
    />
  );
}

/** How much of a day's limit is used, as a bar and in words. */
function DailyWithdrawals({ account }: { readonly account: AccountDetail }) {
  const { limit, used, remaining } = account.dailyWithdrawals;
  return (
    <section class="card">
      <h2>Daily withdrawal limit</h2>
      <p>
        <strong>{Number(remaining) === 0 ? 'Nothing' : `${showCents(remaining, 'down')} USDT`}</strong> may be withdrawn
        now.
      </p>
      <progress max={Number(limit) || 1} value={Number(used)} aria-label="Used of the daily limit" />
      <p class="quiet">
        {showCents(used)} of {showAmount(limit)} USDT used in the last 24 hours, including withdrawals on their way.
      </p>
    </section>
  );
}

async function readHolder(accountId: string) {
  const [{ holder }, { entries }] = await Promise.all([
    ask<{ holder: { email: string } | null }>('GET', `/desk/holders/${encodeURIComponent(accountId)}`),
    operate('get /audit', { query: { target: accountId, action: 'invite_holder', limit: 1 } }),
  ]);
  return { holder, invited: entries[0] };
}

/** Who signs in for the account, and inviting somebody who does. */
function HolderCard({ account: { id: accountId, totp } }: { readonly account: AccountDetail }) {
  const { loaded, reload } = useLoaded(() => readHolder(accountId));
  const may = useMay();
  return (
    <section class="card">
      <h2>Holder</h2>
      <Shown loaded={loaded}>
        {({ holder, invited }) =>
          holder ? (
            <>
              <p>
                <strong class="breaks">{holder.email}</strong> signs in for this account.
              </p>
              <p>
                <State
                  of={totp.enabled ? 'ok' : 'unknown'}
                  words={`Two-factor authentication is ${totp.enabled ? 'on' : 'off'}`}
                />
              </p>
              {may('recover_accounts') && (
                <div class="steps">
                  <AllowRecovery accountId={accountId} email={holder.email} />
                </div>
              )}
            </>
          ) : (
            <>
              {invited ? (
                <p role="status">
                  <strong class="breaks">{String(invited.detail['email'])}</strong> was invited on{' '}
                  <Time iso={invited.ts} />, and has not signed in yet. An invitation is good for 72 hours.
                </p>
              ) : (
                <p>Nobody signs in for this account in the console: programs use it with API keys.</p>
              )}
              {may('open_accounts') && (
                <div class="steps">
                  <Invite accountId={accountId} isAgain={invited !== undefined} changed={reload} />
                </div>
              )}
            </>
          )
        }
      </Shown>
    </section>
  );
}

/** Invites somebody by e-mail to become the holder. */
function Invite({
  accountId,
  isAgain,
  changed,
}: {
  readonly accountId: string;
  readonly isAgain: boolean;
  readonly changed: () => void;
}) {
  const [email, setEmail] = useState('');
  const invite = () => operate('post /accounts/{id}/invitation', { path: { id: accountId }, body: { email } });
  const done = () => {
    setEmail('');
    changed();
  };
  return (
    <Step label={isAgain ? 'Invite again' : 'Invite a holder'} title="Invite a holder" act={invite} done={done}>
      <p>
        Whoever opens the link that is mailed to this address within 72 hours signs in for the account, for good. If it
        ever had a key, a balance, a deposit or a second factor, a second person must approve.
      </p>
      <TextField label="E-mail of the holder" type="email" required value={email} set={setEmail} />
    </Step>
  );
}

/** Lets a holder back in who has lost everything but the mailbox. */
function AllowRecovery({ accountId, email }: { readonly accountId: string; readonly email: string }) {
  const [reason, setReason] = useState('');
  const [until, setUntil] = useState<string>();
  const allow = async () => {
    const answer = await operate('post /accounts/{id}/recovery', { path: { id: accountId }, body: { reason } });
    if ('recovery' in answer) setUntil(answer.recovery.allowedUntil);
    return answer;
  };
  return (
    <>
      <Step
        needsTwo="always"
        label="Allow a recovery"
        title={`Let ${email} recover the account`}
        act={allow}
        done={() => setReason('')}
      >
        <p>
          For a holder who lost the passkeys, the second factor and the recovery codes, once you know who they are. They
          sign in by a link within 72 hours; the account then withdraws nothing for 24 hours.
        </p>
        <ReasonField value={reason} set={setReason} />
      </Step>
      {until !== undefined && (
        <p class="notice" role="status">
          The holder can use it until <Time iso={until} />.
        </p>
      )}
    </>
  );
}
