import { useState } from 'preact/hooks';
import { useLoaded } from '../../load.ts';
import { LinesField, Form } from '../../parts/form.tsx';
import { Shown } from '../../parts/notice.tsx';
import { operate } from '../operate.ts';
import { Time } from '../parts/names.tsx';
import { useMay } from '../staff.ts';

const MOST_NOTES = 50;
const MAX_LENGTH = 2_000;

/** What the staff noted about an account, the newest first. Notes are rows of the audit, so none is ever changed. */
export function AccountNotes({ accountId }: { readonly accountId: string }) {
  const { loaded, reload } = useLoaded(() =>
    operate('get /audit', { query: { target: accountId, action: 'note_account', limit: MOST_NOTES } }),
  );
  const [text, setText] = useState('');
  const may = useMay();
  const add = async () => {
    await operate('post /accounts/{id}/notes', { path: { id: accountId }, body: { text } });
    setText('');
    reload();
  };
  return (
    <section class="card">
      <h2>Notes</h2>
      <Shown loaded={loaded}>
        {({ entries }) =>
          entries.length === 0 ? (
            <p class="empty">Nobody has noted anything. Holders never see notes.</p>
          ) : (
            <ul class="notes" aria-label="Notes">
              {entries.map(({ id, ts, actor, detail }) => (
                <li key={id}>
                  <p>{String(detail['text'])}</p>
                  <small>
                    {actor}, <Time iso={ts} />
                  </small>
                </li>
              ))}
            </ul>
          )
        }
      </Shown>
      {may('note_accounts') && (
        <Form plain act={add} label="Add the note">
          <LinesField
            label="A note, for the staff"
            help="It cannot be changed or deleted."
            required
            maxLength={MAX_LENGTH}
            value={text}
            set={setText}
          />
        </Form>
      )}
    </section>
  );
}
