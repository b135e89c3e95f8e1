import { useState } from 'preact/hooks';
import { api } from '../../ask.ts';
import { showTime } from '../../format.ts';
import { Form, TextField } from '../../parts/form.tsx';
import { withPasskey } from '../../passkey.ts';
import { Deliveries, nameOutcome } from './deliveries.tsx';

type Known = Awaited<ReturnType<typeof api.listWebhookEndpoints>>['webhookEndpoints'][number];

const endings = {
  gone: 'The exchange switched it off: it answered that it is gone.',
  failing: 'The exchange switched it off: it failed for five days.',
} as const;

/** One endpoint, with everything that can be done with it. */
export function Endpoint({
  endpoint,
  changed,
  show,
}: {
  readonly endpoint: Known;
  readonly changed: () => void;
  /** Shows a secret, once. */
  readonly show: (secret: string) => void;
}) {
  const { id, url, description, types, status, reason, createdAt, previousSecretUntil } = endpoint;
  const [isOpen, setOpen] = useState(false);
  const isOn = status === 'enabled';
  return (
    <section class="card">
      <h2 class="breaks">{url}</h2>
      {reason !== null && <p class="notice bad">{endings[reason]}</p>}
      <dl>
        <dt>State</dt>
        <dd>{isOn ? 'On' : 'Switched off: nothing is sent'}</dd>
        {description !== '' && (
          <>
            <dt>For</dt>
            <dd>{description}</dd>
          </>
        )}
        <dt>Sends</dt>
        <dd class="breaks">{types.length === 0 ? 'everything' : types.join(', ')}</dd>
        <dt>Since</dt>
        <dd>{showTime(createdAt)}</dd>
        {previousSecretUntil !== null && (
          <>
            <dt>Old secret signs until</dt>
            <dd>{showTime(previousSecretUntil)}</dd>
          </>
        )}
      </dl>
      <div class="side-by-side">
        <button type="button" onClick={() => setOpen(true)}>
          Deliveries
        </button>
        <Test id={id} />
        <Form
          label={isOn ? 'Switch it off' : 'Switch it on'}
          act={async () => {
            const change = { status: isOn ? 'disabled' : 'enabled' } as const;
            await withPasskey(() => api.changeWebhookEndpoint(id, change));
            changed();
          }}
        />
      </div>
      <details>
        <summary>Send again, change the secret, delete</summary>
        <Replay id={id} />
        <Form
          label="Draw a new secret"
          act={async () => show((await withPasskey(() => api.rotateWebhookSecret(id))).secret)}
        >
          <p>For 24 hours each delivery is signed with the old one as well.</p>
        </Form>
        <Form
          danger
          label="Delete the endpoint"
          act={async () => {
            await api.deleteWebhookEndpoint(id);
            changed();
          }}
        />
      </details>
      {isOpen && <Deliveries id={id} close={() => setOpen(false)} />}
    </section>
  );
}

function Test({ id }: { readonly id: string }) {
  const [said, setSaid] = useState('');
  return (
    <Form
      label="Send a test"
      act={async () => {
        setSaid('');
        const { delivery } = await api.testWebhookEndpoint(id);
        setSaid(`The test: ${nameOutcome(delivery)}.`);
      }}
    >
      {said !== '' && <p role="status">{said}</p>}
    </Form>
  );
}

function Replay({ id }: { readonly id: string }) {
  const [after, setAfter] = useState('');
  const [isSent, setSent] = useState(false);
  return (
    <Form
      label="Send them again"
      act={async () => {
        await api.replayEvents(id, { after: Number(after) });
        setSent(true);
      }}
    >
      <TextField
        label="Send again every event after number"
        help="The number is the end of an event’s id. 0 sends all that are kept, for 90 days."
        inputMode="numeric"
        pattern="\d{1,15}"
        required
        value={after}
        set={setAfter}
      />
      {isSent && <p role="status">They are on their way, under their old ids.</p>}
    </Form>
  );
}
