import { useState } from 'preact/hooks';
import { ask } from '../ask.ts';
import { useLoaded } from '../load.ts';
import { Door } from '../parts/door.tsx';
import { Form, TextField } from '../parts/form.tsx';
import { signInWithPasskey } from '../passkey.ts';
import { go } from '../route.ts';

/** The page for everybody who is not signed in. */
export function SignIn({ signedIn }: { readonly signedIn: () => void }) {
  const [email, setEmail] = useState('');
  const [isAsked, setAsked] = useState(false);
  const { loaded } = useLoaded(() => ask<{ selfOpening: boolean }>('GET', '/session/offer'));
  const opensAccounts = loaded.state === 'here' && loaded.value.selfOpening;
  return (
    <Door title="Sign in">
      <Form
        label="Sign in with a passkey"
        act={async () => {
          await signInWithPasskey();
          signedIn();
        }}
      />
      <h2 class="or">{opensAccounts ? 'No account or no passkey yet?' : 'No passkey on this device?'}</h2>
      {isAsked ? (
        <p class="notice good" role="status">
          {opensAccounts ? 'A link is on its way.' : 'If this address is known, a link is on its way.'} Open it in this
          browser within 10 minutes.
        </p>
      ) : (
        <Form
          plain
          label="Send me a link"
          act={async () => {
            await ask('POST', '/session/link', { email });
            setAsked(true);
          }}
        >
          <TextField label="E-mail" type="email" autoComplete="email" required value={email} set={setEmail} />
        </Form>
      )}
      <p class="quiet">
        A link by e-mail lets you look, and freeze the account. If your passkeys are lost, it is also the way back in.
        {opensAccounts && ' With a new address it opens an account.'}
      </p>
    </Door>
  );
}

/** The page of a link. The button spends it, so that no program that only opens links does. */
export function OpenLink({ opened }: { readonly opened: () => void }) {
  const [secret] = useState(() => location.hash.slice(1));
  return (
    <Door title="Open your account">
      <p>The link opens your account in this browser. It works once.</p>
      <Form
        label="Open my account"
        act={async () => {
          await ask('POST', '/session/link/spend', { secret });
          go('/');
          opened();
        }}
      />
      <p>
        <a href="/">Sign in in another way</a>
      </p>
    </Door>
  );
}
