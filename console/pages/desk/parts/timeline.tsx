import type { ComponentChildren } from 'preact';
import { operate } from '../operate.ts';
import { tellEntry } from './audit-sentence.ts';
import { Time } from './names.tsx';

/** One thing that happened to a record, or that it waits for. */
export interface Moment {
  /** `undefined` for what has no time, such as what it waits for now. */
  readonly ts: string | undefined;
  readonly what: ComponentChildren;
  readonly tone?: 'good' | 'warn' | 'bad';
}

/** What happened to a record, the first of it first. */
export function Timeline({ label, moments }: { readonly label: string; readonly moments: readonly Moment[] }) {
  return (
    <ol class="timeline" aria-label={label}>
      {moments.map(({ ts, what, tone = '' }, at) => (
        <li key={at} class={tone}>
          <span class="breaks">{what}</span>
          {ts !== undefined && (
            <small>
              <Time iso={ts} />
            </small>
          )}
        </li>
      ))}
    </ol>
  );
}

/** As many rows are read; what has more of them is looked at in the audit. */
const MOST_ROWS = 50;

/** What the audit says of a record, the first of it first. */
export async function readMoments(target: string): Promise<readonly (Moment & { readonly action: string })[]> {
  const { entries } = await operate('get /audit', { query: { target, limit: MOST_ROWS } });
  return entries.toReversed().map((entry) => {
    const [who, did] = tellEntry(entry);
    return {
      ts: entry.ts,
      action: entry.action,
      what: (
        <>
          <strong>{who}</strong> {did}
        </>
      ),
    };
  });
}
