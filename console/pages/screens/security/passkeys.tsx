import { useState } from 'preact/hooks';
import { ask } from '../../ask.ts';
import { nameBrowser } from '../../browser-name.ts';
import { showTime } from '../../format.ts';
import { type LoadState } from '../../load.ts';
import { Folded } from '../../parts/folded.tsx';
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

/** What opens the account, and what brings its holder back. */
export interface WaysIn {
  readonly passkeys: readonly Passkey[];
  readonly recoveryCodes: number;
}

/** For how long a recovered account is held. */
const HOLD_MS = 86_400_000;

/** The passkeys that open the account. */
export function Passkeys({ ways, changed }: { readonly ways: LoadState<WaysIn>; readonly changed: () => void }) {
  const { session, account } = useSignedIn();
  const [name, setName] = useState(() => nameBrowser(navigator.userAgent));
  return (
    <section class="card">
      <h2>Passkeys</h2>
      <Shown loaded={ways}>
        {({ passkeys }) => (
          <>
            {passkeys.length === 0 && (
              <p>
                None yet. A passkey stays on your device, and opens with your fingerprint, your face or the device’s
                PIN: nobody else can act as you, and there is no password that could be stolen.
              </p>
            )}
            {passkeys.length > 0 && (
              <ul class="plain">
                {passkeys.map((passkey) => (
                  <PasskeyRow
                    key={passkey.id}
                    passkey={passkey}
                    recovered_ms={account.heldUntil_ms === null ? undefined : account.heldUntil_ms - HOLD_MS}
                    removed={passkeys.length > 1 ? changed : undefined}
                  />
                ))}
              </ul>
            )}
            {passkeys.length === 1 && (
              <p class="quiet">It is your only passkey. Add a second one, for the day you lose this one.</p>
            )}
            <Folded
              key={passkeys.length}
              label="Add another passkey"
              isOpen={passkeys.length === 0 || session.isRecovered}
              isMain={passkeys.length === 1}
            >
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
            </Folded>
          </>
        )}
      </Shown>
    </section>
  );
}

function PasskeyRow({
  passkey: { id, name, createdAt, usedAt },
  recovered_ms,
  removed,
}: {
  readonly passkey: Passkey;
  /** When the account was recovered, while it is held for that. */
  readonly recovered_ms: number | undefined;
  /** `undefined` for one that cannot be removed. */
  readonly removed: (() => void) | undefined;
}) {
  return (
    <li class="named">
      <div>
        <strong>{name}</strong>
        <p class="quiet">
          Added {showTime(createdAt)}
          {recovered_ms !== undefined && Date.parse(createdAt) < recovered_ms && ', before the recovery'}
          <br />
          {usedAt === null ? 'Not used yet' : `Last used ${showTime(usedAt)}`}
        </p>
      </div>
      {removed && (
        <Form
          danger
          label="Remove"
          about={name}
          act={async () => {
            await withPasskey(() => ask('DELETE', `/account/passkeys/${id}`));
            removed();
          }}
        />
      )}
    </li>
  );
}
