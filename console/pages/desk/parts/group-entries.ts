/** What of a row of the audit decides whether it is told with others. */
interface ToldEntry {
  readonly who: string;
  readonly did: string;
  readonly entry: { readonly action: string; readonly target: string; readonly ts: string };
}

/** Two are as easily read one by one. */
const LEAST = 3;

const MINUTE = '2026-11-28T08:33'.length;

/** Whether one sentence can tell both: they are by the same one, of the same thing, and in the same minute. */
const isAlike = (one: ToldEntry, other: ToldEntry) =>
  one.who === other.who &&
  one.entry.action === other.entry.action &&
  one.entry.target === other.entry.target &&
  one.entry.ts.slice(0, MINUTE) === other.entry.ts.slice(0, MINUTE) &&
  (one.entry.action === 'change_settings' || one.did === other.did);

/** Puts rows of the audit together that follow each other and that one sentence tells. Each row stays in one group. */
export function groupEntries<Row extends ToldEntry>(rows: readonly Row[]): readonly (readonly Row[])[] {
  const groups: Row[][] = [];
  for (const row of rows) {
    const known = groups.at(-1);
    if (known?.[0] && isAlike(known[0], row)) known.push(row);
    else groups.push([row]);
  }
  return groups.flatMap((group) => (group.length < LEAST ? group.map((row) => [row]) : [group]));
}
