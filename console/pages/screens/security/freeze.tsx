import { useState } from 'preact/hooks';
import { ask } from '../../ask.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { Form } from '../../parts/form.tsx';
import { MailLink } from '../../parts/mail-link.tsx';
import { useSignedIn } from '../../parts/session.ts';

/** Stopping one's own account, after a second look. */
export function Freeze() {
  const { account, reload } = useSignedIn();
  const [isAsked, setAsked] = useState(false);
  if (account.account.status === 'frozen') return null;
  return (
    <section class="card">
      <h2>Freeze the account</h2>
      <p>If somebody else is in your account, freeze it. Only the exchange can unfreeze it.</p>
      <button type="button" class="danger" onClick={() => setAsked(true)}>
        Freeze my account …
      </button>
      {isAsked && (
        <Dialog title="Freeze your account?" close={() => setAsked(false)}>
          <Form
            danger
            label="Freeze my account"
            act={async () => {
              await ask('POST', '/account/freeze');
              reload();
            }}
            beside={
              <button type="button" onClick={({ currentTarget }) => currentTarget.closest('dialog')?.close()}>
                Cancel
              </button>
            }
          >
            <p>
              Trading and withdrawals stop at once, including through API keys. Deposits are still credited, and you can
              still look at everything.
            </p>
            <p>
              <strong>You cannot undo it yourself.</strong> To have the account unfrozen, write to <MailLink />. The
              exchange unfreezes it once it knows that it is you.
            </p>
          </Form>
        </Dialog>
      )}
    </section>
  );
}
