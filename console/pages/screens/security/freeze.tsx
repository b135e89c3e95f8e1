import { useState } from 'preact/hooks';
import { ask } from '../../ask.ts';
import { Form } from '../../parts/form.tsx';
import { useSignedIn } from '../../parts/session.ts';

/** Stopping one's own account. */
export function Freeze() {
  const { account, reload } = useSignedIn();
  const [isSure, setSure] = useState(false);
  if (account.account.status === 'frozen') return null;
  return (
    <section class="card">
      <h2>Stop the account</h2>
      <p>
        If somebody else is in your account, freeze it: no key can trade or withdraw. Only the exchange unfreezes it.
      </p>
      <Form
        danger
        label="Freeze my account"
        act={async () => {
          if (!isSure) return;
          await ask('POST', '/account/freeze');
          reload();
        }}
      >
        <label class="tick">
          <input type="checkbox" required checked={isSure} onChange={() => setSure(!isSure)} />
          Stop everything until the exchange has spoken to me
        </label>
      </Form>
    </section>
  );
}
