import { Pill } from '../parts/pill.tsx';
import { useSignedIn } from '../parts/session.ts';
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
      <dl class="facts">
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
            <a href="/addresses">
              {account.allowlist.mode === 'strict' ? 'approved addresses alone' : 'approved and other addresses'}
            </a>
          </dd>
        </div>
      </dl>
      {session.level === 'look' && session.passkeys > 0 && !session.isRecovered && <Return />}
      <div class="split">
        <div>
          <Passkeys />
        </div>
        <div>
          <SecondFactor />
          <Sessions key={`sessions ${state}`} />
          <Freeze />
        </div>
      </div>
      <SecurityLog key={`log ${state}`} />
    </>
  );
}
