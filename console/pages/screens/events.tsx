import { Fragment } from 'preact';
import type { EventType } from '../../../clients/bureau-client/src/operations.ts';
import { api } from '../ask.ts';
import { Form } from '../parts/form.tsx';
import { useHasRoom } from '../parts/has-room.ts';
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

/** What is sent, for who writes a receiver. It is folded away where it would stand below the form. */
function Kinds({ isBeside }: { readonly isBeside: boolean }) {
  const hasRoom = useHasRoom(900);
  return (
    <details open={isBeside && hasRoom}>
      <summary>What is sent?</summary>
      <p>Each event is sent as JSON by POST, and signed with the endpoint’s secret.</p>
      <dl class="kinds">
        {groups.map(([name, types]) => (
          <Fragment key={name}>
            <dt>{name}</dt>
            <dd>
              {types.map((type) => (
                <code key={type}>{type}</code>
              ))}
            </dd>
          </Fragment>
        ))}
      </dl>
    </details>
  );
}

/** Where the account's events are sent, so that no program has to ask again and again. */
export function Events() {
  const { session } = useSignedIn();
  if (session.level === 'look') return <p class="notice">Use a passkey to see where your events are sent.</p>;
  return (
    <>
      <p class="about">
        Webhooks tell your programs what happens. See the{' '}
        <a href={`${session.apiOrigin}/docs/guides/be-told`}>guide to events</a>.
      </p>
      <Endpoints calls={calls} groups={groups} change={Form}>
        {(isBeside) => <Kinds isBeside={isBeside} />}
      </Endpoints>
    </>
  );
}
