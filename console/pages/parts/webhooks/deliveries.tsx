import type { ComponentChildren } from 'preact';
import { nameEvent, showRecent } from '../../format.ts';
import type { LoadState } from '../../load.ts';
import { Dialog } from '../dialog.tsx';
import { Shown } from '../notice.tsx';
import { Pill } from '../pill.tsx';
import {
  type Delivery,
  type DeliveryLog,
  isTest,
  nameAnswer,
  nameOutcome,
  nameProgress,
  numberOf,
} from './delivery-state.ts';

/** The newest attempts of an endpoint, and how far it is. */
export function Deliveries({
  loaded,
  url,
  isOn,
  close,
  again,
}: {
  readonly loaded: LoadState<DeliveryLog>;
  readonly url: string;
  readonly isOn: boolean;
  readonly close: () => void;
  /** The step that sends again what came after the event of a number, or everything; `undefined` for who may only look. */
  readonly again: ((after: number | undefined) => ComponentChildren) | undefined;
}) {
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
                <List rows={log.setAside} again={again} />
              </>
            )}
            {log.setAside.length > 0 && <h3>The newest attempts</h3>}
            {log.deliveries.length > 0 && <List rows={log.deliveries} again={again} />}
            {again && (
              <>
                <p class="quiet">Events are resent one per second.</p>
                {again(undefined)}
              </>
            )}
          </>
        )}
      </Shown>
    </Dialog>
  );
}

function List({
  rows,
  again,
}: {
  readonly rows: readonly Delivery[];
  readonly again: ((after: number) => ComponentChildren) | undefined;
}) {
  return (
    <table class="stacked deliveries" aria-label="Deliveries">
      <thead>
        <tr>
          <th scope="col">Event</th>
          <th scope="col">State</th>
          <th scope="col">Response</th>
          <th scope="col" class="number">
            When
          </th>
          {again && (
            <th scope="col">
              <span class="hidden">What to do</span>
            </th>
          )}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={`${row.eventId} ${row.at}`}>
            <th scope="row" title={row.eventId}>
              {isTest(row) ? (
                'A test'
              ) : (
                <>
                  {nameEvent(row.type)}
                  <small class="quiet">Event {numberOf(row)}</small>
                </>
              )}
            </th>
            <td>
              <State of={nameOutcome(row)} />
            </td>
            <td>{nameAnswer(row)}</td>
            <td class="number">
              <time dateTime={row.at}>{showRecent(row.at)}</time>
            </td>
            {again && <td class="number">{!isTest(row) && again(numberOf(row) - 1)}</td>}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function State({ of: [status, words] }: { readonly of: readonly [status: string, words: string] }) {
  return <Pill status={status} words={words} />;
}
