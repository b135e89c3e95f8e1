import { useState } from 'preact/hooks';
import { ask } from '../../ask.ts';
import { nameBrowser } from '../../browser-name.ts';
import { type LoadState } from '../../load.ts';
import { Folded } from '../../parts/folded.tsx';
import { Form, TextField } from '../../parts/form.tsx';
import { Shown } from '../../parts/notice.tsx';
import { Time } from '../../parts/time.tsx';
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

/** Adds a passkey of this browser, or of what it reaches. */
export function AddPasskey({ isMain = false, added }: { readonly isMain?: boolean; readonly added: () => void }) {
  const [name, setName] = useState(() => nameBrowser(navigator.userAgent));
  return (
    <Form
      plain={!isMain}
      label="Add a passkey"
      act={async () => {
        await withPasskey(() => enrolPasskey(name));
        added();
      }}
    >
      <TextField label="Name of the new passkey" required maxLength={60} value={name} set={setName} />
    </Form>
  );
}

/** The passkeys that open the account. */
export function Passkeys({ ways, changed }: { readonly ways: LoadState<WaysIn>; readonly changed: () => void }) {
  const { session, account } = useSignedIn();
  const recovered_ms = account.heldUntil_ms === null ? undefined : account.heldUntil_ms - HOLD_MS;
  return (
    <section class="card">
      <h2>Passkeys</h2>
      <Shown loaded={ways}>
        {({ passkeys }) => (
          <>
            <ul class="plain">
              {passkeys.map((passkey) => (
                <PasskeyRow
                  key={passkey.id}
                  passkey={passkey}
                  age={
                    recovered_ms === undefined
                      ? undefined
                      : Date.parse(passkey.createdAt) < recovered_ms
                        ? 'older'
                        : 'newer'
                  }
                  removed={passkeys.length > 1 && !session.isRecovered ? changed : undefined}
                />
              ))}
            </ul>
            {session.isRecovered ? (
              <p>Add a new passkey. Then you can remove the one that you lost.</p>
            ) : (
              passkeys.length === 1 && (
                <p class="notice warn">
                  <strong>This is your only passkey.</strong> Add a second one on another device, in case you lose this
                  one.
                </p>
              )
            )}
            <Folded
              key={passkeys.length}
              label="Add another passkey"
              isOpen={session.isRecovered}
              isMain={passkeys.length === 1}
            >
              <AddPasskey isMain={session.isRecovered} added={changed} />
            </Folded>
          </>
        )}
      </Shown>
    </section>
  );
}

function PasskeyRow({
  passkey: { id, name, createdAt, usedAt },
  age,
  removed,
}: {
  readonly passkey: Passkey;
  /** Whether it is from before the recovery for which the account is held. */
  readonly age: 'older' | 'newer' | undefined;
  /** `undefined` for one that cannot be removed. */
  readonly removed: (() => void) | undefined;
}) {
  const [isKept, setKept] = useState(false);
  const isAskedFor = age === 'older' && removed !== undefined && !isKept;
  const remove = async () => {
    await withPasskey(() => ask('DELETE', `/account/passkeys/${id}`));
    removed?.();
  };
  return (
    <li class="entry">
      <div class="title">
        <strong>{name}</strong>
        {removed && !isAskedFor && <Form danger plain label="Remove" about={name} act={remove} />}
      </div>
      <p class="quiet">
        Added <Time at={createdAt} />
        <br />
        {usedAt === null ? (
          'Not used yet'
        ) : (
          <>
            Last used <Time at={usedAt} />
          </>
        )}
      </p>
      {isAskedFor && (
        <div class="notice warn asked">
          <p>
            <strong>Do you still have this passkey?</strong> It is from before the recovery. Remove it if you lost it.
          </p>
          <div class="side-by-side">
            <Form danger label="Remove it" about={name} act={remove} />
            <button type="button" onClick={() => setKept(true)}>
              Keep it
            </button>
          </div>
        </div>
      )}
    </li>
  );
}
