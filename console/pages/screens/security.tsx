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
  const { session } = useSignedIn();
  return (
    <>
      {session.level === 'look' && session.passkeys > 0 && !session.isRecovered && <Return />}
      <Passkeys />
      <SecondFactor />
      <Addresses />
      <Sessions />
      <Freeze />
      <SecurityLog />
    </>
  );
}
