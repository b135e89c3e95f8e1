import { useState } from 'preact/hooks';
import { ask } from '../../ask.ts';
import type { LoadState } from '../../load.ts';
import { CopyButton } from '../../parts/copy.tsx';
import { Folded } from '../../parts/folded.tsx';
import { Form, TextField } from '../../parts/form.tsx';
import { Shown } from '../../parts/notice.tsx';
import { Pill } from '../../parts/pill.tsx';
import { useSignedIn } from '../../parts/session.ts';
import { ShownOnce } from '../../parts/shown-once.tsx';
import { withPasskey } from '../../passkey.ts';
import { saveFile } from '../../save-file.ts';
import type { WaysIn } from './passkeys.tsx';

/** The codes for the day when all passkeys are lost. New ones are shown once. */
export function RecoveryCodes({ ways, drawn }: { readonly ways: LoadState<WaysIn>; readonly drawn: () => void }) {
  const { account } = useSignedIn();
  const [codes, setCodes] = useState<readonly string[]>([]);
  const [totpCode, setTotpCode] = useState('');
  const left = ways.state === 'here' ? ways.value.recoveryCodes : undefined;
  const draw = async () => {
    const body = account.totp.enabled ? { totpCode: totpCode.trim() } : {};
    const answer = await withPasskey(() => ask<{ recoveryCodes: string[] }>('POST', '/account/recovery-codes', body));
    setCodes(answer.recoveryCodes);
    setTotpCode('');
    drawn();
  };
  return (
    <section class="card">
      <div class="title">
        <h2>Recovery codes</h2>
        {left !== undefined && (
          <Pill status={left > 0 ? 'completed' : 'pending'} words={left > 0 ? `${left} left` : 'None yet'} />
        )}
      </div>
      {codes.length > 0 && <NewCodes codes={codes} close={() => setCodes([])} />}
      <Shown loaded={ways}>
        {({ recoveryCodes }) => (
          <>
            <p>Each code lets you back in once, if you lose your passkeys.</p>
            <Folded key={recoveryCodes} label="Make new codes …" isOpen={recoveryCodes === 0}>
              <Form plain label="Make ten new recovery codes" act={draw}>
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
          </>
        )}
      </Shown>
    </section>
  );
}

function NewCodes({ codes, close }: { readonly codes: readonly string[]; readonly close: () => void }) {
  const text = codes.join('\n');
  return (
    <ShownOnce
      title="Your recovery codes"
      where="Each works once, if you lose your passkeys; older codes no longer work. Keep them apart from your devices: on paper, or in a safe."
      stored="I have stored them"
      close={close}
    >
      <ol class="codes">
        {codes.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ol>
      <div class="side-by-side">
        <CopyButton isBeside text={text} label="the codes" />
        <button type="button" onClick={() => saveFile('bureau-recovery-codes.txt', `${text}\n`, 'text/plain')}>
          Download
        </button>
      </div>
    </ShownOnce>
  );
}
