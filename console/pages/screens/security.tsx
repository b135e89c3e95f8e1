import { useState } from 'preact/hooks';
import { ask } from '../ask.ts';
import { inGroups, inWords, showTime } from '../format.ts';
import { useLoaded } from '../load.ts';
import { Form, TextField } from '../parts/form.tsx';
import { Shown } from '../parts/notice.tsx';
import { QrCode } from '../parts/qr.tsx';
import { useSignedIn } from '../parts/session.ts';
import { enrolPasskey, usePasskey, withPasskey } from '../passkey.ts';
import type { Entry } from './withdraw.tsx';

/** Everything that keeps the account the holder's own. */
export function Security() {
  const { session } = useSignedIn();
  return (
    <>
      {session.level === 'look' && session.passkeys > 0 && !session.isRecovered && <Return />}
      <Passkeys />
      <SecondFactor />
      <Addresses />
      <Sessions />
      <Freeze />
      <Log />
    </>
  );
}

/** For somebody who came by a link: their passkey, or a recovery. */
function Return() {
  const { reload } = useSignedIn();
  const [code, setCode] = useState('');
  const recover = async () => {
    const isTotp = /^\d{6}$/.test(code.trim());
    await ask('POST', '/account/recovery', isTotp ? { totpCode: code.trim() } : { recoveryCode: code });
    reload();
  };
  return (
    <section class="card">
      <h2>Use your passkey</h2>
      <Form
        label="Use a passkey"
        act={async () => {
          await usePasskey();
          reload();
        }}
      />
      <details>
        <summary>My passkeys are lost</summary>
        <p>
          With a code of your authenticator app or a recovery code you can add a new passkey. For 24 hours the account
          then takes no withdrawal, new API key or new address.
        </p>
        <Form act={recover} label="Recover my account">
          <TextField label="Code" autoComplete="one-time-code" required value={code} set={setCode} />
        </Form>
      </details>
    </section>
  );
}

interface Passkey {
  readonly id: string;
  readonly name: string;
  readonly createdAt: string;
  readonly usedAt: string | null;
}

function Passkeys() {
  const { reload: reloadAll } = useSignedIn();
  const { loaded, reload } = useLoaded(() =>
    ask<{ passkeys: Passkey[]; recoveryCodes: number }>('GET', '/account/passkeys'),
  );
  const [name, setName] = useState('This device');
  const [codes, setCodes] = useState<readonly string[]>([]);
  const changed = () => {
    reload();
    reloadAll();
  };
  return (
    <section class="card">
      <h2>Passkeys</h2>
      <Shown loaded={loaded}>
        {({ passkeys, recoveryCodes }) => (
          <>
            {passkeys.length === 0 && <p>There is none yet. With one, nobody can sign in as you by a password.</p>}
            <ul class="plain">
              {passkeys.map((passkey) => (
                <li key={passkey.id}>
                  <span>
                    <strong>{passkey.name}</strong>
                  </span>
                  <span class="quiet">
                    added {showTime(passkey.createdAt)}
                    {passkey.usedAt !== null && `, used ${showTime(passkey.usedAt)}`}
                  </span>
                  <Form
                    danger
                    label={`Remove ${passkey.name}`}
                    act={async () => {
                      await withPasskey(() => ask('DELETE', `/account/passkeys/${passkey.id}`));
                      changed();
                    }}
                  />
                </li>
              ))}
            </ul>
            <Form
              label="Add a passkey"
              act={async () => {
                await withPasskey(() => enrolPasskey(name));
                changed();
              }}
            >
              <TextField label="Name of the new passkey" required maxLength={60} value={name} set={setName} />
            </Form>
            <h3>Recovery codes</h3>
            <p>{recoveryCodes} of ten are left. Each brings you back once, if your passkeys are lost.</p>
            {codes.length > 0 && (
              <div class="notice">
                <p>Write them down now: they are not shown again.</p>
                <ol>
                  {codes.map((code) => (
                    <li key={code}>
                      <code>{code}</code>
                    </li>
                  ))}
                </ol>
              </div>
            )}
            {passkeys.length > 0 && (
              <Form
                label="Draw ten new recovery codes"
                act={async () => {
                  const drawn = await withPasskey(() =>
                    ask<{ recoveryCodes: string[] }>('POST', '/account/recovery-codes'),
                  );
                  setCodes(drawn.recoveryCodes);
                  reload();
                }}
              />
            )}
          </>
        )}
      </Shown>
    </section>
  );
}

