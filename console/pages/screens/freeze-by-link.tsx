import { useState } from 'preact/hooks';
import { ask } from '../ask.ts';
import { Door } from '../parts/door.tsx';
import { Form } from '../parts/form.tsx';
import { MailLink } from '../parts/mail-link.tsx';

/** The page of a link in a mail. Its button freezes the account, so that no program that only opens links does. */
export function FreezeByLink() {
  const [secret] = useState(() => location.hash.slice(1));
  const [isFrozen, setFrozen] = useState(false);
  return (
    <Door title={isFrozen ? 'Your account is frozen' : 'Freeze your account'}>
      {isFrozen ? (
        <>
          <p class="notice" role="status">
            Trading and withdrawals have stopped, by API keys too.
          </p>
          <ol class="numbered">
            <li>
              Write to <MailLink />, and tell us what happened. We unfreeze the account once we know that it is you.
            </li>
            <li>Sign in, and remove the passkeys and sign out the browsers that are not yours.</li>
          </ol>
        </>
      ) : (
        <>
          <p>
            If you did not do what the mail tells of, freeze your account. Trading and withdrawals stop at once, by API
            keys too.
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
        <a href="/">{isFrozen ? 'Sign in' : 'It was me'}</a>
      </div>
    </Door>
  );
}
