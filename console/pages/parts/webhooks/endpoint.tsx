import { useState } from 'preact/hooks';
import { nameEvent, showTime } from '../../format.ts';
import { Form, TextField } from '../form.tsx';
import { Pill } from '../pill.tsx';
import { Deliveries } from './deliveries.tsx';
import { type Delivery, nameAnswer, nameOutcome } from './delivery-state.ts';
import type { Change, EndpointCalls, EventGroups, KnownEndpoint } from './endpoint-calls.ts';

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
  return (
    <article class="endpoint">
      <div class="title">
        <h3 class="breaks">{endpoint.url}</h3>
        <Pill status={isOn ? 'completed' : 'failed'} words={isOn ? 'On' : 'Off'} />
      </div>
      <About endpoint={endpoint} groups={groups} />
      <div class="side-by-side">
        <button type="button" onClick={() => setOpen(true)}>
          Deliveries
        </button>
        {change && (
          <>
            <Test test={() => calls.test(endpoint.id)} say={setTested} />
            <NewSecret {...more} change={change} />
            <Switch {...more} change={change} />
            <Delete {...more} change={change} />
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
          read={() => calls.listDeliveries(endpoint.id)}
          url={endpoint.url}
          isOn={isOn}
          close={() => setOpen(false)}
        >
          {change && <Replay replay={(after) => calls.replay(endpoint.id, after)} change={change} />}
        </Deliveries>
      )}
    </article>
  );
}

function About({ endpoint, groups }: { readonly endpoint: KnownEndpoint; readonly groups: EventGroups<string> }) {
  const { description, types, status, reason, createdAt, previousSecretUntil } = endpoint;
  const isOn = status === 'enabled';
  return (
    <>
      {reason !== null && <p class="notice bad">{endings[reason]}</p>}
      <p class="quiet">
        {description !== '' && `For ${description}. `}
        {isOn ? `Sends${nameTypes(types, groups)}` : 'Switched off: nothing is sent'}. Since {showTime(createdAt)}.
        {previousSecretUntil !== null &&
          ` Events are signed with the old secret too until ${showTime(previousSecretUntil)}.`}
      </p>
    </>
  );
}

/** Types of events by the groups that are whole, and the others one by one. */
function nameTypes(types: readonly string[], groups: EventGroups<string>): string {
  if (types.length === 0) return ' all events';
  const whole = groups.filter(([, known]) => known.every((type) => types.includes(type)));
  const others = types.filter((type) => !whole.some(([, known]) => known.includes(type)));
  return `: ${[...whole.map(([name]) => name), ...others.map(nameEvent)].join(', ')}`;
}

function NewSecret({ endpoint: { id }, calls, change: Change, show }: Changes) {
  return (
    <Change
      plain
      label="Make a new secret"
      title="Make a new secret"
      asks="Make a new secret? The old one signs each delivery as well for 24 hours, so that you can change over."
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

/** Sends again what a receiver has lost. */
function Replay({
  replay,
  change: Change,
}: {
  readonly replay: (after: number) => Promise<unknown>;
  readonly change: Change;
}) {
  const [after, setAfter] = useState('');
  const [sent, setSent] = useState<string>();
  return (
    <>
      <h3>Send events again</h3>
      {sent !== undefined && (
        <p role="status" class="done">
          All events after number {sent} are being sent again.
        </p>
      )}
      <Change
        plain
        label="Send again"
        title="Send events again"
        asks={`All events after number ${after} are sent again, one a second.`}
        act={async () => {
          setSent(undefined);
          await replay(Number(after));
          setSent(after);
          setAfter('');
        }}
      >
        <TextField
          label="All events after number"
          help="0 sends all of the last 90 days."
          inputMode="numeric"
          pattern="\d{1,15}"
          required
          value={after}
          set={setAfter}
        />
      </Change>
    </>
  );
}
