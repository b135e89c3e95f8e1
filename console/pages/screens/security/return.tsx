import { useState } from 'preact/hooks';
import { ask } from '../../ask.ts';
import { Form, TextField } from '../../parts/form.tsx';
import { MailLink } from '../../parts/mail-link.tsx';
import { Time } from '../../parts/time.tsx';
import { useSignedIn } from '../../parts/session.ts';
import { usePasskey } from '../../passkey.ts';

/** What a recovery does beside letting its holder in. */
const EFFECT = 'Recovering revokes all API keys, and blocks withdrawals, new API keys and new addresses for 24 hours.';

/** For somebody who came by a link: their passkey, or one of two recoveries. */
export function Return() {
  const { session, account, reload } = useSignedIn();
  const [code, setCode] = useState('');
  const recover = async (proof: object) => {
    await ask('POST', '/account/recovery', proof);
    reload();
  };
  const showCode = () => {
    const isTotp = /^\d{6}$/.test(code.trim());
    return recover(isTotp ? { totpCode: code.trim() } : { recoveryCode: code });
  };
  const until_ms = account.recoveryAllowedUntil_ms;
  return (
    <section class="card">
      <h2>Get back in</h2>
      <p>
        You signed in by a link, so you can only view the account, deposit, and freeze it. To change anything, use one
        of these ways:
      </p>

      <ul class="ways">
        {until_ms !== null && (
          <li>
            <div>
              <h3>We have agreed to let you back in</h3>
              <p>
                Recover the account before{' '}
                <strong>
                  <Time isZoned at={new Date(until_ms).toISOString()} />
                </strong>
                , then add a new passkey.
              </p>
              {account.totp.enabled && (
                <p>For 24 hours you can then switch two-factor authentication off without a code.</p>
              )}
              <p class="notice warn">{EFFECT}</p>
            </div>
            <Form act={() => recover({ allowedByExchange: true })} label="Recover the account" />
          </li>
        )}
        <li>
          <div>
            <h3>With your passkey</h3>
            <p>On the device that has it, or with your phone. Nothing else changes.</p>
          </div>
          <Form
            plain={until_ms !== null}
            label="Use a passkey"
            act={async () => {
              await usePasskey();
              reload();
            }}
          />
        </li>
        {until_ms === null && (
          <>
            <li>
              <div>
                <h3>With a code</h3>
                <p>Enter one from your authenticator app, or a recovery code. Then add a new passkey.</p>
                <p class="notice warn">{EFFECT}</p>
              </div>
              <Form plain act={showCode} label="Recover the account">
                <TextField
                  label="Authenticator or recovery code"
                  autoComplete="one-time-code"
                  required
                  value={code}
                  set={setCode}
                />
              </Form>
            </li>
            <li>
              <div>
                <h3>Without a passkey or a code</h3>
                <p>
                  Write to us from {session.email}. We check who you are, and mail you once you can recover the account
                  here.
                </p>
              </div>
              <MailLink words="Write to us" />
            </li>
          </>
        )}
      </ul>
    </section>
  );
}
