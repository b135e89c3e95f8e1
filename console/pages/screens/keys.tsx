import { useEffect, useRef, useState } from 'preact/hooks';
import { ask } from '../ask.ts';
import { showTime } from '../format.ts';
import { useLoaded } from '../load.ts';
import { Copied } from '../parts/copy.tsx';
import { Form, TextField } from '../parts/form.tsx';
import { Shown } from '../parts/notice.tsx';
import { withPasskey } from '../passkey.ts';

interface ApiKey {
  readonly id: string;
  readonly label: string;
  readonly scopes: readonly string[];
  readonly ipAllowlist: readonly string[] | null;
  readonly createdAt: string;
  readonly expiresAt: string | null;
  readonly revokedAt: string | null;
}

const scopes = [
  ['read', 'Read balances, orders and activity'],
  ['trade', 'Place orders'],
  ['withdraw', 'Send coins out'],
] as const;

/** The account's API keys: making one, whose token is shown once, and revoking one. */
export function Keys() {
  const { loaded, reload } = useLoaded(() => ask<{ apiKeys: ApiKey[] }>('GET', '/account/keys'));
  const [made, setMade] = useState<{ readonly apiKey: ApiKey; readonly token: string }>();
  return (
    <>
      <NewKey
        made={(key) => {
          setMade(key);
          reload();
        }}
      />
      {made && <NewToken token={made.token} close={() => setMade(undefined)} />}
      <section class="card">
        <h2>Your keys</h2>
        <Shown loaded={loaded}>
          {({ apiKeys }) =>
            apiKeys.length === 0 ? (
              <p>There are none yet. A program needs one; you do not.</p>
            ) : (
              <ul class="plain">
                {apiKeys.map((key) => (
                  <KeyRow key={key.id} apiKey={key} revoked={reload} />
                ))}
              </ul>
            )
          }
        </Shown>
      </section>
    </>
  );
}

function NewKey({ made }: { readonly made: (key: { apiKey: ApiKey; token: string }) => void }) {
  const [label, setLabel] = useState('');
  const [wanted, setWanted] = useState<readonly string[]>(['read']);
  const [expiry, setExpiry] = useState('');
  const [addresses, setAddresses] = useState('');
  const make = async () => {
    const ipAllowlist = addresses.split(/[\s,]+/).filter((text) => text !== '');
    const body = {
      label,
      scopes: wanted,
      ...(expiry !== '' && { expiresAt: new Date(expiry).toISOString() }),
      ...(ipAllowlist.length > 0 && { ipAllowlist }),
    };
    made(await withPasskey(() => ask('POST', '/account/keys', body)));
    setLabel('');
  };
  const toggle = (scope: string) =>
    setWanted((known) => (known.includes(scope) ? known.filter((one) => one !== scope) : [...known, scope]));
  return (
    <section class="card">
      <h2>Make a key</h2>
      <Form act={make} label="Make the key">
        <TextField label="Name" required maxLength={100} value={label} set={setLabel} />
        <fieldset>
          <legend>It may</legend>
          {scopes.map(([scope, text]) => (
            <label key={scope} class="tick">
              <input type="checkbox" checked={wanted.includes(scope)} onChange={() => toggle(scope)} />
              {text}
            </label>
          ))}
        </fieldset>
        <TextField label="Expires (empty: never)" type="datetime-local" value={expiry} set={setExpiry} />
        <TextField
          label="Only from these addresses (empty: from all)"
          help="IP addresses or ranges, such as 192.0.2.0/24, with commas between them"
          value={addresses}
          set={setAddresses}
        />
      </Form>
    </section>
  );
}

/** The token, which is shown once: neither Escape nor a click beside it loses it. */
function NewToken({ token, close }: { readonly token: string; readonly close: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [isStored, setStored] = useState(false);
  useEffect(() => {
    dialog.current?.showModal();
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    // Before the browser asks the dialog, which closes at a second Escape whatever it answers.
    const stay = (event: KeyboardEvent) => event.key === 'Escape' && event.preventDefault();
    addEventListener('beforeunload', warn);
    addEventListener('keydown', stay);
    return () => {
      removeEventListener('beforeunload', warn);
      removeEventListener('keydown', stay);
    };
  }, []);
  const code = `curl -s ${location.origin.replace(/:\d+$/, '')}/api/v1/wallet/balances \\\n  -H 'Authorization: Bearer ${token}'`;
  return (
    <dialog ref={dialog} aria-labelledby="new-token" onCancel={(event) => event.preventDefault()}>
      <h2 id="new-token">Your new key</h2>
      <p>It is shown now and never again. Store it where only your program reads it.</p>
      <Copied text={token} label="the key" />
      <p>A first request, at the address of the exchange’s API:</p>
      <pre>{code}</pre>
      <label class="tick">
        <input type="checkbox" checked={isStored} onChange={() => setStored(!isStored)} />I have stored it
      </label>
      <button type="button" class="main" disabled={!isStored} onClick={close}>
        Done
      </button>
    </dialog>
  );
}

function KeyRow({ apiKey, revoked }: { readonly apiKey: ApiKey; readonly revoked: () => void }) {
  const { id, label, revokedAt, expiresAt, createdAt, ipAllowlist } = apiKey;
  return (
    <li>
      <span>
        <strong>{label}</strong> may {apiKey.scopes.join(', ')}
        {ipAllowlist !== null && ` from ${ipAllowlist.join(', ')}`}
      </span>
      <span class="quiet">
        made {showTime(createdAt)}
        {expiresAt !== null && `, expires ${showTime(expiresAt)}`}
        {revokedAt !== null && `, revoked ${showTime(revokedAt)}`}
      </span>
      {revokedAt === null && (
        <Form
          danger
          label={`Revoke ${label}`}
          act={async () => {
            await ask('DELETE', `/account/keys/${id}`);
            revoked();
          }}
        />
      )}
    </li>
  );
}
