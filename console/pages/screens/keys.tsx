import { Fragment } from 'preact';
import { useState } from 'preact/hooks';
import { ask } from '../ask.ts';
import { showTime } from '../format.ts';
import { useLoaded } from '../load.ts';
import { CopyButton, Copied } from '../parts/copy.tsx';
import { Choice, Form, TextField } from '../parts/form.tsx';
import { None } from '../parts/none.tsx';
import { Shown } from '../parts/notice.tsx';
import { Pill } from '../parts/pill.tsx';
import { mayAdd, useSignedIn } from '../parts/session.ts';
import { ShownOnce } from '../parts/shown-once.tsx';
import { withPasskey } from '../passkey.ts';
import { CannotAdd } from '../parts/cannot-add.tsx';

interface ApiKey {
  readonly id: string;
  readonly label: string;
  readonly scopes: readonly string[];
  readonly ipAllowlist: readonly string[] | null;
  readonly createdAt: string;
  readonly expiresAt: string | null;
  readonly revokedAt: string | null;
  readonly lastUsedAt: string | null;
}

/** Those that are not revoked, then revoked ones. */
interface KeyPage {
  readonly apiKeys: readonly ApiKey[];
  readonly next: string | null;
}

const scopes = [
  ['read', 'Read balances, orders and activity'],
  ['trade', 'Place orders'],
  ['webhooks', 'Manage webhooks'],
  ['withdraw', 'Send coins out'],
] as const;

const DAY_MS = 86_400_000;

/** After how long a key expires, in milliseconds. */
const lives = [
  [`${30 * DAY_MS}`, 'in 30 days'],
  [`${90 * DAY_MS}`, 'in 90 days'],
  [`${365 * DAY_MS}`, 'in a year'],
  ['time', 'at another time'],
  ['', 'never'],
] as const;

/** The account's API keys: making one, whose token is shown once, and revoking one. */
export function Keys() {
  const signedIn = useSignedIn();
  const { session } = signedIn;
  const { loaded, reload } = useLoaded(() => ask<KeyPage>('GET', '/account/keys'));
  const [made, setMade] = useState<{ readonly apiKey: ApiKey; readonly token: string }>();
  const canNeither = !mayAdd(signedIn) && loaded.state === 'here' && loaded.value.apiKeys.length === 0;
  return (
    <>
      <p class="about">
        Let your programs use the account. See <a href={`${session.apiOrigin}/docs`}>the API’s documentation</a>.
      </p>
      <div class={canNeither ? undefined : 'split'}>
        {made && <NewToken token={made.token} close={() => setMade(undefined)} />}
        <section class="card">
          <h2>Your keys</h2>
          <Shown loaded={loaded}>
            {({ apiKeys, next }) =>
              apiKeys.length === 0 ? (
                <None title="No API keys yet" end={canNeither && <CannotAdd act="make a key" />}>
                  {!canNeither && 'You need one only for programs of your own.'}
                </None>
              ) : (
                <>
                  <ul class="plain">
                    {apiKeys.map((key) => (
                      <KeyRow key={key.id} apiKey={key} revoked={reload} />
                    ))}
                  </ul>
                  {next !== null && <OlderKeys key={next} before={next} />}
                </>
              )
            }
          </Shown>
        </section>
        {!canNeither && (
          <NewKey
            made={(key) => {
              setMade(key);
              reload();
            }}
          />
        )}
      </div>
    </>
  );
}

/** Keys that were revoked long ago, a page at a time. */
function OlderKeys({ before }: { readonly before: string }) {
  const [page, setPage] = useState<KeyPage>();
  if (!page) {
    const read = async () => setPage(await ask<KeyPage>('GET', `/account/keys?before=${before}`));
    return <Form label="Show older revoked keys" act={read} />;
  }
  return (
    <>
      <ul class="plain">
        {page.apiKeys.map((key) => (
          <KeyRow key={key.id} apiKey={key} revoked={() => undefined} />
        ))}
      </ul>
      {page.next !== null && <OlderKeys key={page.next} before={page.next} />}
    </>
  );
}

