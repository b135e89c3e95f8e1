import { useEffect, useState } from 'preact/hooks';
import type { EventType } from '../../../clients/bureau-client/src/operations.ts';
import { api } from '../ask.ts';
import { Form } from '../parts/form.tsx';
import { useSignedIn } from '../parts/session.ts';
import type { EndpointCalls, EventGroups } from '../parts/webhooks/endpoint-calls.ts';
import { Endpoints } from '../parts/webhooks/endpoints.tsx';
import { withPasskey } from '../passkey.ts';

/** A test is none: nobody chooses it. */
type Chosen = Exclude<EventType, 'endpoint.test'>;

const groups: EventGroups<Chosen> = [
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

/** What each event tells. */
const meanings: Readonly<Record<Chosen, string>> = {
  'order.filled': 'You bought or sold.',
  'deposit.pending': 'It was seen on the chain.',
  'deposit.completed': 'It is in your balance.',
  'deposit.failed': 'It will not arrive.',
  'deposit.quarantined': 'The exchange checks it first.',
  'withdrawal.pending': 'It was asked for.',
  'withdrawal.processing': 'It is on its way.',
  'withdrawal.completed': 'It has arrived.',
  'withdrawal.failed': 'It was not sent, and is yours again.',
  'settlement.completed': 'You dealt with the exchange or a holder.',
  'account.frozen': 'Trading and withdrawals have stopped.',
  'account.thawed': 'Trading and withdrawals go on.',
  'security.signed_in': 'By a passkey or a link.',
  'security.passkey_added': 'It can sign in.',
  'security.passkey_removed': 'It can no longer sign in.',
  'security.recovery_codes_drawn': 'Older ones no longer work.',
  'security.recovery_allowed': 'The exchange lets you back in.',
  'security.recovered': 'By a code, or by the exchange.',
  'security.totp_on': 'Withdrawals ask for a code.',
  'security.totp_off': 'Withdrawals here have stopped.',
  'key.created': 'A program can use the account.',
  'key.revoked': 'The program no longer can.',
  'allowlist.added': 'Withdrawals may go there.',
  'allowlist.removed': 'Withdrawals no longer may.',
  'endpoint.disabled': 'It is sent nothing more.',
};

/** From this width on, there is place for them beside the form. */
const WIDE = '(min-width: 900px)';

/** What is sent, for who writes a receiver: shown where it stands beside the form, and folded where it follows something. */
function Kinds({ isBeside }: { readonly isBeside: boolean }) {
  const [isWide, setWide] = useState(false);
  useEffect(() => {
    const wide = matchMedia(WIDE);
    const look = () => setWide(wide.matches);
    look();
    wide.addEventListener('change', look);
    return () => wide.removeEventListener('change', look);
  }, []);
  return (
    <details open={isBeside && isWide}>
      <summary>What is sent?</summary>
      <p>Each event is sent as JSON by POST, and signed with the endpoint’s secret.</p>
      <dl class="kinds">
        {groups.map(([name, types]) => (
          <div key={name}>
            <dt>{name}</dt>
            {types.map((type) => (
              <dd key={type}>
                <code>{type}</code>
                <small class="quiet">{meanings[type]}</small>
              </dd>
            ))}
          </div>
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
