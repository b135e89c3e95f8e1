import { useSignedIn } from '../parts/session.ts';
import { Addresses } from './security/addresses.tsx';
import { Freeze } from './security/freeze.tsx';
import { SecurityLog } from './security/log.tsx';
import { Passkeys } from './security/passkeys.tsx';
import { Return } from './security/return.tsx';
import { SecondFactor } from './security/second-factor.tsx';
import { Sessions } from './security/sessions.tsx';

/** Everything that keeps the account the holder's own. */
export function Security() {
  const { session, account } = useSignedIn();
  // Whatever changes one of these also changes the sessions and the log, which are then read again.
  const state = `${session.level} ${session.passkeys} ${session.isRecovered} ${account.totp.enabled}`;
  return (
    <>
      {session.level === 'look' && session.passkeys > 0 && !session.isRecovered && <Return />}
      <div class="split">
        <div>
          <Passkeys />
          <SecondFactor />
          <Sessions key={`sessions ${state}`} />
        </div>
        <div>
          <Addresses />
          <Freeze />
        </div>
      </div>
      <SecurityLog key={`log ${state}`} />
    </>
  );
}
