import { useState } from 'preact/hooks';
import { ask } from '../../ask.ts';
import type { LoadState } from '../../load.ts';
import { Folded } from '../../parts/folded.tsx';
import { Form, TextField } from '../../parts/form.tsx';
import { Shown } from '../../parts/notice.tsx';
import { useSignedIn } from '../../parts/session.ts';
import { withPasskey } from '../../passkey.ts';
import type { WaysIn } from './passkeys.tsx';

/** The codes for the day when all passkeys are lost. New ones are shown once. */
export function RecoveryCodes({ ways, drawn }: { readonly ways: LoadState<WaysIn>; readonly drawn: () => void }) {
  const { account } = useSignedIn();
  const [codes, setCodes] = useState<readonly string[]>([]);
  const [totpCode, setTotpCode] = useState('');
  const draw = async () => {
    const body = account.totp.enabled ? { totpCode: totpCode.trim() } : {};
    const answer = await withPasskey(() => ask<{ recoveryCodes: string[] }>('POST', '/account/recovery-codes', body));
    setCodes(answer.recoveryCodes);
    setTotpCode('');
    drawn();
  };
  return (
    <section class="card">
      <h2>Recovery codes</h2>
      <Shown loaded={ways}>
        {({ passkeys, recoveryCodes }) => (
          <>
            <p>
              {recoveryCodes === 0 ? 'You have none' : `${recoveryCodes} of 10 are left`}. Each brings you back once, if
              your passkeys are lost.{passkeys.length === 0 && ' They are drawn with a passkey: add one first.'}
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
              <Folded key={recoveryCodes} label="Draw new codes" isOpen={recoveryCodes === 0}>
                <Form plain label="Draw ten new recovery codes" act={draw}>
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
              </Folded>
            )}
          </>
        )}
      </Shown>
    </section>
  );
}
