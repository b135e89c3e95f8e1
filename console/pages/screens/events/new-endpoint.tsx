import { useState } from 'preact/hooks';
import type { EventType } from '../../../../clients/bureau-client/src/operations.ts';
import { api } from '../../ask.ts';
import { Form, TextField } from '../../parts/form.tsx';
import { withPasskey } from '../../passkey.ts';

/** The types of events by what they are about: the groups that one chooses from. */
const groups: readonly (readonly [name: string, types: readonly EventType[]])[] = [
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

/** Adds an address that events are sent to. Its secret is shown once. */
export function NewEndpoint({ made }: { readonly made: (secret: string) => void }) {
  const [url, setUrl] = useState('');
  const [description, setDescription] = useState('');
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const toggle = (name: string) =>
    setChosen((known) => (known.includes(name) ? known.filter((one) => one !== name) : [...known, name]));
  const add = async () => {
    const types = groups.flatMap(([name, known]) => (chosen.includes(name) ? known : []));
    const { secret } = await withPasskey(() => api.createWebhookEndpoint({ url: url.trim(), description, types }));
    setUrl('');
    setDescription('');
    setChosen([]);
    made(secret);
  };
  return (
    <section class="card">
      <h2>Add an endpoint</h2>
      <Form act={add} label="Add the endpoint">
        <TextField label="Address" type="url" autoComplete="off" required maxLength={2_000} value={url} set={setUrl} />
        <TextField label="What it is for" maxLength={200} value={description} set={setDescription} />
        <fieldset>
          <legend>Send (nothing ticked: everything)</legend>
          <div class="ticks">
            {groups.map(([name]) => (
              <label key={name} class="tick">
                <input type="checkbox" checked={chosen.includes(name)} onChange={() => toggle(name)} />
                {name}
              </label>
            ))}
          </div>
        </fieldset>
      </Form>
    </section>
  );
}
