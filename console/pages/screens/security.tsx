import { ask } from '../ask.ts';
import { useLoaded } from '../load.ts';
import { mustReturn, useSignedIn } from '../parts/session.ts';
import { Freeze } from './security/freeze.tsx';
import { SecurityLog } from './security/log.tsx';
import { AddPasskey, Passkeys, type WaysIn } from './security/passkeys.tsx';
import { RecoveryCodes } from './security/recovery-codes.tsx';
import { Return } from './security/return.tsx';
import { SecondFactor } from './security/second-factor.tsx';
import { Sessions } from './security/sessions.tsx';

/** Everything that keeps the account the holder's own. */
export function Security() {
  const { session, account, reload } = useSignedIn();
  const ways = useLoaded(() => ask<WaysIn>('GET', '/account/passkeys'));
  const mayChange = !mustReturn(session);
  // Whatever changes one of these also changes the sessions and the log, which are then read again.
  const state = `${session.level} ${session.passkeys} ${session.isRecovered} ${account.totp.enabled} ${account.account.status}`;
  const changed = () => {
    ways.reload();
    reload();
  };
  return (
    <>
      {!mayChange && <Return />}
      {mayChange && session.passkeys === 0 && <SetUp changed={changed} />}
      <div class="settings">
        {mayChange && session.passkeys > 0 && (
          <>
            <Passkeys ways={ways.loaded} changed={changed} />
            <SecondFactor />
            <RecoveryCodes ways={ways.loaded} drawn={ways.reload} />
          </>
        )}
        <Sessions key={`sessions ${state}`} />
        <Freeze />
      </div>
      <SecurityLog key={`log ${state}`} />
    </>
  );
}

/** What an account is made safe with, of which a passkey comes first. */
function SetUp({ changed }: { readonly changed: () => void }) {
  return (
    <section class="card">
      <h2>Set up your account</h2>
      <p>Signed in by a link, you can view the account, deposit, and freeze it. A passkey opens the rest.</p>
      <ol class="ways">
        <li>
          <div>
            <h3>1. Add a passkey</h3>
            <p>
              It stays on your device, and opens with your fingerprint, your face or the device’s PIN. There is no
              password that could be stolen.
            </p>
          </div>
          <AddPasskey isMain added={changed} />
        </li>
        <li class="over">
          <div>
            <h3>2. Switch on two-factor authentication</h3>
            <p>After step 1. Without it you cannot withdraw here, or make an API key that withdraws.</p>
          </div>
        </li>
        <li class="over">
          <div>
            <h3>3. Make recovery codes</h3>
            <p>After step 1. A code brings you back, if your passkeys are lost.</p>
          </div>
        </li>
      </ol>
    </section>
  );
}