function SecondFactor() {
  const { account, reload } = useSignedIn();
  const [drawn, setDrawn] = useState<{ readonly secret: string; readonly otpauthUri: string }>();
  const [code, setCode] = useState('');
  const totpCode = code.trim();
  return (
    <section class="card">
      <h2>Two-factor authentication</h2>
      {account.totp.enabled ? (
        <>
          <p>It is on: every withdrawal needs a code of your authenticator app.</p>
          <Form
            danger
            label="Switch it off"
            act={async () => {
              const body = totpCode === '' ? {} : { totpCode };
              await withPasskey(() => ask('POST', '/account/totp/remove', body));
              setCode('');
              reload();
            }}
          >
            <TextField label="Code" inputMode="numeric" autoComplete="one-time-code" value={code} set={setCode} />
          </Form>
        </>
      ) : drawn ? (
        <>
          <p>Scan this with an authenticator app, or type the secret into it. Then enter the code that it shows.</p>
          <QrCode text={drawn.otpauthUri} label="The secret as a QR code" />
          <p>
            <code class="secret">{inGroups(drawn.secret)}</code>
          </p>
          <Form
            label="Switch it on"
            act={async () => {
              await withPasskey(() => ask('POST', '/account/totp/confirm', { totpCode }));
              setDrawn(undefined);
              setCode('');
              reload();
            }}
          >
            <TextField
              label="Code"
              inputMode="numeric"
              autoComplete="one-time-code"
              required
              value={code}
              set={setCode}
            />
          </Form>
        </>
      ) : (
        <>
          <p>It is off. The console sends no withdrawal without it.</p>
          <Form
            label="Set it up"
            act={async () => {
              const { totp } = await withPasskey(() =>
                ask<{ totp: { secret: string; otpauthUri: string } }>('POST', '/account/totp'),
              );
              setDrawn(totp);
            }}
          />
        </>
      )}
    </section>
  );
}

function Addresses() {
  const { account } = useSignedIn();
  const { loaded, reload } = useLoaded(() => ask<{ entries: Entry[] }>('GET', '/account/addresses'));
  const [network, setNetwork] = useState('');
  const [address, setAddress] = useState('');
  const [label, setLabel] = useState('');
  const { mode, cooling_hours } = account.allowlist;
  return (
    <section class="card">
      <h2>Approved addresses</h2>
      <p>
        {mode === 'strict'
          ? 'Withdrawals go to these addresses alone.'
          : 'Withdrawals may go to other addresses as well, as the exchange is set up now.'}{' '}
        A new one can be used {cooling_hours === 0 ? 'at once' : `after ${cooling_hours} hours`}.
      </p>
      <Shown loaded={loaded}>
        {({ entries }) => (
          <ul class="plain">
            {entries.map((entry) => (
              <li key={entry.id}>
                <span>
                  <strong>{entry.label}</strong>, on {entry.network}: <code>{entry.address}</code>
                </span>
                <span class="quiet">can be used from {showTime(entry.usableAt)}</span>
                <Form
                  danger
                  label={`Remove ${entry.label}`}
                  act={async () => {
                    await withPasskey(() => ask('DELETE', `/account/addresses/${entry.id}`));
                    reload();
                  }}
                />
              </li>
            ))}
          </ul>
        )}
      </Shown>
      <Form
        label="Approve the address"
        act={async () => {
          const body = { network: network.toUpperCase(), address: address.trim(), label };
          await withPasskey(() => ask('POST', '/account/addresses', body));
          setAddress('');
          setLabel('');
          reload();
        }}
      >
        <TextField label="Network" help="Such as ETH, TRC20 or BTC" required value={network} set={setNetwork} />
        <TextField label="Address" autoComplete="off" required value={address} set={setAddress} />
        <TextField label="Name" required maxLength={128} value={label} set={setLabel} />
      </Form>
    </section>
  );
}

interface ListedSession {
  readonly id: string;
  readonly level: 'look' | 'act';
  readonly agent: string;
  readonly isThis: boolean;
  readonly usedAt: string;
}

function Sessions() {
  const { loaded, reload } = useLoaded(() => ask<{ sessions: ListedSession[] }>('GET', '/session/list'));
  return (
    <section class="card">
      <h2>Where you are signed in</h2>
      <Shown loaded={loaded}>
        {({ sessions }) => (
          <ul class="plain">
            {sessions.map((session) => (
              <li key={session.id}>
                <span>{session.agent}</span>
                <span class="quiet">
                  {session.isThis ? 'this browser' : `last used ${showTime(session.usedAt)}`}
                  {session.level === 'look' && ', may look'}
                </span>
                {!session.isThis && (
                  <Form
                    danger
                    label="Sign it out"
                    act={async () => {
                      await ask('DELETE', `/session/list/${session.id}`);
                      reload();
                    }}
                  />
                )}
              </li>
            ))}
          </ul>
        )}
      </Shown>
    </section>
  );
}

function Freeze() {
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

/** What the log says of each action. */
const actions: Readonly<Record<string, string>> = {
  open_session: 'Signed in',
  end_sessions: 'Signed out',
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
  draw_recovery_codes: 'Drew recovery codes',
};

interface LogEntry {
  readonly id: string;
  readonly ts_ms: number;
  readonly by: 'holder' | 'exchange';
  readonly action: string;
}

function Log() {
  const { loaded } = useLoaded(() => ask<{ entries: LogEntry[] }>('GET', '/account/log'));
  return (
    <section class="card">
      <h2>Security log</h2>
      <Shown loaded={loaded}>
        {({ entries }) => (
          <ul class="plain">
            {entries.map((entry) => (
              <li key={entry.id}>
                <span>{actions[entry.action] ?? inWords(entry.action)}</span>
                <span class="quiet">{entry.by === 'holder' ? 'by you' : 'by the exchange'}</span>
                <time dateTime={new Date(entry.ts_ms).toISOString()}>
                  {showTime(new Date(entry.ts_ms).toISOString())}
                </time>
              </li>
            ))}
          </ul>
        )}
      </Shown>
    </section>
  );
}
