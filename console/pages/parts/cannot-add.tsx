import { mustReturn, nameWayIn, useSignedIn } from './session.ts';
import { Time } from './time.tsx';

/** Why the account takes no new key or address now, and what to do about it. */
export function CannotAdd({ act }: { readonly act: string }) {
  const { session, account } = useSignedIn();
  if (account.account.status === 'frozen') return <p class="quiet">You can {act} once the account is unfrozen.</p>;
  if (account.heldUntil_ms !== null) {
    return (
      <p class="quiet">
        You can {act} again after <Time isZoned at={new Date(account.heldUntil_ms).toISOString()} />.
      </p>
    );
  }
  return (
    <>
      <p class="quiet">
        To {act}, {mustReturn(session) ? 'use your passkey' : 'first add a passkey'}. It confirms that it is you.
      </p>
      <div class="side-by-side">
        <a class="main" href="/security">
          {nameWayIn(session)}
        </a>
      </div>
    </>
  );
}
