import { useEffect, useState } from 'preact/hooks';
import { ask } from '../../ask.ts';
import { nameBrowser } from '../../browser-name.ts';
import { inWords, showTime } from '../../format.ts';
import { MailLink } from '../../parts/mail-link.tsx';
import { Fault, Waiting } from '../../parts/notice.tsx';
import { Time } from '../../parts/time.tsx';
import { useSignedIn } from '../../parts/session.ts';

const actions: Readonly<Record<string, string>> = {
  invite_holder: 'Invited you',
  become_holder: 'Accepted the invitation',
  open_session: 'Signed in',
  give_up_mails: 'Mails to you could not be delivered for a day',
  disable_endpoint: 'Switched off an endpoint for events',
  ask_recovery: 'Proposed to let you back in without a code',
  allow_recovery: 'Agreed to let you back in without a code',
  recover_account: 'Recovered the account',
  change_account: 'Changed the account’s state or limit',
  create_api_key: 'Made an API key',
  revoke_api_key: 'Revoked an API key',
  draw_totp: 'Began to set up two-factor authentication',
  confirm_totp: 'Switched two-factor authentication on',
  remove_totp: 'Switched two-factor authentication off',
  approve_address: 'Approved an address',
  remove_approval: 'Removed an approved address',
  add_passkey: 'Added a passkey',
  remove_passkey: 'Removed a passkey',
  rename_passkey: 'Renamed a passkey',
  draw_recovery_codes: 'Made new recovery codes',
  use_recovery_code: 'Used a recovery code',
};

/** As many entries as one answer has at most. */
const PAGE = 50;
/** As many are shown before somebody asks for more. */
const FIRST = 5;

interface LogEntry {
  readonly id: string;
  readonly ts_ms: number;
  readonly by: 'holder' | 'exchange';
  readonly action: string;
  readonly detail: Readonly<Record<string, unknown>>;
}

/** What nobody did. */
const HAPPENED = 'give_up_mails';

/** Which session was ended: the one of a sign-in that is listed too, as far as the list goes. */
function nameEnd({ sessionIds }: LogEntry['detail'], entries: readonly LogEntry[]): string {
  const ended = Array.isArray(sessionIds) ? sessionIds : [];
  if (ended.length > 1) return `Ended ${ended.length} sessions`;
  const begun = entries.find(({ detail }) => ended.includes(detail['sessionId']));
  if (!begun) return 'Ended a session';
  // A time breaks as a whole.
  return `Ended the session of ${showTime(new Date(begun.ts_ms).toISOString()).replaceAll(' ', '\u00A0')}`;
}

/** With what a holder came back. */
const proofs: Readonly<Record<string, string>> = {
  totp: ' with a code of your authenticator app',
  recovery_code: ' with a recovery code',
  allowed: ', as the exchange had agreed',
};

/** How somebody signed in, or came back. */
function nameWay({ scopes, browser, place, proof }: LogEntry['detail']): string {
  if (typeof proof === 'string') return proofs[proof] ?? '';
  if (!Array.isArray(scopes)) return '';
  const from = typeof place === 'string' ? ` from ${place}` : '';
  const way = `${scopes.length === 1 ? ' by a link' : ' with a passkey'}${from}`;
  return typeof browser === 'string' ? `${way}, in a new browser: ${nameBrowser(browser)}` : way;
}

/** What was done, in words. Of the account itself its holder can change one thing. */
function nameAction({ by, action, detail }: LogEntry, entries: readonly LogEntry[]): string {
  if (by === 'holder' && action === 'change_account') return 'Froze the account';
  if (action === 'end_sessions') return nameEnd(detail, entries);
  const words = actions[action] ?? inWords(action);
  const name = detail['name'] ?? detail['label'];
  if (typeof name === 'string') return `${words.replace(/ an? /, ' the ')} “${name}”`;
  if (by === 'holder') return `${words}${nameWay(detail)}`;
  return action === HAPPENED ? words : `The exchange ${words.charAt(0).toLowerCase()}${words.slice(1)}`;
}

/** Everything that changed who may do what with the account, newest first. */
export function SecurityLog() {
  const { account } = useSignedIn();
  const [entries, setEntries] = useState<readonly LogEntry[]>([]);
  const [hasMore, setMore] = useState(false);
  const [areAllShown, setAllShown] = useState(false);
  const [isBusy, setBusy] = useState(true);
  const [error, setError] = useState<unknown>();
  const read = async (known: readonly LogEntry[]) => {
    setBusy(true);
    setError(undefined);
    const last = known.at(-1);
    try {
      const page = await ask<{ entries: LogEntry[] }>('GET', `/account/log${last ? `?before=${last.id}` : ''}`);
      setEntries([...known, ...page.entries]);
      setMore(page.entries.length === PAGE);
    } catch (fault) {
      setError(fault);
    } finally {
      setBusy(false);
    }
  };
  useEffect(() => void read([]), []);
  const showMore = () => (areAllShown ? void read(entries) : setAllShown(true));
  return (
    <section class="card" aria-busy={isBusy}>
      <h2>Security log</h2>
      <p class="quiet">
        If something here was not you, {account.account.status === 'active' && 'freeze the account above and '}
        write to <MailLink />.
      </p>
      {entries.length === 0 && isBusy && <Waiting />}
      {error !== undefined && <Fault error={error} />}
      <ul class="plain log">
        {(areAllShown ? entries : entries.slice(0, FIRST)).map((entry) => (
          <li key={entry.id}>
            <span class="quiet">
              <Time at={new Date(entry.ts_ms).toISOString()} />
            </span>
            <span>{nameAction(entry, entries)}</span>
          </li>
        ))}
      </ul>
      {(areAllShown ? hasMore : entries.length > FIRST) && (
        <button type="button" class="folded" disabled={isBusy} onClick={showMore}>
          {isBusy ? 'Reading …' : 'Show more'}
        </button>
      )}
    </section>
  );
}
