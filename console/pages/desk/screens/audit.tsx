import { useState } from 'preact/hooks';
import { inWords, shorten, showTime } from '../../format.ts';
import { Choice, TextField } from '../../parts/form.tsx';
import { useHasRoom } from '../../parts/has-room.ts';
import { go } from '../../route.ts';
import type { Place } from '../place.ts';
import { toldActions } from '../parts/audit-sentence.ts';
import { labelTime, toField } from '../parts/field-time.ts';
import { type List, listOf } from '../parts/list.ts';
import { groupEntries } from '../parts/group-entries.ts';
import { type NamedEntry, nameEntries } from '../parts/named-entry.ts';
import { Clock, SubjectLink, nameDay } from '../parts/names.tsx';
import { useOpenRows } from '../parts/open-rows.tsx';
import { Pages } from '../parts/pages.tsx';
import { Records } from '../parts/records.tsx';
import { Value } from '../parts/value.tsx';
import type { AuditEntry } from '../schema.d.ts';

/** The actions by which the rows can be narrowed, in words. */
const actions: readonly (readonly [action: string, words: string])[] = [
  ['', 'Any'],
  ...toldActions.toSorted().map((action) => [action, inWords(action)] as const),
];

const times = [
  ['from', 'From'],
  ['to', 'Until'],
] as const;

const texts = ['actor', 'action', 'target'] as const;

const keyOf = ({ ledger, id }: AuditEntry) => `${ledger} ${id}`;

const nameGroup = ([first]: readonly NamedEntry[]) => (first ? keyOf(first.entry) : '');

function listEntries(query: Readonly<Record<string, string>>): List<NamedEntry> {
  const list = listOf('get /audit', { query });
  const read = async (cursor: string | undefined) => {
    const { rows, nextCursor } = await list.read(cursor);
    return { rows: await nameEntries(rows), nextCursor };
  };
  return { ...list, read };
}

/** Who changed what, newest first. What is looked for is in the address of the page. */
export function Audit({ query }: Place) {
  const [wanted, setWanted] = useState<Readonly<Record<string, string>>>(() =>
    Object.fromEntries([
      ...texts.map((name) => [name, query.get(name) ?? ''] as const),
      ...times.flatMap(([name]) => {
        const time = query.get(name);
        return time === null ? [] : [[name, toField(Date.parse(time))] as const];
      }),
    ]),
  );
  const set = (name: string) => (value: string) => setWanted((known) => ({ ...known, [name]: value }));
  const find = (event: Event) => {
    event.preventDefault();
    const next = new URLSearchParams();
    for (const name of texts) if (wanted[name]) next.set(name, wanted[name].trim());
    for (const [name] of times) if (wanted[name]) next.set(name, new Date(wanted[name]).toISOString());
    go(`/desk/audit?${next.toString()}`);
  };
  const { isOpen, details } = useOpenRows(nameGroup);
  const [action, target, from, to] = ['action', 'target', 'from', 'to'].map((name) => query.get(name) ?? '');
  const narrowed = [
    action && inWords(action).toLowerCase(),
    target && `of ${shorten(target)}`,
    from && `from ${showTime(from)}`,
    to && `until ${showTime(to)}`,
  ].filter((words) => words !== '');
  // Where there is room, all that can be looked for is shown at once.
  const isWide = useHasRoom(1_000);
  const others = (
    <>
      <Choice label="Action" value={wanted['action'] ?? ''} set={set('action')} options={actions} />
      <TextField label="Record id" value={wanted['target'] ?? ''} set={set('target')} />
      {times.map(([name, label]) => (
        <TextField
          key={name}
          label={labelTime(label)}
          type="datetime-local"
          value={wanted[name] ?? ''}
          set={set(name)}
        />
      ))}
    </>
  );
  return (
    <>
      <h1>Audit</h1>
      <section class="card log">
        <form onSubmit={find}>
          <div class="filters">
            <TextField label="Person" placeholder="E-mail" value={wanted['actor'] ?? ''} set={set('actor')} />
            {isWide && others}
            <button type="submit">Find</button>
          </div>
          {!isWide && (
            <details class="plain-details">
              <summary>{narrowed.length > 0 ? `Only: ${narrowed.join(', ')}` : 'By action, record or time'}</summary>
              <div class="filters">{others}</div>
            </details>
          )}
        </form>
        <Pages list={listEntries(Object.fromEntries(query))}>
          {(rows) => (
            <Records
              label="Audit"
              rows={groupEntries(rows)}
              keyOf={nameGroup}
              groupOf={([first]) => (first ? nameDay(first.entry.ts) : '')}
              columns={[
                { name: 'Time', show: ([first]) => first && <Clock iso={first.entry.ts} /> },
                { name: 'What', show: (group) => <Told group={group} isOpen={isOpen(group)} /> },
                { name: 'About', show: (group) => <About group={group} /> },
                details,
              ]}
              empty="Nothing was changed that fits. Ids and e-mails are found whole, not by a part."
            />
          )}
        </Pages>
      </section>
    </>
  );
}

function About({ group: [first, ...others] }: { readonly group: readonly NamedEntry[] }) {
  if (!first) return null;
  const isSeveral = first.entry.action === 'change_settings' && others.length > 0;
  return <SubjectLink subject={isSeveral ? { name: 'Settings', path: '/desk/settings' } : first.subject} />;
}

/** Rows as a sentence, in which whoever did it stands out; once opened, as they are stored, to check what exactly was sent. */
function Told({ group, isOpen }: { readonly group: readonly NamedEntry[]; readonly isOpen: boolean }) {
  const [first, ...others] = group;
  if (!first) return null;
  const did =
    first.entry.action === 'change_settings' && others.length > 0
      ? `changed the settings ${group.length} times`
      : `${first.did}${others.length > 0 ? `, ${group.length} times` : ''}`;
  return (
    <span class="details">
      <strong>{first.who}</strong> {did}
      {isOpen &&
        group.map(({ entry, did: one }) => (
          <Stored key={keyOf(entry)} entry={entry} did={others.length > 0 ? one : ''} />
        ))}
    </span>
  );
}

function Stored({ entry, did }: { readonly entry: AuditEntry; readonly did: string }) {
  return (
    <span class="stored">
      {did}
      <small>
        {entry.action}, as {entry.role}, of {entry.target}
        {Object.entries(entry.detail).map(([name, value]) => (
          <span key={name}>
            {' · '}
            {name} <Value of={value} />
          </span>
        ))}
      </small>
    </span>
  );
}
