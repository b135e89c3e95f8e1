import { useState } from 'preact/hooks';
import { nameEvent, showAmount } from '../../format.ts';
import { useLoaded } from '../../load.ts';
import { Choice, TextField } from '../../parts/form.tsx';
import { Shown } from '../../parts/notice.tsx';
import { go } from '../../route.ts';
import { operate } from '../operate.ts';
import { tellEntry } from '../parts/audit-sentence.ts';
import { ShortId, Time } from '../parts/names.tsx';
import { Records } from '../parts/records.tsx';
import type { OperatorEvent } from '../schema.d.ts';

/** So many are read, and those of the chosen kind shown. */
const SHOWN = 200;

const kinds = [
  ['money', 'deposits and withdrawals'],
  ['audit', 'what the staff did'],
  ['', 'everything'],
] as const;

type Kind = (typeof kinds)[number][0];

function isOf(kind: Kind, { type }: OperatorEvent): boolean {
  return kind === '' || (kind === 'audit') === (type === 'audit.added');
}

/** The newest events of the operator's feed in a ledger, the first one unless it is named. */
export function NewestEvents({ ledger }: { readonly ledger: string }) {
  const [wanted, setWanted] = useState(ledger);
  const [kind, setKind] = useState<Kind>('money');
  const { loaded, reload } = useLoaded(() => readNewest(ledger));
  const find = (event: Event) => {
    event.preventDefault();
    if (wanted === ledger) reload();
    else go(`/desk/events${wanted === '' ? '' : `?ledger=${wanted}`}`);
  };
  return (
    <section class="card">
      <h2>The newest events</h2>
      <form class="filters" onSubmit={find}>
        <Choice label="Show" value={kind} set={setKind} options={kinds} />
        <TextField
          label="Ledger (empty: the first)"
          inputMode="numeric"
          pattern="\d{1,4}"
          value={wanted}
          set={setWanted}
        />
        <button type="submit">Read again</button>
      </form>
      <Shown loaded={loaded}>
        {(events) => (
          <Records
            label="The newest events"
            rows={events.filter((event) => isOf(kind, event))}
            keyOf={({ id }) => id}
            columns={[
              { name: 'What', show: (event) => tellEvent(event) },
              { name: 'Of', show: (event) => <Subject event={event} /> },
              { name: 'When', show: ({ timestamp }) => <Time iso={timestamp} /> },
              { name: 'Number', isNumber: true, show: ({ sequence }) => sequence },
            ]}
            empty={`Of the newest ${SHOWN} events none is about this.`}
          />
        )}
      </Shown>
    </section>
  );
}

/** The newest events of a ledger, newest first. The feed is read forwards, so the first read asks where it ends. */
async function readNewest(ledger: string): Promise<readonly OperatorEvent[]> {
  const of = ledger === '' ? {} : { ledger: Number(ledger) };
  const { since, newest } = await operate('get /events', { query: { ...of, limit: 1 } });
  const after = Math.max(since, newest - SHOWN);
  const { events } = await operate('get /events', { query: { ...of, after, limit: SHOWN } });
  return events.toReversed();
}

/** What happened, in a sentence. */
function tellEvent({ type, data }: OperatorEvent): string {
  return 'entry' in data ? tellEntry(data.entry).join(' ') : nameEvent(type);
}

/** What an event is about, with the way to it. */
function Subject({ event: { data } }: { readonly event: OperatorEvent }) {
  if ('entry' in data) {
    const { target } = data.entry;
    return (
      <a href={`/desk/audit?target=${encodeURIComponent(target)}`}>
        <ShortId id={target} />
      </a>
    );
  }
  if ('deposit' in data) {
    const { id, amount, asset } = data.deposit;
    return (
      <a href={`/desk/deposits/${id}`}>
        {showAmount(amount)} {asset}
      </a>
    );
  }
  if ('withdrawal' in data) {
    const { id, accountId, amount, asset } = data.withdrawal;
    return (
      <a href={`/desk/withdrawals/${accountId}/${id}`}>
        {showAmount(amount)} {asset}
      </a>
    );
  }
  return <span class="breaks">{data.webhookEndpoint.url}</span>;
}
