import { ask } from '../ask.ts';
import { useLoaded } from '../load.ts';
import { Pill } from '../parts/pill.tsx';
import { useSignedIn } from '../parts/session.ts';
import { Freeze } from './security/freeze.tsx';
import { SecurityLog } from './security/log.tsx';
import { Passkeys, type WaysIn } from './security/passkeys.tsx';
import { RecoveryCodes } from './security/recovery-codes.tsx';
import { Return } from './security/return.tsx';
import { SecondFactor } from './security/second-factor.tsx';
import { Sessions } from './security/sessions.tsx';

/** Everything that keeps the account the holder's own. */
export function Security() {
  const { session, account, reload } = useSignedIn();
  const ways = useLoaded(() => ask<WaysIn>('GET', '/account/passkeys'));
  // Who came by a link adds the first passkey, or one after a recovery. Nothing else is changed without a passkey.
  const mayChange = session.level === 'act' || session.passkeys === 0 || session.isRecovered;
  // Whatever changes one of these also changes the sessions and the log, which are then read again.
  const state = `${session.level} ${session.passkeys} ${session.isRecovered} ${account.totp.enabled} ${account.account.status}`;
  return (
    <>
      <dl class="facts short">
        <div>
          <dt>Passkeys</dt>
          <dd>
            <Pill
              status={session.passkeys > 0 ? 'completed' : 'pending'}
              words={session.passkeys > 0 ? `${session.passkeys} enrolled` : 'None yet'}
            />
          </dd>
        </div>
        <div>
          <dt>Two-factor authentication</dt>
          <dd>
            <Pill status={account.totp.enabled ? 'completed' : 'pending'} words={account.totp.enabled ? 'On' : 'Off'} />
          </dd>
        </div>
        <div>
          <dt>Withdrawals go to</dt>
          <dd>
            <a href="/addresses">{account.allowlist.mode === 'strict' ? 'approved addresses only' : 'any address'}</a>
          </dd>
        </div>
      </dl>
      {!mayChange && <Return />}
      <div class="columns">
        <Passkeys
          ways={ways.loaded}
          mayChange={mayChange}
          changed={() => {
            ways.reload();
            reload();
          }}
        />
        <RecoveryCodes ways={ways.loaded} mayChange={mayChange} drawn={ways.reload} />
        <SecondFactor mayChange={mayChange && session.passkeys > 0} />
        <Freeze />
        <Sessions key={`sessions ${state}`} />
      </div>
      <SecurityLog key={`log ${state}`} />
    </>
  );
}
