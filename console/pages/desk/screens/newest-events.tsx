import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { inWords, showSum } from '../../format.ts';
import { useLoaded } from '../../load.ts';
import { Choice } from '../../parts/form.tsx';
import { useHasRoom } from '../../parts/has-room.ts';
import { Shown } from '../../parts/notice.tsx';
import { go } from '../../route.ts';
import { operate } from '../operate.ts';
import { type AccountOfHolder, addAccounts } from '../parts/find-accounts.ts';
import { nameEntries } from '../parts/named-entry.ts';
import { AccountName, Clock, ShortId, State, SubjectLink, nameDay } from '../parts/names.tsx';
import { useOpenRows } from '../parts/open-rows.tsx';
import { Records } from '../parts/records.tsx';
import { Value } from '../parts/value.tsx';
import type { OperatorEvent } from '../schema.d.ts';

/** So many are read, and of the chosen kind so many of them shown. */
const READ = 200;
const SHOWN = 50;

const kinds = [
  ['money', 'Payments'],
  ['audit', 'Changes'],
  ['', 'Everything'],
] as const;

type Kind = (typeof kinds)[number][0];

function isOf(kind: Kind, { type }: OperatorEvent): boolean {
  return kind === '' || (kind === 'audit') === (type === 'audit.added');
}

/** The newest events of the operator's feed in a ledger, the first one unless it is named. */
export function NewestEvents({ ledger }: { readonly ledger: string }) {
  const [kind, setKind] = useState<Kind>('money');
  const [turn, setTurn] = useState(0);
  const { loaded } = useLoaded(async () => (await operate('get /reconciliation')).reconciliation.ledgers);
  const ledgers = loaded.state === 'here' ? loaded.value.map((one) => String(one.ledger)) : [];
  return (
    <section class="card log events">
      <div class="top">
        <h2>{kinds.find(([known]) => known === kind)?.[1]}</h2>
        <div class="filters">
          <Choice label="Show" value={kind} set={setKind} options={kinds} />
          {ledgers.length > 1 && (
            <Choice
              label="Ledger"
              value={ledger || '0'}
              set={(next) => go(`/desk/events?ledger=${next}`)}
              options={ledgers.map((one) => [one, one] as const)}
            />
          )}
          <button type="button" onClick={() => setTurn((known) => known + 1)}>
            Refresh
          </button>
        </div>
      </div>
      <Newest key={`${kind} ${turn}`} kind={kind} ledger={ledger} />
    </section>
  );
}

function Newest({ kind, ledger }: { readonly kind: Kind; readonly ledger: string }) {
  const { loaded } = useLoaded(() => readNewest(kind, ledger));
  const { isOpen, details } = useOpenRows<ToldEvent>(({ event }) => event.id);
  return (
    <Shown loaded={loaded}>
      {(events) => (
        <>
          <Records
            label="The newest events"
            rows={events}
            keyOf={({ event }) => event.id}
            groupOf={({ event }) => nameDay(event.timestamp)}
            columns={[
              { name: 'Time', show: ({ event }) => <Clock iso={event.timestamp} /> },
              {
                name: 'What',
                show: (row) => (
                  <span class="details">
                    {row.what}
                    {isOpen(row) && <Sent event={row.event} />}
                  </span>
                ),
              },
              { name: 'About', show: ({ about }) => about },
              details,
            ]}
            empty={`Of the newest ${READ} events none is about this.`}
          />
          {events.length === SHOWN && <p class="quiet">These are the newest {SHOWN}.</p>}
        </>
      )}
    </Shown>
  );
}

/** An event as it is sent: its place in the feed, its type and id, and all that is in it. */
function Sent({ event: { sequence, type, id, data } }: { readonly event: OperatorEvent }) {
  return (
    <span class="stored">
      <small>
        Number {sequence} of the feed: {type}, with the id {id}
        {Object.values<object>(data).flatMap((sent) =>
          Object.entries(sent).map(([name, value]) => (
            <span key={name}>
              {' · '}
              {name} <Value of={value} />
            </span>
          )),
        )}
      </small>
    </span>
  );
}

interface ToldEvent {
  readonly event: OperatorEvent;
  readonly what: ComponentChildren;
  readonly about: ComponentChildren;
}

