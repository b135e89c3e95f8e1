import { ask } from '../ask.ts';
import { useLoaded } from '../load.ts';
import { Pill } from '../parts/pill.tsx';
import { mustReturn, useSignedIn } from '../parts/session.ts';
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
  const mayChange = !mustReturn(session);
  const codes = ways.loaded.state === 'here' ? ways.loaded.value.recoveryCodes : undefined;
  // Whatever changes one of these also changes the sessions and the log, which are then read again.
  const state = `${session.level} ${session.passkeys} ${session.isRecovered} ${account.totp.enabled} ${account.account.status}`;
  return (
    <>
      {!mayChange && <Return />}
      {!mayChange && <Freeze />}
      <dl class="facts short">
        <Fact name="Passkeys" status={session.passkeys > 1 ? 'completed' : 'pending'}>
          {['None yet', 'Only one'][session.passkeys] ?? `${session.passkeys} enrolled`}
        </Fact>
        <Fact name="Two-factor authentication" status={account.totp.enabled ? 'completed' : 'pending'}>
          {account.totp.enabled ? 'On' : 'Off'}
        </Fact>
        {codes !== undefined && (
          <Fact name="Recovery codes" status={codes > 0 ? 'completed' : 'pending'}>
            {codes > 0 ? `${codes} left` : 'None yet'}
          </Fact>
        )}
        <Fact
          name="Withdrawals go to"
          way="/addresses"
          status={account.allowlist.mode === 'strict' ? 'completed' : 'open'}
        >
          {account.allowlist.mode === 'strict' ? 'Approved addresses' : 'Any address'}
        </Fact>
      </dl>
      {mayChange && (
        <div class="split even">
          <Passkeys
            ways={ways.loaded}
            changed={() => {
              ways.reload();
              reload();
            }}
          />
          {session.passkeys === 0 ? (
            <Next />
          ) : (
            <>
              <SecondFactor />
              <RecoveryCodes ways={ways.loaded} drawn={ways.reload} />
            </>
          )}
          <Freeze />
        </div>
      )}
      <Sessions key={`sessions ${state}`} />
      <SecurityLog key={`log ${state}`} />
    </>
  );
}

/** What can be done once there is a passkey. */
function Next() {
  const { account } = useSignedIn();
  return (
    <section class="card">
      <h2>After that</h2>
      <ol class="steps">
        {!account.totp.enabled && (
          <li>
            Switch on two-factor authentication. Without it you cannot withdraw here, or make an API key that does.
          </li>
        )}
        <li>Make recovery codes. One brings you back, if your passkeys are lost.</li>
      </ol>
    </section>
  );
}

/** How one of the things that keep the account safe is now. */
function Fact({
  name,
  way,
  status,
  children,
}: {
  readonly name: string;
  /** The page on which it is changed, where that is another. */
  readonly way?: string;
  readonly status: 'completed' | 'pending' | 'open';
  readonly children: string;
}) {
  return (
    <div>
      <dt>{way === undefined ? name : <a href={way}>{name}</a>}</dt>
      <dd>
        <Pill status={status} words={children} />
      </dd>
    </div>
  );
}
