import { showTime } from '../format.ts';
import { nameWayIn, useSignedIn } from './session.ts';

/** Why the account takes no new key or address now, and what to do about it. */
export function CannotAdd({ what }: { readonly what: string }) {
  const { session, account } = useSignedIn();
  if (account.account.status === 'frozen') return <p class="quiet">The account is frozen, and takes no new {what}.</p>;
  if (account.heldUntil_ms !== null) {
    return (
      <p class="quiet">
        The account was recovered, so a new {what} has to wait until{' '}
        {showTime(new Date(account.heldUntil_ms).toISOString())}.
      </p>
    );
  }
  return (
    <>
      <p class="quiet">A new {what} needs your passkey.</p>
      <div class="side-by-side">
        <a class="main" href="/security">
          {nameWayIn(session)}
        </a>
      </div>
    </>
  );
}
