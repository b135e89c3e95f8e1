import type { ComponentChildren } from 'preact';
import { nameEvent, showTime } from '../../format.ts';
import { useLoaded } from '../../load.ts';
import { Dialog } from '../dialog.tsx';
import { Shown } from '../notice.tsx';
import { Pill } from '../pill.tsx';
import { type Delivery, type DeliveryLog, isTest, nameAnswer, nameOutcome, nameProgress } from './delivery-state.ts';

const EVERY_MS = 5_000;

/** The newest attempts of an endpoint, and how far it is. */
export function Deliveries({
  read,
  url,
  isOn,
  close,
  children,
}: {
  readonly read: () => Promise<DeliveryLog>;
  readonly url: string;
  readonly isOn: boolean;
  readonly close: () => void;
  /** What can be done about them. */
  readonly children: (log: DeliveryLog) => ComponentChildren;
}) {
  const { loaded } = useLoaded(read, EVERY_MS);
  const progress = (log: DeliveryLog) => nameProgress(log, isOn);
  return (
    <Dialog title="Deliveries" close={close}>
      <p class="quiet breaks">to {url}</p>
      <Shown loaded={loaded}>
        {(log) => (
          <>
            {progress(log)[0] !== 'completed' && (
              <p>
                <State of={progress(log)} />
              </p>
            )}
            {log.setAside.length > 0 && (
              <>
                <h3>Put aside: refused three times while a later one was taken</h3>
                <List rows={log.setAside} />
              </>
            )}
            {log.setAside.length > 0 && <h3>The newest attempts</h3>}
            {log.deliveries.length > 0 && <List rows={log.deliveries} />}
            {children(log)}
          </>
        )}
      </Shown>
    </Dialog>
  );
}

function List({ rows }: { readonly rows: readonly Delivery[] }) {
  return (
    <table class="stacked deliveries" aria-label="Deliveries">
      <thead>
        <tr>
          <th scope="col">Event</th>
          <th scope="col">State</th>
          <th scope="col">Answer</th>
          <th scope="col" class="number">
            When
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={`${row.eventId} ${row.at}`}>
            <th scope="row" title={row.eventId}>
              {isTest(row) ? 'A test' : nameEvent(row.type)}
            </th>
            <td>
              <State of={nameOutcome(row)} />
            </td>
            <td>{nameAnswer(row)}</td>
            <td class="number">
              <time dateTime={row.at}>{showTime(row.at)}</time>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function State({ of: [status, words] }: { readonly of: readonly [status: string, words: string] }) {
  return <Pill status={status} words={words} />;
}
