import { useState } from 'preact/hooks';
import { ask, isRefusal } from '../ask.ts';
import { useLoaded } from '../load.ts';
import { readOffer } from '../offer.ts';
import { Door } from '../parts/door.tsx';
import { MailLink } from '../parts/mail-link.tsx';
import { Form, TextField } from '../parts/form.tsx';
import { signInWithPasskey } from '../passkey.ts';
import { go } from '../route.ts';

/** The page for everybody who is not signed in. */
export function SignIn({ signedIn }: { readonly signedIn: () => void }) {
  const [email, setEmail] = useState('');
  const [isAsked, setAsked] = useState(false);
  const { loaded } = useLoaded(readOffer);
  const opensAccounts = loaded.state === 'here' && loaded.value.selfOpening;
  const askLink = async () => {
    await ask('POST', '/session/link', { email });
    setAsked(true);
  };
  if (isAsked)
    return <LinkAsked email={email} opensAccounts={opensAccounts} again={askLink} back={() => setAsked(false)} />;
  return (
    <Door title="Sign in" isFirst>
      <Form
        label="Sign in with a passkey"
        act={async () => {
          await signInWithPasskey();
          signedIn();
        }}
      />
      <h2 class="or">{opensAccounts ? 'No account or no passkey yet?' : 'No passkey on this device?'}</h2>
      <Form plain label="Send me a link" act={askLink}>
        <TextField label="E-mail" type="email" autoComplete="email" required value={email} set={setEmail} />
      </Form>
      <p class="quiet">
        With the link you can view your account, deposit, and freeze it. It is also how you begin to recover the
        account, if your passkeys are lost.
      </p>
      <p class="or quiet">
        {opensAccounts ? (
          'New here? The link opens an account for a new address.'
        ) : (
          <>
            New here? Accounts are by invitation: write to <MailLink />.
          </>
        )}
      </p>
    </Door>
  );
}

/** What to do once a link was asked for. */
function LinkAsked({
  email,
  opensAccounts,
  again,
  back,
}: {
  readonly email: string;
  readonly opensAccounts: boolean;
  readonly again: () => Promise<void>;
  readonly back: () => void;
}) {
  const [isSentAgain, setSentAgain] = useState(false);
  return (
    <Door title="Check your mail">
      <p role="status">
        {opensAccounts ? 'A link is on its way to ' : 'If this address has an account, a link is on its way to '}
        <strong class="breaks">{email}</strong>. Open it in this browser within 10 minutes.
      </p>
      {isSentAgain && (
        <p class="notice good" role="status">
          Sent again.
        </p>
      )}
      <p class="quiet">Not there after a minute? Check your spam folder, or send it again.</p>
      <Form
        plain
        label="Send again"
        act={async () => {
          await again();
          setSentAgain(true);
        }}
      />
      <button type="button" class="link" onClick={back}>
        Use another address, or a passkey
      </button>
    </Door>
  );
}

/** The page of a link. The button spends it, so that no program that only opens links does. */
export function OpenLink({ opened }: { readonly opened: () => void }) {
  const [secret] = useState(() => location.hash.slice(1));
  const [isDead, setDead] = useState(false);
  if (isDead)
    return (
      <Door title="Link no longer valid">
        <p role="alert">
          It may have been used, be older than 10 minutes, or have been asked for in another browser. Ask for a new one,
          and open it in this browser.
        </p>
        <div class="side-by-side">
          <a class="main" href="/">
            Ask for a new link
          </a>
        </div>
        <p>
          <a href="/">Use a passkey instead</a>
        </p>
      </Door>
    );
  return (
    <Door title="Sign in to Bureau">
      <p>
        This link works once. With it you can view your account, deposit, and freeze it. Trading and withdrawing need a
        passkey.
      </p>
      <Form
        label="Sign in"
        act={async () => {
          try {
            await ask('POST', '/session/link/spend', { secret });
          } catch (error) {
            if (!isDeadLink(error)) throw error;
            setDead(true);
            return;
          }
          go('/');
          opened();
        }}
      />
      <p>
        <a href="/">Use a passkey instead</a>
      </p>
    </Door>
  );
}

/** Whether an error says that the link of a mail opens nothing, be it used, too old or cut off. */
export function isDeadLink(error: unknown): boolean {
  return isRefusal(error, 'link_not_valid') || isRefusal(error, 'invalid_request');
}