/** The newest events of a ledger, newest first, in words. The feed is read forwards, so the first read asks where it ends. */
async function readNewest(kind: Kind, ledger: string): Promise<readonly ToldEvent[]> {
  const of = ledger === '' ? {} : { ledger: Number(ledger) };
  const { since, newest } = await operate('get /events', { query: { ...of, limit: 1 } });
  const after = Math.max(since, newest - READ);
  const { events } = await operate('get /events', { query: { ...of, after, limit: READ } });
  const wanted = events
    .toReversed()
    .filter((event) => isOf(kind, event))
    .slice(0, SHOWN);
  const entries = wanted.flatMap(({ data }) => ('entry' in data ? [data.entry] : []));
  const [named, rows] = await Promise.all([nameEntries(entries), addAccounts(wanted, findAccountOf)]);
  return rows.map(({ account, ...event }, at) => {
    const { data } = event;
    const isDone = rows.slice(0, at).some((later) => idOf(later) === idOf(event));
    const entry = 'entry' in data && named.find((known) => known.entry.id === data.entry.id);
    if (!entry) return { event, ...tellMoney(event, account, isDone) };
    return {
      event,
      what: (
        <>
          <strong>{entry.who}</strong> {entry.did}
        </>
      ),
      about: <SubjectLink subject={entry.subject} />,
    };
  });
}

function findAccountOf({ data }: OperatorEvent): string | undefined {
  if ('withdrawal' in data) return data.withdrawal.accountId;
  return ('deposit' in data && (data.deposit.creditAccountId ?? data.deposit.accountId)) || undefined;
}

/** What has become of a deposit or a withdrawal. */
const states: Readonly<Record<string, string>> = {
  'deposit.pending': 'waits for confirmations',
  'deposit.completed': 'was credited',
  'deposit.failed': 'failed',
  'deposit.quarantined': 'went into quarantine',
  'withdrawal.pending': 'waits for a review',
  'withdrawal.processing': 'went to the custodian',
  'withdrawal.completed': 'was paid',
  'withdrawal.failed': 'was not paid, and its money is back',
  'endpoint.disabled': 'was switched off',
  'endpoint.test': 'was tested',
};

/** Of what needs somebody of the staff. */
const forStaff = ['deposit.quarantined', 'withdrawal.pending'];

/** The deposit or the withdrawal of an event, with the way to it. */
function findRecordOf({ data }: OperatorEvent) {
  if ('withdrawal' in data) {
    const { id, accountId } = data.withdrawal;
    return { kind: 'Withdrawal', path: `/desk/withdrawals/${accountId}/${id}`, ...data.withdrawal };
  }
  return 'deposit' in data && { kind: 'Deposit', path: `/desk/deposits/${data.deposit.id}`, ...data.deposit };
}

/** The account of an event. On a telephone it is no second link beside that to the record, which leads there. */
function AccountOfEvent({ id, account }: { readonly id: string; readonly account: AccountOfHolder | undefined }) {
  const isWide = useHasRoom(760);
  return isWide ? <AccountName id={id} account={account} /> : <span>{account?.label ?? <ShortId id={id} />}</span>;
}

const idOf = (event: OperatorEvent) => (findRecordOf(event) || event).id;

/** `isDone` of a step after which others came. */
function tellMoney(
  event: OperatorEvent,
  account: AccountOfHolder | undefined,
  isDone: boolean,
): Omit<ToldEvent, 'event'> {
  const record = findRecordOf(event);
  const state = states[event.type] ?? inWords(event.type);
  if (!record) {
    const url = 'webhookEndpoint' in event.data ? event.data.webhookEndpoint.url : '';
    return { what: `An endpoint ${state}`, about: <span class="breaks">{url}</span> };
  }
  const { kind, path, id, amount, asset } = record;
  const accountId = findAccountOf(event);
  return {
    what: (
      <>
        <a href={path}>
          {kind} of {showSum(amount, asset)}
        </a>{' '}
        <small class="quiet">
          <ShortId id={id} />
        </small>{' '}
        {forStaff.includes(event.type) && !isDone ? <State of="PENDING" words={state} /> : state}
      </>
    ),
    about:
      accountId === undefined ? (
        <span class="quiet">No account yet</span>
      ) : (
        <AccountOfEvent id={accountId} account={account} />
      ),
  };
}
