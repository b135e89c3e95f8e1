import { useState } from 'preact/hooks';
import { ask } from '../../ask.ts';
import { nameBrowser } from '../../browser-name.ts';
import { showTime } from '../../format.ts';
import { useLoaded } from '../../load.ts';
import { Form, TextField } from '../../parts/form.tsx';
import { Shown } from '../../parts/notice.tsx';
import { useSignedIn } from '../../parts/session.ts';
import { enrolPasskey, withPasskey } from '../../passkey.ts';

interface Passkey {
  readonly id: string;
  readonly name: string;
  readonly createdAt: string;
  readonly usedAt: string | null;
}

/** The passkeys that open the account, and the recovery codes for when they are lost. */
export function Passkeys() {
  const { account, reload: reloadAll } = useSignedIn();
  const { loaded, reload } = useLoaded(() =>
    ask<{ passkeys: Passkey[]; recoveryCodes: number }>('GET', '/account/passkeys'),
  );
  const [name, setName] = useState(() => nameBrowser(navigator.userAgent));
  const [codes, setCodes] = useState<readonly string[]>([]);
  const [totpCode, setTotpCode] = useState('');
  const changed = () => {
    reload();
    reloadAll();
  };
  return (
    <section class="card">
      <h2>Passkeys</h2>
      <Shown loaded={loaded}>
        {({ passkeys, recoveryCodes }) => (
          <>
            {passkeys.length === 0 && <p>There is none yet. With one, nobody can sign in as you by a password.</p>}
            <ul class="plain">
              {passkeys.map((passkey) => (
                <li key={passkey.id}>
                  <span>
                    <strong>{passkey.name}</strong>
                  </span>
                  <span class="quiet">
                    added {showTime(passkey.createdAt)}
                    {passkey.usedAt !== null && `, used ${showTime(passkey.usedAt)}`}
                  </span>
                  <Form
                    danger
                    label="Remove"
                    about={passkey.name}
                    act={async () => {
                      await withPasskey(() => ask('DELETE', `/account/passkeys/${passkey.id}`));
                      changed();
                    }}
                  />
                </li>
              ))}
            </ul>
            <Form
              plain={passkeys.length > 0}
              label="Add a passkey"
              act={async () => {
                await withPasskey(() => enrolPasskey(name));
                changed();
              }}
            >
              <TextField label="Name of the new passkey" required maxLength={60} value={name} set={setName} />
            </Form>
            <h3>Recovery codes</h3>
            <p>
              {recoveryCodes === 0 ? 'You have none' : `${recoveryCodes} of 10 are left`}. Each brings you back once, if
              your passkeys are lost.
            </p>
            {codes.length > 0 && (
              <div class="notice">
                <p>Write them down now: they are not shown again.</p>
                <ol>
                  {codes.map((code) => (
                    <li key={code}>
                      <code>{code}</code>
                    </li>
                  ))}
                </ol>
              </div>
            )}
            {passkeys.length > 0 && (
              <Form
                plain
                label="Draw ten new recovery codes"
                act={async () => {
                  const body = account.totp.enabled ? { totpCode: totpCode.trim() } : {};
                  const drawn = await withPasskey(() =>
                    ask<{ recoveryCodes: string[] }>('POST', '/account/recovery-codes', body),
                  );
                  setCodes(drawn.recoveryCodes);
                  setTotpCode('');
                  reload();
                }}
              >
                {account.totp.enabled && (
                  <TextField
                    label="Code of your authenticator app"
                    inputMode="numeric"
                    autoComplete="one-time-code"
                    required
                    value={totpCode}
                    set={setTotpCode}
                  />
                )}
              </Form>
            )}
          </>
        )}
      </Shown>
    </section>
  );
}
