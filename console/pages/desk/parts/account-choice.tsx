import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Field } from '../../parts/form.tsx';
import { Fault } from '../../parts/notice.tsx';
import { type AccountOfHolder, findAccounts } from './find-accounts.ts';
import { ShortId } from './names.tsx';

/** So many are offered: whoever is meant but not among them is found by more of the name. */
const MOST_OFFERED = 5;

/** Whose an account is, with the end of its id. */
export const Holder = ({ account: { id, email } }: { readonly account: AccountOfHolder }) => (
  <small class="below breaks">
    {email ?? 'no holder yet'} <ShortId id={id} />
  </small>
);

/** Finds accounts as the desk's search does, of which one is chosen. Its form cannot be sent before. */
export function AccountChoice({
  chosen,
  choose,
}: {
  readonly chosen: AccountOfHolder | undefined;
  readonly choose: (account: AccountOfHolder | undefined) => void;
}) {
  const field = useRef<HTMLInputElement>(null);
  const [found, setFound] = useState<readonly AccountOfHolder[] | undefined>(chosen && [chosen]);
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  // With the choice itself: whoever presses Enter at once must not be refused.
  useLayoutEffect(() => field.current?.setCustomValidity(chosen ? '' : 'Find the account, and choose it.'), [chosen]);
  const find = async () => {
    const query = field.current?.value.trim() ?? '';
    if (query === '' || isBusy) return;
    setBusy(true);
    setError(undefined);
    setFound(undefined);
    choose(undefined);
    try {
      setFound((await findAccounts({ query }, undefined, MOST_OFFERED)).rows.slice(0, MOST_OFFERED));
    } catch (fault) {
      setError(fault);
    } finally {
      setBusy(false);
    }
  };
  return (
    <>
      <Field label="Account" help="The beginning of a name or an e-mail, or a whole id or address">
        {(named) => (
          <div class="joined">
            <input
              {...named}
              ref={field}
              onKeyDown={(event) => {
                if (event.key !== 'Enter') return;
                event.preventDefault();
                void find();
              }}
            />
            <button type="button" aria-disabled={isBusy} onClick={() => void find()}>
              Find
            </button>
          </div>
        )}
      </Field>
      {error !== undefined && <Fault error={error} />}
      <p class={found?.length === 0 ? undefined : 'hidden'} role="status">
        {found && (found.length === 0 ? 'No account is found.' : `Found: ${found.length}. Choose one.`)}
      </p>
      {found && found.length > 0 && (
        <fieldset>
          <legend>Choose the account</legend>
          {found.map((account) => (
            <label key={account.id} class="tick">
              <input type="radio" name="account" checked={account.id === chosen?.id} onChange={() => choose(account)} />
              <span class="breaks">
                {account.label}
                {account.status === 'frozen' && ', frozen'}
                <Holder account={account} />
              </span>
            </label>
          ))}
        </fieldset>
      )}
    </>
  );
}
