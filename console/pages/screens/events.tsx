import type { Event, EventType } from '../../../clients/bureau-client/src/operations.ts';
import { api } from '../ask.ts';
import { Form } from '../parts/form.tsx';
import { useSignedIn } from '../parts/session.ts';
import type { EndpointCalls, EventGroups } from '../parts/webhooks/endpoint-calls.ts';
import { Endpoints } from '../parts/webhooks/endpoints.tsx';
import { withPasskey } from '../passkey.ts';

const groups: EventGroups<EventType> = [
  ['Orders', ['order.filled']],
  ['Deposits', ['deposit.pending', 'deposit.completed', 'deposit.failed', 'deposit.quarantined']],
  ['Withdrawals', ['withdrawal.pending', 'withdrawal.processing', 'withdrawal.completed', 'withdrawal.failed']],
  ['Settlements', ['settlement.completed']],
  ['Freezes', ['account.frozen', 'account.thawed']],
  [
    'Security',
    [
      'security.signed_in',
      'security.passkey_added',
      'security.passkey_removed',
      'security.recovery_codes_drawn',
      'security.recovery_allowed',
      'security.recovered',
      'security.totp_on',
      'security.totp_off',
    ],
  ],
  ['API keys', ['key.created', 'key.revoked']],
  ['Approved addresses', ['allowlist.added', 'allowlist.removed']],
  ['Endpoints', ['endpoint.disabled']],
];

/** What sends events elsewhere than before wants a fresh passkey. */
const calls: EndpointCalls<EventType> = {
  list: () => api.listWebhookEndpoints(),
  create: (wanted) => withPasskey(() => api.createWebhookEndpoint(wanted)),
  setStatus: (id, status) => withPasskey(() => api.changeWebhookEndpoint(id, { status })),
  remove: (id) => api.deleteWebhookEndpoint(id),
  rotateSecret: (id) => withPasskey(() => api.rotateWebhookSecret(id)),
  test: (id) => api.testWebhookEndpoint(id),
  replay: (id, after) => api.replayEvents(id, { after }),
  listDeliveries: (id) => api.listWebhookDeliveries(id),
};

/** An event as it is sent. */
const SAMPLE: Event = {
  id: 'evt_01a1fcca-895a-7000-b43c-11f474a4f8d5_12',
  type: 'account.frozen',
  timestamp: '2026-11-21T12:00:00.000Z',
  sequence: 12,
  data: { account: { id: '01a1fcca-895a-7000-b43c-11f474a4f8d5', status: 'frozen', twoFactor: true } },
};

/** What is sent, for who writes a receiver. */
function Kinds() {
  const { session } = useSignedIn();
  return (
    <details>
      <summary>What is sent?</summary>
      <ul class="kinds">
        {groups.map(([name, types]) => (
          <li key={name}>
            <strong>{name}</strong>
            {types.map((type) => (
              <code key={type}>{type}</code>
            ))}
          </li>
        ))}
      </ul>
      <p>Each is sent as JSON by POST, such as:</p>
      <pre>{JSON.stringify(SAMPLE, null, 2)}</pre>
      <p>
        To check it, compute this with the endpoint’s secret, and compare it with the header{' '}
        <code>webhook-signature</code>. The <a href={`${session.apiOrigin}/docs/guides/be-told`}>guide to events</a> has
        the code of a whole receiver.
      </p>
      <pre>{'v1,base64(HMAC-SHA-256(secret,\n  webhook-id + "." +\n  webhook-timestamp + "." +\n  body))'}</pre>
    </details>
  );
}

/** Where the account's events are sent, so that no program has to ask again and again. */
export function Events() {
  const { session } = useSignedIn();
  if (session.level === 'look') return <p class="notice">Use a passkey to see where your events are sent.</p>;
  return (
    <>
      <p class="about">Webhooks: your programs are told what happens to the account, in order and signed.</p>
      <Endpoints calls={calls} groups={groups} change={Form} />
      <Kinds />
    </>
  );
}
