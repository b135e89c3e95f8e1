import { useState } from 'preact/hooks';
import type { Withdrawal } from '../../../clients/bureau-client/src/operations.ts';
import { api } from '../api.ts';
import { ask } from '../ask.ts';
import { shorten, showCoins, showRecent } from '../format.ts';
import { timeOf } from '../describe-network.ts';
import { useLoaded } from '../load.ts';
import { nameAlone, nameNetwork } from '../networks.ts';
import { Checklist } from '../parts/checklist.tsx';
import { Badge } from '../parts/coin.tsx';
import { MailLink } from '../parts/mail-link.tsx';
import { None } from '../parts/none.tsx';
import { Shown } from '../parts/notice.tsx';
import { Pill } from '../parts/pill.tsx';
import { useSignedIn } from '../parts/session.ts';
import { TransactionLink } from '../parts/transaction-link.tsx';
import { reasonsOf, statesOf } from '../withdrawal-states.ts';
import { type Draft, type Entry, WithdrawalForm } from './withdraw/withdrawal-form.tsx';
import { Review } from './withdraw/review.tsx';

const EVERY_MS = 5_000;

async function read() {
  const [{ assets }, { balances }, { tickers }, { entries }] = await Promise.all([
    api.listAssets(),
    api.listBalances(),
    api.listTickers(),
    ask<{ entries: Entry[] }>('GET', '/account/addresses'),
  ]);
  return { assets, balances, tickers, entries };
}

/** Sending coins out, which is looked over once more before it is done, and what became of earlier withdrawals. */
export function Withdraw() {
  const { session, account, reload: reloadAccount } = useSignedIn();
  const { loaded, reload } = useLoaded(read);
  const past = useLoaded(() => api.listWithdrawals({ limit: 20 }), EVERY_MS);
  const [draft, setDraft] = useState<Draft>();
  const [isReviewed, setReviewed] = useState(false);
  const [sent, setSent] = useState<Withdrawal>();
  const entries = loaded.state === 'here' ? loaded.value.entries : [];
  /** The name under which an address was approved. */
  const nameOf = ({ network, address }: Withdrawal) =>
    entries.find((entry) => entry.network === network && entry.address === address)?.label;
  const done = (withdrawal: Withdrawal) => {
    setSent(withdrawal);
    setDraft(undefined);
    setReviewed(false);
    past.reload();
    reload();
    reloadAccount();
  };
  // Nothing else is to be read then.
  if (account.totp.enabled && draft && isReviewed)
    return <Review draft={draft} back={() => setReviewed(false)} sent={done} />;
  return (
    <div class="split">
      <div>
        {sent && (
          <p class="notice good" role="status">
            {showCoins(sent.amount, sent.asset)} over {nameNetwork(sent.network)}:{' '}
            {statesOf[sent.status][0].toLowerCase()}. A mail about it is on its way to you.
          </p>
        )}
        {past.loaded.state === 'here' && <Rejected rows={past.loaded.value.withdrawals} />}
        {!account.totp.enabled && <Before hasPasskey={session.passkeys > 0} />}
        {account.totp.enabled && (
          <Shown loaded={loaded}>
            {(known) => (
              <WithdrawalForm
                {...known}
                draft={draft}
                reviewed={(written) => {
                  setDraft(written);
                  setReviewed(true);
                  setSent(undefined);
                }}
              />
            )}
          </Shown>
        )}
      </div>
      <section class="card" id="withdrawals">
        <h2>Your withdrawals</h2>
        <Shown loaded={past.loaded}>
          {({ withdrawals }) =>
            withdrawals.length === 0 ? (
              <None title="No withdrawals yet">Yours appear here as soon as you send them.</None>
            ) : (
              <ul class="plain">
                {withdrawals.map((row) => (
                  <Row key={row.id} row={row} name={nameOf(row)} />
                ))}
              </ul>
            )
          }
        </Shown>
      </section>
    </div>
  );
}

const DAY_MS = 86_400_000;

/** On a telephone, what was rejected within a day: its row is far below. */
function Rejected({ rows }: { readonly rows: readonly Withdrawal[] }) {
  const rejected = rows.filter(({ reason, ts }) => reason === 'rejected' && Date.now() - Date.parse(ts) < DAY_MS);
  const [one, ...others] = rejected;
  if (!one) return null;
  return (
    <p class="notice warn on-telephone">
      {others.length > 0
        ? `${rejected.length} of your withdrawals were rejected.`
        : `Your withdrawal of ${showCoins(one.amount, one.asset)} was rejected.`}{' '}
      The coins are back in your balance. <a href="#withdrawals">See why</a>
    </p>
  );
}

/** What has to be there before the console sends anything out. */
function Before({ hasPasskey }: { readonly hasPasskey: boolean }) {
  const steps = [
    { isDone: hasPasskey, name: 'Add a passkey', why: 'You confirm each withdrawal with it.' },
    {
      isDone: false,
      name: 'Switch on two-factor authentication',
      why: 'Each withdrawal asks for a code from your authenticator app.',
    },
  ];
  const next = steps.find(({ isDone }) => !isDone);
  return (
    <section class="card">
      <h2>Before you withdraw</h2>
      <Checklist steps={steps.map((step) => ({ ...step, path: step === next ? '/security' : undefined }))} />
    </section>
  );
}

function Row({ row, name }: { readonly row: Withdrawal; readonly name: string | undefined }) {
  const [state, meaning] = statesOf[row.status];
  return (
    <li class="item">
      <Badge asset={row.asset} />
      <div class="what">
        <div class="title">
          <strong>{showCoins(row.amount, row.asset)}</strong>
          <Pill status={row.status} words={row.reason === 'rejected' ? 'Rejected' : state} />
        </div>
        <p title={row.address}>
          to {name ?? <code class="short">{shorten(row.address)}</code>} on {nameAlone(row.network)}
        </p>
        <p class="quiet">
          <time dateTime={row.ts}>{showRecent(row.ts)}</time>
          {row.txHash !== null && (
            <>
              , <TransactionLink network={row.network} txHash={row.txHash} />
            </>
          )}
        </p>
        {row.status === 'PROCESSING' && <p class="quiet">It arrives in about {timeOf(row.network)}.</p>}
        {row.note !== null && <p class="breaks">The exchange says: “{row.note}”</p>}
        {meaning !== '' && (
          <p class="quiet">
            {row.reason != null && row.note === null && `${reasonsOf[row.reason]} `}
            {meaning}
          </p>
        )}
        {row.reason === 'rejected' && (
          <p class="quiet">
            <MailLink words={row.note === null ? 'Ask why by mail' : 'Answer by mail'} about={`Withdrawal ${row.id}`} />
          </p>
        )}
      </div>
    </li>
  );
}
