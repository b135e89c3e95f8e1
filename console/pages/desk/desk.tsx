import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { useLoaded } from '../load.ts';
import { NotFound } from '../parts/not-found.tsx';
import { Shown } from '../parts/notice.tsx';
import { PagesMenu } from '../parts/pages-menu.tsx';
import { go, useAddress } from '../route.ts';
import { inWords } from '../format.ts';
import { operate } from './operate.ts';
import type { Place } from './place.ts';
import { AccountScreen } from './screens/account.tsx';
import { Accounts } from './screens/accounts.tsx';
import { Audit } from './screens/audit.tsx';
import { DepositScreen, Deposits } from './screens/deposits.tsx';
import { Events } from './screens/events.tsx';
import { HouseScreen } from './screens/house.tsx';
import { Liquidity } from './screens/liquidity.tsx';
import { ProposalScreen, Proposals } from './screens/proposals.tsx';
import { Payouts, Reviews } from './screens/reviews.tsx';
import { Search } from './screens/search.tsx';
import { Settings } from './screens/settings.tsx';
import { StaffScreen } from './screens/staff.tsx';
import { Switches } from './screens/switches.tsx';
import { Today } from './screens/today.tsx';
import { WithdrawalScreen } from './screens/withdrawal.tsx';
import { type Staff, StaffContext } from './staff.ts';

/** The screens by the first part of the path below /desk. Those without a name in the navigation are reached by links. */
const screens: Readonly<Record<string, readonly [title: string, screen: (place: Place) => JSX.Element]>> = {
  '': ['Today', Today],
  accounts: ['Accounts', (place) => (place.rest[0] ? <AccountScreen {...place} /> : <Accounts {...place} />)],
  reviews: ['Reviews', Reviews],
  payouts: ['Payouts', Payouts],
  deposits: ['Deposits', (place) => (place.rest[0] ? <DepositScreen {...place} /> : <Deposits {...place} />)],
  house: ['House', HouseScreen],
  liquidity: ['Liquidity', Liquidity],
  switches: ['Switches', Switches],
  settings: ['Settings', Settings],
  proposals: ['Proposals', (place) => (place.rest[0] ? <ProposalScreen {...place} /> : <Proposals {...place} />)],
  audit: ['Audit', Audit],
  events: ['Events', Events],
  staff: ['Staff', StaffScreen],
};

const hidden: typeof screens = { search: ['Search', Search], withdrawals: ['Withdrawal', WithdrawalScreen] };

const pathOf = (name: string) => (name === '' ? '/desk' : `/desk/${name}`);

/** The desk of the staff: the page of the path with its frame, for whoever Access has signed in. */
export function Desk() {
  const address = useAddress();
  const { loaded } = useLoaded(async () => (await operate('get /me')).me);
  if (loaded.state !== 'here') {
    return (
      <main class="door">
        <h1>Bureau desk</h1>
        <Shown loaded={loaded}>{() => null}</Shown>
        <a href="/desk" target="_self">
          Sign in again
        </a>
      </main>
    );
  }
  return (
    <StaffContext.Provider value={loaded.value}>
      <Frame address={address} staff={loaded.value} />
    </StaffContext.Provider>
  );
}

function Frame({ address, staff }: { readonly address: string; readonly staff: Staff }) {
  const { pathname, searchParams } = new URL(address, location.origin);
  const [name = '', ...rest] = pathname.split('/').slice(2);
  const [title, Screen] = { ...screens, ...hidden }[name] ?? ['Not found', NoScreen];
  document.title = `${title} · Bureau desk`;
  const main = useRef<HTMLElement>(null);
  const shown = useRef(address);
  useEffect(() => {
    // A screen that still reads has no heading yet.
    const heading = main.current?.querySelector('h1');
    heading?.setAttribute('tabindex', '-1');
    if (shown.current !== address) (heading ?? main.current)?.focus({ preventScroll: true });
    shown.current = address;
  }, [address]);
  return (
    <div class="desk">
      <a class="skip" href="#main">
        Skip to the content
      </a>
      <header>
        <a class="brand" href="/desk">
          Bureau desk
        </a>
        <SearchField key={address} value={name === 'search' ? (searchParams.get('q') ?? '') : ''} />
        <PagesMenu
          pages={Object.entries(screens).map(([target, [text]]) => [pathOf(target), text])}
          open={pathOf(name === 'withdrawals' ? 'reviews' : name)}
        />
        <div class="who">
          <span>
            {staff.actor}
            <br />
            <small>{staff.roles.map(inWords).join(', ') || 'no role'}</small>
          </span>
          <a href="/cdn-cgi/access/logout" target="_self">
            Sign out
          </a>
        </div>
      </header>
      <main id="main" tabIndex={-1} ref={main}>
        <Screen key={address} rest={rest} query={searchParams} />
      </main>
    </div>
  );
}

function SearchField({ value }: { readonly value: string }) {
  const [text, setText] = useState(value);
  const find = (event: Event) => {
    event.preventDefault();
    if (text.trim() !== '') go(`/desk/search?q=${encodeURIComponent(text.trim())}`);
  };
  return (
    <form class="search" role="search" onSubmit={find}>
      <input
        type="search"
        aria-label="Search"
        placeholder="Name, e-mail, id"
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
      />
      <button type="submit">Search</button>
    </form>
  );
}

function NoScreen() {
  return (
    <>
      <h1>Not found</h1>
      <NotFound pages={[[pathOf(''), 'Back to Today']]} />
    </>
  );
}
