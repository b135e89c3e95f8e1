import type { ComponentChildren } from 'preact';
import { inGroups, inWords, showTime } from '../../format.ts';
import { nameAlone } from '../../networks.ts';
import { Copied } from '../../parts/copy.tsx';
import type { AccountOfHolder } from './find-accounts.ts';
import type { Subject } from './named-entry.ts';

const SHOWN_OF_ID = 8;

/** An id, of which the end tells most; the whole is in its title. */
export function ShortId({ id }: { readonly id: string }) {
  return id.length <= SHOWN_OF_ID + 4 ? <code>{id}</code> : <code title={id}>…{id.slice(-SHOWN_OF_ID)}</code>;
}

/** The way to an account. */
export function AccountLink({ id, label }: { readonly id: string; readonly label?: string }) {
  return <a href={`/desk/accounts/${id}`}>{label ?? <ShortId id={id} />}</a>;
}

/** The way to an account, with the e-mail of its holder; by its id alone where no more is known. */
export function AccountName({ id, account }: { readonly id: string; readonly account: AccountOfHolder | undefined }) {
  if (!account) return <AccountLink id={id} />;
  return (
    <>
      <AccountLink id={id} label={account.label} />
      {account.email !== undefined && <small class="below breaks">{account.email}</small>}
    </>
  );
}

/** What a row of the audit is about, with the way to it. */
export function SubjectLink({ subject }: { readonly subject: Subject }) {
  if ('account' in subject) return <AccountName id={subject.account.id} account={subject.account} />;
  const { name, path, below } = subject;
  const shown = /^[\da-f-]{36}$/.test(name) ? <ShortId id={name} /> : name;
  return (
    <>
      {path === undefined ? <span>{shown}</span> : <a href={path}>{shown}</a>}
      {below !== undefined && <small class="below breaks">{below}</small>}
    </>
  );
}

/** A network by its name, with the symbol by which the interface and wallets know it. */
export function NetworkName({ network }: { readonly network: string }) {
  const name = nameAlone(network);
  return (
    <>
      {name} {name.toUpperCase() !== network && <small class="symbol">{network}</small>}
    </>
  );
}

/** What is never broken where there is a line for it, such as an e-mail or an address. */
export function Whole({
  isCode = false,
  children,
}: {
  readonly isCode?: boolean;
  readonly children: ComponentChildren;
}) {
  return isCode ? <code class="whole">{children}</code> : <span class="whole">{children}</span>;
}

/** An address in groups, in which it is compared most easily. What is selected of it has no spaces. */
export function Grouped({ address }: { readonly address: string }) {
  return (
    <span class="grouped">
      {inGroups(address)
        .split(' ')
        .map((group, place) => (
          <span key={place}>{group}</span>
        ))}
    </span>
  );
}

/** The same among facts, with the way to copy it. */
export const CopiedAddress = ({ address }: { readonly address: string }) => (
  <Copied isBeside text={address} shown={<Grouped address={address} />} label="the address" />
);

export const CopiedId = ({ id }: { readonly id: string }) => <Copied isBeside text={id} label="the id" />;

export function Time({ iso }: { readonly iso: string }) {
  return <time dateTime={iso}>{showTime(iso)}</time>;
}

/** The day of a time, where its minute is of no use. */
export function Day({ iso }: { readonly iso: string }) {
  return <time dateTime={iso}>{showTime(iso).split(',')[0]}</time>;
}

const clock = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium' });

/** The time of a day that is said above it. */
export const Clock = ({ iso }: { readonly iso: string }) => <time dateTime={iso}>{clock.format(new Date(iso))}</time>;

const day = new Intl.DateTimeFormat('en-GB', { dateStyle: 'full' });

/** The day of a time of the API, in the zone of who reads it. */
export const nameDay = (iso: string) => day.format(new Date(iso));

/** The way back to the list in which something is. */
export function Back({ to, children }: { readonly to: string; readonly children: ComponentChildren }) {
  return (
    <a class="back" href={to}>
      <span aria-hidden="true">← </span>
      {children}
    </a>
  );
}

/** The states that are good, need somebody, or are bad. The others are neither. */
const tones: Readonly<Record<string, 'good' | 'warn' | 'bad'>> = {
  active: 'good',
  ok: 'good',
  covered: 'good',
  OK: 'good',
  COMPLETED: 'good',
  APPROVED: 'good',
  CREDITED: 'good',
  frozen: 'bad',
  broken: 'bad',
  shortfall: 'bad',
  HALTED: 'bad',
  FAILED: 'bad',
  OPEN: 'warn',
  PENDING: 'warn',
  PROCESSING: 'warn',
  QUARANTINED: 'warn',
  DEGRADED: 'warn',
  unknown: 'warn',
  pending: 'warn',
};

/** A state in words. */
export const nameState = (state: string) => (state === 'QUARANTINED' ? 'In quarantine' : inWords(state));

/** A state, in words and in its colour. */
export function State({
  of,
  words = of === 'OK' ? of : nameState(of),
}: {
  readonly of: string;
  readonly words?: string;
}) {
  return <span class={`state ${tones[of] ?? ''}`}>{words}</span>;
}
