import { Fragment } from 'preact';
import type { EventType } from '../../../clients/bureau-client/src/operations.ts';
import { api } from '../api.ts';
import { Folded } from '../parts/folded.tsx';
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
  resend: (id, eventId) => api.resendEvent(id, { eventId }),
  replay: (id) => api.replayEvents(id, {}),
  listDeliveries: (id) => api.listWebhookDeliveries(id),
};

/** What each group is about, for who chooses among them; their names are in the guide. */
const meanings: Readonly<Record<string, string>> = {
  Orders: 'An order was filled.',
  Deposits: 'A deposit was seen, credited, held for a check, or refused.',
  Withdrawals: 'A withdrawal was asked for, is being sent, has arrived, or failed.',
  Settlements: 'The exchange settled a trade of yours.',
  Freezes: 'The account was frozen or unfrozen.',
  Security: 'Somebody signed in, or changed passkeys, codes or two-factor authentication.',
  'API keys': 'A key was made or revoked.',
  'Approved addresses': 'An address was approved or removed.',
  Endpoints: 'An endpoint was switched off by the exchange.',
};

function Meanings() {
  return (
    <section class="card">
      <h2>What is sent</h2>
      <dl class="meanings">
        {groups.map(([name]) => (
          <Fragment key={name}>
            <dt>{name}</dt>
            <dd>{meanings[name]}</dd>
          </Fragment>
        ))}
      </dl>
    </section>
  );
}

/** Where the account's events are sent, so that no program has to ask again and again. */
export function Events() {
  const { session } = useSignedIn();
  const hasRoom = useHasRoom(900);
  if (session.level === 'look') return <p class="notice">Use a passkey to see where your events are sent.</p>;
  return (
    <>
      <p class="about">
        Webhooks tell your programs what happens. See the{' '}
        <a href={`${session.apiOrigin}/docs/guides/be-told`}>guide to events</a>.
      </p>
      <Endpoints calls={calls} groups={groups} change={Form}>
        {(isBeside) =>
          isBeside &&
          (hasRoom ? (
            <Meanings />
          ) : (
            <Folded isLink label="What is sent?">
              <Meanings />
            </Folded>
          ))
        }
      </Endpoints>
    </>
  );
}
