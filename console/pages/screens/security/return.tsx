import { useState } from 'preact/hooks';
import { ask } from '../../ask.ts';
import { showTime } from '../../format.ts';
import { Form, TextField } from '../../parts/form.tsx';
import { MailLink } from '../../parts/mail-link.tsx';
import { useSignedIn } from '../../parts/session.ts';
import { usePasskey } from '../../passkey.ts';

/** What every recovery costs. */
const COST = 'All API keys are revoked, and for 24 hours the account takes no withdrawal, new API key or new address.';

/** For somebody who came by a link: their passkey, or one of two recoveries. */
export function Return() {
  const { account, reload } = useSignedIn();
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
        You signed in by a link, so you can only look, deposit and freeze the account. Get back in to change anything.
      </p>
      <div class="ways">
        {until_ms !== null && (
          <section>
            <h3>Without a code</h3>
            <p>The exchange has agreed to let you in, until {showTime(new Date(until_ms).toISOString())}.</p>
            <ol>
              <li>Recover the account here, and add a new passkey.</li>
              {account.totp.enabled && (
                <li>
                  Within 24 hours, switch two-factor authentication off and set it up again. It needs no code then.
                </li>
              )}
            </ol>
            <p class="quiet">{COST}</p>
            <Form act={() => recover({ allowedByExchange: true })} label="Recover, then add a passkey" />
          </section>
        )}
        <section>
          <h3>With your passkey</h3>
          <p>On the device that has it, or from your telephone. Nothing is revoked.</p>
          <Form
            plain={until_ms !== null}
            label="Use a passkey"
            act={async () => {
              await usePasskey();
              reload();
            }}
          />
        </section>
        {until_ms === null && (
          <>
            <section>
              <h3>With a code</h3>
              <p>Your passkeys are lost? With a code you can add a new one.</p>
              <p class="quiet">{COST}</p>
              <Form plain act={showCode} label="Recover, then add a passkey">
                <TextField
                  label="Authenticator or recovery code"
                  autoComplete="one-time-code"
                  required
                  value={code}
                  set={setCode}
                />
              </Form>
            </section>
            <section>
              <h3>With the exchange</h3>
              <p>
                You have no code either? Tell the exchange, and show it who you are: write to <MailLink />. Once two of
                its people have agreed you get a mail; then come back to this page by a new link.
              </p>
            </section>
          </>
        )}
      </div>
    </section>
  );
}
