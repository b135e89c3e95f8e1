import type { Change, EndpointCalls, EventGroups } from '../../parts/webhooks/endpoint-calls.ts';
import { Endpoints } from '../../parts/webhooks/endpoints.tsx';
import { operate } from '../operate.ts';
import { Step } from '../parts/step.tsx';
import { Tabs, shownOf } from '../parts/tabs.tsx';
import type { Place } from '../place.ts';
import type { OperatorEvent } from '../schema.d.ts';
import { useMay } from '../staff.ts';
import { NewestEvents } from './newest-events.tsx';

type EventType = OperatorEvent['type'];

const groups: EventGroups<EventType> = [
  ['Everything in the audit', ['audit.added']],
  ['Deposits in quarantine', ['deposit.quarantined']],
  ['Other deposits', ['deposit.pending', 'deposit.completed', 'deposit.failed']],
  ['Withdrawals', ['withdrawal.pending', 'withdrawal.processing', 'withdrawal.completed', 'withdrawal.failed']],
  ['Endpoints', ['endpoint.disabled']],
];

const calls: EndpointCalls<EventType> = {
  list: () => operate('get /webhook-endpoints'),
  create: (body) => operate('post /webhook-endpoints', { body }),
  setStatus: (id, status) => operate('patch /webhook-endpoints/{id}', { path: { id }, body: { status } }),
  remove: (id) => operate('delete /webhook-endpoints/{id}', { path: { id } }),
  rotateSecret: (id) => operate('post /webhook-endpoints/{id}/rotate-secret', { path: { id } }),
  test: (id) => operate('post /webhook-endpoints/{id}/test', { path: { id } }),
  resend: (id, eventId) => operate('post /webhook-endpoints/{id}/resend', { path: { id }, body: { eventId } }),
  replay: (id) => operate('post /webhook-endpoints/{id}/replay', { path: { id }, body: {} }),
  listDeliveries: (id) => operate('get /webhook-endpoints/{id}/deliveries', { path: { id } }),
};

/** A change of an endpoint, with the second look of all changes at the desk. None of them needs two people. */
const LookTwice: Change = ({ act, asks, children, ...more }) => (
  <Step
    {...more}
    act={async () => {
      await act();
      return {};
    }}
    done={() => {}}
  >
    {children}
    {asks !== undefined && <p>{asks}</p>}
  </Step>
);

const parts = { newest: 'Newest', endpoints: 'Endpoints' } as const;

/** The newest of the operator's events, and where they are sent. */
export function Events({ query }: Place) {
  const may = useMay();
  const shown = shownOf(parts, query);
  return (
    <>
      <h1>Events</h1>
      <Tabs label="Of events" path="/desk/events" of={parts} shown={shown} />
      {shown === 'newest' ? (
        <NewestEvents ledger={query.get('ledger') ?? ''} />
      ) : (
        <Endpoints calls={calls} groups={groups} change={may('manage_webhooks') ? LookTwice : undefined} inDialogs />
      )}
    </>
  );
}
