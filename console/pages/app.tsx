import type { JSX } from 'preact';
import { ask, isSignedOut } from './ask.ts';

import { useLoaded } from './load.ts';
import { ExchangeState } from './parts/exchange-state.tsx';
import { HolderNotice } from './parts/holder-notice.tsx';
import { Heading } from './parts/heading.tsx';
import { MailLink } from './parts/mail-link.tsx';
import { NotFound } from './parts/not-found.tsx';
import { Shown } from './parts/notice.tsx';
import { PagesMenu } from './parts/pages-menu.tsx';
import {
  type AccountState,
  type SessionState,
  type SignedIn,
  SignedInContext,
  nameWayIn,
  mustReturn,
  useSignedIn,
} from './parts/session.ts';
import { Time } from './parts/time.tsx';
import { useRoute } from './route.ts';
import { Activity } from './screens/activity.tsx';
import { Addresses } from './screens/addresses.tsx';
import { Deposit } from './screens/deposit.tsx';
import { Events } from './screens/events.tsx';
import { Keys } from './screens/keys.tsx';
import { Overview } from './screens/overview.tsx';
import { Security } from './screens/security.tsx';
import { FreezeByLink } from './screens/freeze-by-link.tsx';
import { OpenLink, SignIn } from './screens/sign-in.tsx';
import { Trade } from './screens/trade.tsx';
import { Withdraw } from './screens/withdraw.tsx';

const screens: Readonly<Record<string, readonly [title: string, screen: () => JSX.Element]>> = {
  '/': ['Overview', Overview],
  '/trade': ['Trade', Trade],
  '/deposit': ['Deposit', Deposit],
  '/withdraw': ['Withdraw', Withdraw],
  '/addresses': ['Addresses', Addresses],
  '/activity': ['Activity', Activity],
  '/keys': ['API keys', Keys],
  '/events': ['Webhooks', Events],
  '/security': ['Security', Security],
};

async function readSignedIn(): Promise<Omit<SignedIn, 'reload'> | undefined> {
  try {
    const { session } = await ask<{ session: SessionState }>('GET', '/session');
    const { account } = await ask<{ account: AccountState }>('GET', '/account');
    return { session, account };
  } catch (error) {
    if (isSignedOut(error)) return undefined;
    throw error;
  }
}

/** The console: the sign-in, or the page of the path with its frame. */
export function App() {
  const path = useRoute();
  const { loaded, reload } = useLoaded(readSignedIn);
  if (path === '/link') return <OpenLink opened={reload} />;
  if (path === '/freeze') return <FreezeByLink />;
  return (
    <Shown loaded={loaded}>
      {(known) =>
        known ? (
          <SignedInContext.Provider value={{ ...known, reload }}>
            <Frame path={path} signedIn={{ ...known, reload }} />
          </SignedInContext.Provider>
        ) : (
          <SignIn signedIn={reload} />
        )
      }
    </Shown>
  );
}

/** The page is loaded anew, so that nothing of the account is left in it. */
async function signOut(): Promise<void> {
  await ask('DELETE', '/session');
  location.assign('/');
}

function Frame({ path, signedIn: { session, account } }: { readonly path: string; readonly signedIn: SignedIn }) {
  const [title, Screen] = screens[path] ?? ['Not found', NoScreen];
  document.title = `${title} · Bureau`;

  const until = account.heldUntil_ms === null ? undefined : new Date(account.heldUntil_ms).toISOString();
  return (
    <>
      <a class="skip" href="#main">
        Skip to the content
      </a>
      <header class="bar">
        <strong class="brand">Bureau</strong>
        <PagesMenu pages={Object.entries(screens).map(([target, [name]]) => [target, name])} open={path} />
        <div class="who">
          <span title={session.email}>{session.email}</span>
          <button type="button" onClick={() => void signOut()}>
            Sign out
          </button>
        </div>
      </header>
      <main id="main" tabIndex={-1}>
        <ExchangeState />
        <HolderNotice />
        {account.account.status === 'frozen' ? (
          <div class="notice bad asked">
            <p>
              <strong>The account is frozen.</strong> Nobody can trade or withdraw, not even with an API key. Deposits
              are credited. Write to <MailLink about="Unfreeze my account" /> to have it unfrozen.
            </p>
            {until ? (
              <p>
                As you recovered it, withdrawals then stay blocked until <Time isZoned at={until} /> at least.
              </p>
            ) : (
              <p>
                Remove <a href="/security">passkeys</a> and <a href="/keys">API keys</a> that are not yours.
              </p>
            )}
          </div>
        ) : until ? (
          <p class="notice warn">
            <strong>The account was recovered, and its API keys are revoked.</strong> To keep it safe, withdrawals, new
            API keys and new addresses are blocked until <Time isZoned at={until} />. You can trade and deposit.{' '}
            {path !== '/security' && <a href="/security">Remove the passkey that you lost.</a>}
          </p>
        ) : null}
        {session.level === 'look' && <ByLink path={path} />}
        <Heading key={path} text={title} />
        <Screen />
      </main>
    </>
  );
}

/** What a session by a link may do, and how it may do more. */
function ByLink({ path }: { readonly path: string }) {
  const { session, account } = useSignedIn();
  const until_ms = account.recoveryAllowedUntil_ms;
  const isThere = path === '/security';
  // The page itself says it.
  if (isThere && mustReturn(session)) return null;
  if (session.passkeys === 0 && ['/', '/withdraw', '/addresses', '/keys', '/security'].includes(path)) return null;
  if (mustReturn(session) && until_ms !== null) {
    return (
      <p class="notice">
        <strong>We have agreed to let you back in without a code</strong>, until{' '}
        <Time isZoned at={new Date(until_ms).toISOString()} />. Until you get back in{' '}
        <a href="/security">on the page Security</a>, you can only view the account, deposit, and freeze it.
      </p>
    );
  }
  const way = nameWayIn(session).toLowerCase();
  return (
    <p class="notice">
      You signed in by a link, so you can only view the account, deposit, and freeze it. To do more,{' '}
      {isThere ? way : <a href="/security">{way}</a>}.
    </p>
  );
}

function NoScreen() {
  const pages = Object.entries(screens).slice(0, 5);
  return <NotFound pages={pages.map(([path, [name]]) => [path, name])} />;
}
