import { useState } from 'preact/hooks';
import { ask } from '../../ask.ts';
import { Form, TextField } from '../../parts/form.tsx';
import { MailLink } from '../../parts/mail-link.tsx';
import { useSignedIn } from '../../parts/session.ts';
import { usePasskey } from '../../passkey.ts';

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
  const isAllowed = account.recoveryAllowedUntil_ms !== null;
  return (
    <section class="card">
      <h2>Get back in</h2>
      <p>
        If you recover without your passkey, all API keys are revoked, and for 24 hours the account takes no withdrawal,
        new API key or new address.
      </p>
      <div class="ways">
        {isAllowed && (
          <section>
            <h3>The exchange has agreed</h3>
            <p>
              You can add a new passkey, and need no code for it. For 24 hours you can also switch two-factor
              authentication off without one, and set it up anew.
            </p>
            <Form act={() => recover({ allowedByExchange: true })} label="Recover, then add a passkey" />
          </section>
        )}
        <section>
          <h3>With your passkey</h3>
          <p>On the device that has it, or from your telephone.</p>
          <Form
            plain={isAllowed}
            label="Use a passkey"
            act={async () => {
              await usePasskey();
              reload();
            }}
          />
        </section>
        {!isAllowed && (
          <>
            <section>
              <h3>With a code</h3>
              <p>Your passkeys are lost? With a code you can add a new one.</p>
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
