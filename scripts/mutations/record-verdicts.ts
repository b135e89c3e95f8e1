import { readFileSync, writeFileSync } from 'node:fs';
import type { PlacedMutation } from './mutation.ts';

const DOCUMENT = 'docs/faults.md';
const HEADING = '## Mutations';

/** A mutation that was noticed, and by which test file. */
export interface Killed {
  readonly mutation: PlacedMutation;
  readonly by: string;
}

/** Replaces the section of the document that lists the noticed mutations. */
export function recordVerdicts(killed: readonly Killed[], total: number): void {
  const text = readFileSync(DOCUMENT, 'utf8');
  const start = text.indexOf(`${HEADING}\n`);
  if (start < 0) throw new Error(`${DOCUMENT} has no section "${HEADING}"`);
  const next = text.indexOf('\n## ', start + HEADING.length);
  const end = next < 0 ? text.length : next + 1;
  const section = describeVerdicts(killed, total);
  writeFileSync(DOCUMENT, text.slice(0, start) + section + (next < 0 ? '' : '\n') + text.slice(end));
}

function describeVerdicts(killed: readonly Killed[], total: number): string {
  const rows = killed.map(({ mutation, by }) => `| ${mutation.room} | ${mutation.name} | \`${by}\` |`);
  return `${HEADING}

\`npm run mutate\` makes one deliberate mistake at a time in a copy of the project, from the lists in
[scripts/mutations/](../scripts/mutations/rooms.ts), and runs the tests that must notice it. It fails if no test notices a
mistake, or if a mutation no longer applies because its code has changed. With the name of a room, or a part of a
mutation's name, it makes only those; with \`--record\` it writes this section. Those of the room \`triggers\` are made from
the migrations' own text, each refusal and each trigger that writes.

Noticed: ${killed.length} of ${total}.

| Room | Mistake | Noticed by |
|---|---|---|
${rows.join('\n')}
`;
}
