import { useState } from 'preact/hooks';
import { ask } from '../../ask.ts';
import { showTime } from '../../format.ts';
import { Folded } from '../../parts/folded.tsx';
import { Form, TextField } from '../../parts/form.tsx';
import { useSignedIn } from '../../parts/session.ts';
import { usePasskey } from '../../passkey.ts';

/** For somebody who came by a link: their passkey, or a recovery. */
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
  return (
    <section class="card">
      <h2>Use your passkey</h2>
      <Form
        label="Use a passkey"
        act={async () => {
          await usePasskey();
          reload();
        }}
      />
      <Folded label="My passkeys are lost" isOpen={account.recoveryAllowedUntil_ms !== null}>
        <p>
          With a code of your authenticator app or a recovery code you can add a new passkey. All API keys are then
          revoked, and for 24 hours the account takes no withdrawal, new API key or new address.
        </p>
        <Form act={showCode} label="Recover my account">
          <TextField label="Code" autoComplete="one-time-code" required value={code} set={setCode} />
        </Form>
        <h3>I have no code either</h3>
        {account.recoveryAllowedUntil_ms === null ? (
          <p>
            Tell the exchange, and show it who you are. Once two of its people have agreed you get a mail; then come
            back to this page by a new link.
          </p>
        ) : (
          <>
            <p>
              The exchange has agreed. Until {showTime(new Date(account.recoveryAllowedUntil_ms).toISOString())} you can
              recover the account without a code.
            </p>
            <Form act={() => recover({ allowedByExchange: true })} label="Recover without a code" />
          </>
        )}
      </Folded>
    </section>
  );
}
