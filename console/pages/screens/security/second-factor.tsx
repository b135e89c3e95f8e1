import { useState } from 'preact/hooks';
import { ask } from '../../ask.ts';
import { inGroups } from '../../format.ts';
import { Copied } from '../../parts/copy.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Folded } from '../../parts/folded.tsx';
import { Form, TextField } from '../../parts/form.tsx';
import { Pill } from '../../parts/pill.tsx';
import { QrCode } from '../../parts/qr.tsx';
import { useSignedIn } from '../../parts/session.ts';
import { withPasskey } from '../../passkey.ts';

/** Two-factor authentication: switching it on from what is shown here, and off. */
export function SecondFactor() {
  const { account, reload } = useSignedIn();
  const [drawn, setDrawn] = useState<{ readonly secret: string; readonly otpauthUri: string }>();
  const [code, setCode] = useState('');
  const totpCode = code.trim();
  return (
    <section class="card">
      <div class="title">
        <h2>Two-factor authentication</h2>
        <Pill status={account.totp.enabled ? 'completed' : 'pending'} words={account.totp.enabled ? 'On' : 'Off'} />
      </div>
      {account.totp.enabled ? (
        <>
          <p>
            You need a code from your authenticator app to withdraw, to make recovery codes, and to switch this off.
          </p>
          <Folded label="Switch it off …">
            <p class="quiet">
              If the exchange let you back in without a code, none is asked for in the 24 hours after it.
            </p>
            <Form
              danger
              label="Switch it off"
              act={async () => {
                const body = totpCode === '' ? {} : { totpCode };
                await withPasskey(() => ask('POST', '/account/totp/remove', body));
                setCode('');
                reload();
              }}
            >
              <TextField label="Code" inputMode="numeric" autoComplete="one-time-code" value={code} set={setCode} />
            </Form>
          </Folded>
        </>
      ) : (
        <>
          <p>Without it you cannot withdraw here, or make an API key that withdraws.</p>
          <Form
            label="Set it up"
            act={async () => {
              const { totp } = await withPasskey(() =>
                ask<{ totp: { secret: string; otpauthUri: string } }>('POST', '/account/totp'),
              );
              setDrawn(totp);
            }}
          />
          {drawn && (
            <Dialog title="Set up two-factor authentication" close={() => setDrawn(undefined)}>
              <p>
                <span class="off-telephone">
                  Scan the code with your authenticator app, or enter the setup key there.
                </span>
                <span class="on-telephone">Open your authenticator app below, or enter the setup key there.</span> Then
                enter the code that the app shows.
              </p>
              <QrCode text={drawn.otpauthUri} label="The secret as a QR code" />
              <div class="on-telephone side-by-side">
                <a href={drawn.otpauthUri}>Open your authenticator app</a>
              </div>
              <div class="on-telephone">
                <Folded isLink label="Show the QR code for another device">
                  <QrCode text={drawn.otpauthUri} label="The secret as a QR code" />
                </Folded>
              </div>
              <div class="field">
                <span class="quiet">Setup key</span>
                <Copied isBeside text={drawn.secret} shown={inGroups(drawn.secret)} label="the setup key" />
              </div>
              <Form
                label="Switch it on"
                beside={
                  <button type="button" onClick={({ currentTarget }) => currentTarget.closest('dialog')?.close()}>
                    Cancel
                  </button>
                }
                act={async () => {
                  await withPasskey(() => ask('POST', '/account/totp/confirm', { totpCode }));
                  setDrawn(undefined);
                  setCode('');
                  reload();
                }}
              >
                <TextField
                  label="6-digit code from the app"
                  inputMode="numeric"
                  autoComplete="one-time-code"
                  required
                  value={code}
                  set={setCode}
                />
              </Form>
            </Dialog>
          )}
        </>
      )}
    </section>
  );
}
