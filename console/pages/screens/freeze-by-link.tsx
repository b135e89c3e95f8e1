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
          <p>
            The mail says what was done. If you did not do it, freeze your account. Trading and withdrawals stop at
            once, including through API keys. Deposits are still credited.
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
