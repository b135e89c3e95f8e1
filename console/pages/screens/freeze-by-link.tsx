import { useState } from 'preact/hooks';
import { ask } from '../ask.ts';
import { useLoaded } from '../load.ts';
import { Door } from '../parts/door.tsx';
import { Form } from '../parts/form.tsx';
import { MailLink } from '../parts/mail-link.tsx';
import { Waiting } from '../parts/notice.tsx';
import { Time } from '../parts/time.tsx';
import { isDeadLink } from './sign-in.tsx';

/** What a link is for: the subject of its mail, the address that it went to, not in full, and when. */
interface FreezeLink {
  readonly subject: string;
  readonly email: string;
  readonly mailedAt: string;
}

/** The page of a link in a mail. Its button freezes the account, so that no program that only opens links does. */
export function FreezeByLink() {
  const [secret] = useState(() => location.hash.slice(1));
  const [isFrozen, setFrozen] = useState(false);
  const { loaded } = useLoaded(() => ask<FreezeLink>('POST', '/session/freeze/read', { secret }));
  if (loaded.state === 'failed' && isDeadLink(loaded.error))
    return (
      <Door title="Link no longer valid">
        <p role="alert">This link worked for seven days. You can still freeze your account:</p>
        <ol class="numbered">
          <li>Sign in. Without your passkey, we mail you a link.</li>
          <li>Open Security, and choose “Freeze my account”.</li>
        </ol>
        <div class="side-by-side">
          <a class="main" href="/security">
            Sign in to freeze
          </a>
        </div>
        <p>
          You cannot sign in? Write to <MailLink about="Freeze my account" />.
        </p>
      </Door>
    );
  return (
    <Door title={isFrozen ? 'Your account is frozen' : 'Freeze your account'}>
      {isFrozen ? (
        <>
          <p class="notice good" role="status">
            Trading and withdrawals have stopped, including through API keys.
          </p>
          <ol class="numbered">
            <li>Sign in, remove passkeys and API keys that are not yours, and sign out other browsers.</li>
            <li>
              Write to <MailLink about="My account is frozen" />, and tell us what happened. We unfreeze the account
              once we know that it is you.
            </li>
          </ol>
        </>
      ) : (
        <>
          {loaded.state === 'waiting' && <Waiting />}
          {loaded.state === 'here' && (
            <p>
              On <Time isZoned at={loaded.value.mailedAt} /> we mailed <code class="short">{loaded.value.email}</code>:
              <br />
              <strong>{loaded.value.subject}</strong>
            </p>
          )}
          <p>
            If you did not do this, freeze your account. Trading and withdrawals stop at once, including through API
            keys. Deposits are still credited.
          </p>
          <p>
            <strong>You cannot undo it yourself.</strong> To have the account unfrozen, write to <MailLink />.
          </p>
          <Form
            danger
            label="Freeze my account"
            act={async () => {
              await ask('POST', '/session/freeze', { secret });
              setFrozen(true);
            }}
          />
        </>
      )}
      <div class="side-by-side">
        <a class={isFrozen ? 'main' : undefined} href="/">
          {isFrozen ? 'Sign in' : 'It was me'}
        </a>
      </div>
    </Door>
  );
}
