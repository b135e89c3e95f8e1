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
            Trading, withdrawals and all API keys have stopped.
          </p>
          <p>
            <strong>Next:</strong> write to <MailLink /> and tell us what happened. We unfreeze the account once we know
            that it is you.
          </p>
        </>
      ) : (
        <>
          <p>
            If what the mail says was not you, freeze your account: trading, withdrawals and all API keys stop at once.
            You cannot undo it yourself. To have it unfrozen, you write to the exchange.
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
      <p>
        <a href="/">{isFrozen ? 'Sign in, to see who else is and change your passkeys' : 'It was me: do nothing'}</a>
      </p>
    </Door>
  );
}
