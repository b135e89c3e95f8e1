import type { ComponentChildren } from 'preact';
import { operate } from '../operate.ts';
import { tellEntry } from './audit-sentence.ts';
import { Time } from './names.tsx';

/** One thing that happened to a record, or that it waits for. */
export interface Moment {
  /** Not of what has no time, such as what it waits for now. */
  readonly ts?: string;
  readonly what: ComponentChildren;
  readonly tone?: 'good' | 'warn' | 'bad';
}

/** What happened to a record, the first of it first, with the way to all of it. */
export function Timeline({
  id,
  moments,
  children,
}: {
  readonly id: string;
  readonly moments: readonly Moment[];
  readonly children?: ComponentChildren;
}) {
  return (
    <section class="card">
      <h2>What happened</h2>
      <ol class="timeline" aria-label="What happened">
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
      <a href={`/desk/audit?target=${id}`}>See it in the audit</a>
      {children}
    </section>
  );
}

/** As many rows are read; what has more of them is looked at in the audit. */
const MOST_ROWS = 50;

/** What the audit says of a record, the first of it first. */
export async function readMoments(target: string): Promise<readonly Moment[]> {
  const { entries } = await operate('get /audit', { query: { target, limit: MOST_ROWS } });
  return entries.toReversed().map((entry) => {
    const [who, did] = tellEntry(entry);
    return {
      ts: entry.ts,
      what: (
        <>
          <strong>{who}</strong> {did}
        </>
      ),
    };
  });
}
