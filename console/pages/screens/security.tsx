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
      {mayChange ? (
        <div class="split even">
          <Passkeys
            ways={ways.loaded}
            changed={() => {
              ways.reload();
              reload();
            }}
          />
          <SecondFactor />
          <RecoveryCodes ways={ways.loaded} drawn={ways.reload} />
          <Freeze />
        </div>
      ) : (
        <Freeze />
      )}
      <Sessions key={`sessions ${state}`} />
      <SecurityLog key={`log ${state}`} />
    </>
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
