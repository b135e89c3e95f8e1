import { nameEvent, showTime } from '../../format.ts';
import { useLoaded } from '../../load.ts';
import { Dialog } from '../dialog.tsx';
import { Shown } from '../notice.tsx';
import type { Delivery, DeliveryLog } from './endpoint-calls.ts';

type PageOf = (type: string) => string | undefined;

const EVERY_MS = 5_000;

const faults = { timed_out: 'no answer in time', unreachable: 'not reached' } as const;

/** How an attempt ended, in words. */
export function nameOutcome({ outcome, status, fault, durationMs }: Delivery): string {
  const answer = fault === null ? `answered ${status ?? 'nothing'} after ${durationMs} ms` : faults[fault];
  return `${outcome === 'DELIVERED' ? 'taken' : 'not taken'}, ${answer}`;
}

/** The newest attempts of an endpoint, and how far it is. */
export function Deliveries({
  read,
  pageOf,
  close,
}: {
  readonly read: () => Promise<DeliveryLog>;
  readonly pageOf: PageOf;
  readonly close: () => void;
}) {
  const { loaded } = useLoaded(read, EVERY_MS);
  return (
    <Dialog title="Deliveries" close={close}>
      <Shown loaded={loaded}>
        {({ deliveries, setAside, deliveredTo, nextAttemptAt }) => (
          <>
            <p>
              Events up to number {deliveredTo} are done with.
              {nextAttemptAt !== null && ` The next attempt is at ${showTime(nextAttemptAt)}.`}
            </p>
            {setAside.length > 0 && (
              <>
                <h3>Put aside: refused three times while a later one was taken</h3>
                <List rows={setAside} pageOf={pageOf} />
              </>
            )}
            <h3>The newest attempts</h3>
            {deliveries.length === 0 ? <p>There are none yet.</p> : <List rows={deliveries} pageOf={pageOf} />}
          </>
        )}
      </Shown>
    </Dialog>
  );
}

function List({ rows, pageOf }: { readonly rows: readonly Delivery[]; readonly pageOf: PageOf }) {
  return (
    <ul class="plain">
      {rows.map((row) => (
        <li key={`${row.eventId} ${row.at}`}>
          <span title={row.eventId}>
            <a {...({ href: pageOf(row.type) } as object)}>{nameEvent(row.type)}</a>{' '}
            <span class="quiet">No. {/\d+$/.exec(row.eventId)?.[0]}</span>
          </span>
          <span>{nameOutcome(row)}</span>
          <time dateTime={row.at}>{showTime(row.at)}</time>
        </li>
      ))}
    </ul>
  );
}
