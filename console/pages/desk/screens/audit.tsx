import { useState } from 'preact/hooks';
import { inWords } from '../../format.ts';
import { Choice, TextField } from '../../parts/form.tsx';
import { go } from '../../route.ts';
import type { Place } from '../place.ts';
import { tellEntry, toldActions } from '../parts/audit-sentence.ts';
import { ShortId, Time } from '../parts/names.tsx';
import { listOf } from '../parts/list.ts';
import { Pages } from '../parts/pages.tsx';
import { Records } from '../parts/records.tsx';
import { Value } from '../parts/value.tsx';
import type { AuditEntry } from '../schema.d.ts';

const filters = [
  ['target', 'What was changed: an id'],
  ['actor', 'Who: an e-mail'],
] as const;

/** The actions by which the rows can be narrowed, in words. */
const actions: readonly (readonly [action: string, words: string])[] = [
  ['', 'any'],
  ...toldActions.toSorted().map((action) => [action, inWords(action)] as const),
];

const times = [
  ['from', 'From'],
  ['to', 'Until'],
] as const;

/** A time of the address as a field of the page takes it: without a zone, in that of the reader. */
function toField(iso: string | null): string {
  if (iso === null) return '';
  const time = new Date(iso);
  return new Date(time.getTime() - time.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

/** Who changed what, newest first. What is looked for is in the address of the page. */
export function Audit({ query }: Place) {
  const [wanted, setWanted] = useState<Readonly<Record<string, string>>>(() =>
    Object.fromEntries([
      ...['action', ...filters.map(([name]) => name)].map((name) => [name, query.get(name) ?? ''] as const),
      ...times.map(([name]) => [name, toField(query.get(name))] as const),
    ]),
  );
  const set = (name: string) => (value: string) => setWanted((known) => ({ ...known, [name]: value }));
  const find = (event: Event) => {
    event.preventDefault();
    const next = new URLSearchParams();
    for (const name of ['action', ...filters.map(([one]) => one)]) {
      if (wanted[name]) next.set(name, wanted[name].trim());
    }
    for (const [name] of times) if (wanted[name]) next.set(name, new Date(wanted[name]).toISOString());
    go(`/desk/audit?${next.toString()}`);
  };
  return (
    <>
      <h1>Audit</h1>
      <section class="card audit">
        <form class="filters" onSubmit={find}>
          {filters.map(([name, label]) => (
            <TextField key={name} label={label} value={wanted[name] ?? ''} set={set(name)} />
          ))}
          <Choice label="What was done" value={wanted['action'] ?? ''} set={set('action')} options={actions} />
          {times.map(([name, label]) => (
            <TextField key={name} label={label} type="datetime-local" value={wanted[name] ?? ''} set={set(name)} />
          ))}
          <button type="submit">Find</button>
        </form>
        <Pages list={listOf('get /audit', { query: Object.fromEntries(query) })}>
          {(rows) => (
            <Records
              label="Audit"
              rows={rows}
              keyOf={({ ledger, id }) => `${ledger} ${id}`}
              columns={[
                { name: 'When', show: ({ ts }) => <Time iso={ts} /> },
                { name: 'What', show: (entry) => <Told entry={entry} /> },
                { name: 'Of', show: ({ target }) => <Target target={target} /> },
                { name: 'Exactly', show: (entry) => <Detail entry={entry} /> },
              ]}
              empty="Nothing was changed that fits. Ids and e-mails are found whole, not by a part."
            />
          )}
        </Pages>
      </section>
    </>
  );
}

/** A row as a sentence, in which whoever did it stands out. */
function Told({ entry }: { readonly entry: AuditEntry }) {
  const [who, did] = tellEntry(entry);
  return (
    <span class="details">
      <strong>{who}</strong> {did}
    </span>
  );
}

/** What was changed: an id leads to what it is. */
function Target({ target }: { readonly target: string }) {
  return /^[\da-f-]{36}$/.test(target) ? (
    <a href={`/desk/search?q=${target}`}>
      <ShortId id={target} />
    </a>
  ) : (
    <>{target}</>
  );
}

/** The row as it is stored, for those who look for one by its action or check what exactly was sent. */
function Detail({ entry: { action, role, detail } }: { readonly entry: AuditEntry }) {
  return (
    <details class="entry">
      <summary>Details</summary>
      <small class="details">
        {action}, as {role}
        {Object.entries(detail).map(([name, value]) => (
          <span key={name}>
            {' · '}
            {name} <Value of={value} />
          </span>
        ))}
      </small>
    </details>
  );
}
