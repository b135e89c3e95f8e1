import { type ComponentChildren, Fragment } from 'preact';
import { useState } from 'preact/hooks';
import { nameEvent, showRecent } from '../../format.ts';
import { useLoaded } from '../../load.ts';
import { Folded } from '../folded.tsx';
import { Form } from '../form.tsx';
import { Pill } from '../pill.tsx';
import { Time } from '../time.tsx';
import { Deliveries } from './deliveries.tsx';
import { type Delivery, isTest, nameAnswer, nameOutcome } from './delivery-state.ts';
import type { Change, EndpointCalls, EventGroups, KnownEndpoint } from './endpoint-calls.ts';

/** How often the attempts are read: more often while somebody follows them. */
const EVERY_MS = { closed: 15_000, open: 5_000 };

const endings = {
  gone: 'The exchange switched it off: it answered that it is gone.',
  failing: 'The exchange switched it off: it failed for five days.',
  key_revoked: 'The exchange switched it off: the API key that set it up was revoked.',
} as const;

/** What can be done with endpoints that are there already. */
type Calls = Omit<EndpointCalls<never>, 'list' | 'create'>;

interface Changes {
  readonly endpoint: KnownEndpoint;
  readonly calls: Calls;
  readonly change: Change;
  readonly changed: () => void;
  /** Shows a secret, once. */
  readonly show: (secret: string) => void;
}

/** One endpoint, with everything that can be done with it. */
export function Endpoint({
  change,
  groups,
  ...more
}: Omit<Changes, 'change'> & {
  readonly groups: EventGroups<string>;
  /** `undefined` for who may only look. */
  readonly change: Change | undefined;
}) {
  const { endpoint, calls } = more;
  const [isOpen, setOpen] = useState(false);
  const [tested, setTested] = useState<Delivery>();
  const isOn = endpoint.status === 'enabled';
  const { loaded, reload } = useLoaded(() => calls.listDeliveries(endpoint.id), EVERY_MS[isOpen ? 'open' : 'closed']);
  const last = loaded.state === 'here' && loaded.value.deliveries.find((row) => !isTest(row));
  const [status, outcome] = last ? nameOutcome(last) : [];
  return (
    <article class="endpoint">
      <div class="title">
        <h3 class="breaks">{endpoint.url}</h3>
        <span>
          <Pill status={isOn ? 'completed' : 'failed'} words={isOn ? 'On' : 'Off'} />{' '}
          {status && <Pill status={status} words={`Last event ${outcome?.toLowerCase()}`} />}
        </span>
      </div>
      <About endpoint={endpoint} groups={groups} failure={last && last.outcome === 'FAILED' ? last : undefined} />
      <div class="side-by-side">
        <button
          type="button"
          onClick={() => {
            setOpen(true);
            reload();
          }}
        >
          Deliveries
        </button>
        {change && (
          <>
            <Test test={() => calls.test(endpoint.id)} say={setTested} />
            <Folded label="More">
              <NewSecret {...more} change={change} />
              <Switch {...more} change={change} />
              <Delete {...more} change={change} />
            </Folded>
          </>
        )}
      </div>
      {tested && (
        <p role="status" class={tested.outcome === 'DELIVERED' ? 'done' : 'wrong'}>
          Test {nameOutcome(tested)[1].toLowerCase()}: {nameAnswer(tested)}.
        </p>
      )}
      {isOpen && (
        <Deliveries
          loaded={loaded}
          url={endpoint.url}
          isOn={isOn}
          close={() => setOpen(false)}
          resend={
            change && isOn
              ? async (eventId) => {
                  const { delivery } = await calls.resend(endpoint.id, eventId);
                  reload();
                  return delivery;
                }
              : undefined
          }
          all={change && <All replay={() => calls.replay(endpoint.id)} change={change} />}
        />
      )}
    </article>
  );
}

function About({
  endpoint,
  groups,
  failure,
}: {
  readonly endpoint: KnownEndpoint;
  readonly groups: EventGroups<string>;
  /** The last event, if it failed. */
  readonly failure: Delivery | undefined;
}) {
  const { description, types, status, reason, createdAt, previousSecretUntil } = endpoint;
  const facts: readonly (readonly [name: string, value: ComponentChildren])[] = [
    ['For', description || null],
    ['Receives', status === 'enabled' ? nameTypes(types, groups) : 'Nothing while it is off'],
    ['Added', <Time key="added" at={createdAt} />],
    ['Old secret until', previousSecretUntil && <Time key="until" at={previousSecretUntil} />],
    ['Last failure', failure && `${showRecent(failure.at)}, ${nameAnswer(failure)}`],
  ];
  return (
    <>
      {reason !== null && <p class="notice bad">{endings[reason]}</p>}
      <dl>
        {facts.map(
          ([name, value]) =>
            value && (
              <Fragment key={name}>
                <dt>{name}</dt>
                <dd class="breaks">{value}</dd>
              </Fragment>
            ),
        )}
      </dl>
    </>
  );
}

/** Types of events by the groups that are whole, and the others one by one. */
function nameTypes(types: readonly string[], groups: EventGroups<string>): string {
  if (types.length === 0) return 'All events';
  const whole = groups.filter(([, known]) => known.every((type) => types.includes(type)));
  const others = types.filter((type) => !whole.some(([, known]) => known.includes(type)));
  return [...whole.map(([name]) => name), ...others.map(nameEvent)].join(', ');
}

function NewSecret({ endpoint: { id }, calls, change: Change, show }: Changes) {
  return (
    <Change
      plain
      label="Make a new secret"
      title="Make a new secret"
      asks="Make a new secret? The old one keeps working for 24 hours, so that you can change over."
      act={async () => show((await calls.rotateSecret(id)).secret)}
    />
  );
}

function Switch({ endpoint: { id, status }, calls, change: Change, changed }: Changes) {
  const isOn = status === 'enabled';
  return (
    <Change
      plain
      label={isOn ? 'Switch off' : 'Switch on'}
      title={isOn ? 'Switch the endpoint off' : 'Switch the endpoint on'}
      act={async () => {
        await calls.setStatus(id, isOn ? 'disabled' : 'enabled');
        changed();
      }}
    />
  );
}

function Delete({ endpoint: { id }, calls, change: Change, changed }: Changes) {
  return (
    <Change
      danger
      label="Delete"
      title="Delete the endpoint"
      asks="Delete the endpoint? It cannot be brought back."
      act={async () => {
        await calls.remove(id);
        changed();
      }}
    />
  );
}

/** A test changes nothing, so it needs no second look. */
function Test({
  test,
  say,
}: {
  readonly test: () => ReturnType<Calls['test']>;
  readonly say: (delivery: Delivery | undefined) => void;
}) {
  return (
    <Form
      plain
      label="Send a test"
      act={async () => {
        say(undefined);
        say((await test()).delivery);
      }}
    />
  );
}

/** Sends all events again that are kept, to a receiver that has lost them. */
function All({ replay, change: Change }: { readonly replay: () => Promise<unknown>; readonly change: Change }) {
  const [isSent, setSent] = useState(false);
  if (isSent) {
    return (
      <p role="status" class="done">
        Being resent
      </p>
    );
  }
  return (
    <Change
      plain
      label="Resend all of the last 90 days"
      title="Resend events"
      asks="Resend all events of the last 90 days?"
      act={async () => {
        await replay();
        setSent(true);
      }}
    />
  );
}
