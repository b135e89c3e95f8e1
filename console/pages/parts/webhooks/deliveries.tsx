import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { nameEvent, showSecond } from '../../format.ts';
import type { LoadState } from '../../load.ts';
import { Dialog } from '../dialog.tsx';
import { Form } from '../form.tsx';
import { Shown } from '../notice.tsx';
import { Pill } from '../pill.tsx';
import {
  type Delivery,
  type DeliveryLog,
  groupAttempts,
  isTest,
  listFailed,
  nameOutcome,
  nameProgress,
  numberOf,
  tellNext,
  nameAnswer,
} from './delivery-state.ts';

/** The newest attempts of an endpoint, and how far it is. */
export function Deliveries({
  loaded,
  url,
  isOn,
  close,
  resend,
  all,
}: {
  readonly loaded: LoadState<DeliveryLog>;
  readonly url: string;
  readonly isOn: boolean;
  readonly close: () => void;
  /** Sends one event again; `undefined` for who may only look, and while the endpoint is off. */
  readonly resend: Resend | undefined;
  /** The step that sends all of them again. */
  readonly all: ComponentChildren;
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
                <List rows={log.setAside} log={log} resend={resend} />
              </>
            )}
            {log.setAside.length > 0 && <h3>The newest attempts</h3>}
            {log.deliveries.length > 0 && <List rows={log.deliveries} log={log} resend={resend} />}
            {resend && listFailed(log).length > 1 && (
              <div class="deliveries">
                <Form
                  plain
                  label={`Resend the ${listFailed(log).length} that failed`}
                  act={async () => {
                    for (const eventId of listFailed(log)) await resend(eventId);
                  }}
                />
              </div>
            )}
            {all && (
              <>
                <p class="quiet">“Resend all” also sends what was delivered, one event per second.</p>
                {all}
              </>
            )}
          </>
        )}
      </Shown>
    </Dialog>
  );
}

type Resend = (eventId: string) => Promise<Delivery>;

/** An event or a test of each row, with all its attempts. */
function List({
  rows,
  log,
  resend,
}: {
  readonly rows: readonly Delivery[];
  readonly log: DeliveryLog;
  readonly resend: Resend | undefined;
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
          {resend && (
            <th scope="col">
              <span class="hidden">What to do</span>
            </th>
          )}
        </tr>
      </thead>
      <tbody>
        {groupAttempts(rows).map(([row, ...earlier]) => (
          <tr key={row.eventId}>
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
            <td>
              {nameAnswer(row)}
              <small>{tellNext(row, log)}</small>
              {(row.answer || earlier.length > 0) && (
                <details>
                  <summary>Details</summary>
                  {row.answer && <code class="breaks">{row.answer}</code>}
                  {earlier.map((attempt) => (
                    <small key={attempt.at}>
                      Before, <When of={attempt} />: {nameOutcome(attempt)[1].toLowerCase()}, {nameAnswer(attempt)}
                    </small>
                  ))}
                </details>
              )}
            </td>
            <td class="number">
              <When of={row} />
            </td>
            {resend && <td class="number">{!isTest(row) && <Again of={row} resend={resend} />}</td>}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const When = ({ of: { at } }: { readonly of: Delivery }) => <time dateTime={at}>{showSecond(at)}</time>;

/** Sends one event again; its row then shows how that ended. It changes nothing, so it needs no second look. */
function Again({ of, resend }: { readonly of: Delivery; readonly resend: Resend }) {
  const [sent, setSent] = useState<Delivery>();
  const act = async () => setSent(await resend(of.eventId));
  return (
    <>
      <Form plain label="Resend" about={`event ${numberOf(of)}`} act={act} />
      {sent && (
        <span role="status" class="hidden">
          Resent: {nameOutcome(sent)[1].toLowerCase()}
        </span>
      )}
    </>
  );
}

function State({ of: [status, words] }: { readonly of: readonly [status: string, words: string] }) {
  return <Pill status={status} words={words} />;
}