function NewKey({ made }: { readonly made: (key: { apiKey: ApiKey; token: string }) => void }) {
  const [label, setLabel] = useState('');
  const [wanted, setWanted] = useState<readonly string[]>(['read']);
  const [lasts, setLasts] = useState<(typeof lives)[number][0]>(`${90 * DAY_MS}`);
  const [expiry, setExpiry] = useState('');
  const [addresses, setAddresses] = useState('');
  const signedIn = useSignedIn();
  const { account } = signedIn;
  const make = async () => {
    const ipAllowlist = addresses.split(/[\s,]+/).filter((text) => text !== '');
    const body = {
      label,
      scopes: wanted,
      ...(lasts !== '' && {
        expiresAt: new Date(lasts === 'time' ? expiry : Date.now() + Number(lasts)).toISOString(),
      }),
      ...(ipAllowlist.length > 0 && { ipAllowlist }),
    };
    made(await withPasskey(() => ask('POST', '/account/keys', body)));
    setLabel('');
  };
  const toggle = (scope: string) =>
    setWanted((known) => (known.includes(scope) ? known.filter((one) => one !== scope) : [...known, scope]));
  return (
    <section class="card">
      <h2>Make a key</h2>
      {mayAdd(signedIn) ? (
        <Form act={make} label="Make the key">
          <TextField label="Name" required maxLength={100} value={label} set={setLabel} />
          <fieldset>
            <legend>What the key may do</legend>
            {scopes.map(([scope, text]) => (
              <label key={scope} class={scope === 'withdraw' ? 'tick grave' : 'tick'}>
                <input
                  type="checkbox"
                  disabled={scope === 'withdraw' && !account.totp.enabled}
                  checked={wanted.includes(scope)}
                  onChange={() => toggle(scope)}
                />
                <span>
                  {text}
                  {scope === 'withdraw' && (
                    <small class={account.totp.enabled ? 'risk' : undefined}>
                      {account.totp.enabled
                        ? 'Anyone with this key can empty the account. Limit it to IP addresses.'
                        : 'Switch on two-factor authentication first.'}
                    </small>
                  )}
                </span>
              </label>
            ))}
          </fieldset>
          <TextField
            label="Allowed IP addresses (optional)"
            help="Such as 192.0.2.7, 192.0.2.0/24. If empty, any address may use the key."
            value={addresses}
            set={setAddresses}
          />
          <Choice label="Expires" value={lasts} set={setLasts} options={lives} />
          {lasts === 'time' && (
            <TextField label="Expires at" type="datetime-local" required value={expiry} set={setExpiry} />
          )}
        </Form>
      ) : (
        <CannotAdd act="make a key" />
      )}
    </section>
  );
}

/** The token, with code that uses it. */
function NewToken({ token, close }: { readonly token: string; readonly close: () => void }) {
  const { session } = useSignedIn();
  const code = {
    curl: `curl -s \\\n  ${session.apiOrigin}/api/v1/wallet/balances \\\n  -H "Authorization: Bearer $KEY"`,
    TypeScript: `const client = new BureauClient({\n  origin: '${session.apiOrigin}',\n  apiKey: process.env.KEY,\n});\nconsole.log(await client.listBalances());`,
    Python: `bureau = BureauClient(\n    '${session.apiOrigin}',\n    os.environ['KEY'],\n)\nprint(bureau.list_balances())`,
  };
  const [language, setLanguage] = useState<keyof typeof code>('curl');
  return (
    <ShownOnce title="Your new key" close={close}>
      <Copied isMain text={token} label="the key" />
      <details class="plain-details">
        <summary>Try it</summary>
        <p>
          Put the key into the variable <code>KEY</code>, and run this.
        </p>
        <Choice
          label="Language"
          value={language}
          set={setLanguage}
          options={(['curl', 'TypeScript', 'Python'] as const).map((name) => [name, name] as const)}
        />
        <div class="copied">
          {/* It scrolls sideways, also by the keyboard. */}
          <pre tabIndex={0}>{code[language]}</pre>
          <CopyButton text={code[language]} label="the request" />
        </div>
      </details>
    </ShownOnce>
  );
}

/** What a key may do, in words. */
function listRights(of: readonly string[]): string {
  return scopes
    .flatMap(([scope, text]) => (of.includes(scope) ? [text] : []))
    .map((text, at) => (at === 0 ? text : text.charAt(0).toLowerCase() + text.slice(1)))
    .join(', ');
}

function KeyRow({ apiKey, revoked }: { readonly apiKey: ApiKey; readonly revoked: () => void }) {
  const { id, label, revokedAt, expiresAt, createdAt, ipAllowlist, lastUsedAt } = apiKey;
  const facts: readonly (readonly [name: string, value: string])[] = [
    ['Id ends in', id.slice(-6)],
    ['Made', showTime(createdAt)],
    ['Last used', lastUsedAt === null ? 'never' : showTime(lastUsedAt)],
    ...(revokedAt === null
      ? ([
          ['Expires', expiresAt === null ? 'never' : showTime(expiresAt)],
          ['IP addresses', ipAllowlist === null ? 'any' : ipAllowlist.join(', ')],
        ] as const)
      : ([['Revoked', showTime(revokedAt)]] as const)),
  ];
  return (
    <li class={revokedAt === null ? 'entry' : 'entry over'}>
      <div class="title">
        <strong>{label}</strong>
        {revokedAt !== null ? (
          <Pill status="ended" words="Revoked" />
        ) : (
          <Form
            danger
            label="Revoke"
            about={label}
            act={async () => {
              await ask('DELETE', `/account/keys/${id}`);
              revoked();
            }}
          />
        )}
      </div>
      <p>{listRights(apiKey.scopes)}</p>
      <dl class="quiet">
        {facts.map(([name, value]) => (
          <Fragment key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </Fragment>
        ))}
      </dl>
    </li>
  );
}
