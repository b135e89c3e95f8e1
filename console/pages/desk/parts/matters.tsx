import type { ComponentChildren } from 'preact';

/** Something that is not as it should be: what it is, what that means, and the way to change it. */
export interface Matter {
  readonly what: string;
  /** Which one it is, where its words may change or be those of another. */
  readonly id?: string;
  readonly why?: ComponentChildren;
  /** Whether it harms now. */
  readonly isBad?: boolean;
  readonly step?: ComponentChildren;
}

/** What is not as it should be, a line for each, first what harms now. Nothing where there is none. */
export function Matters({ label, of }: { readonly label: string; readonly of: readonly Matter[] }) {
  if (of.length === 0) return null;
  const sorted = of.toSorted((one, other) => Number(other.isBad ?? false) - Number(one.isBad ?? false));
  return (
    <ul class="matters" aria-label={label}>
      {sorted.map(({ what, id = what, why, isBad, step }) => (
        <li key={id} class={isBad ? 'bad' : undefined}>
          <span>
            <strong>{what}</strong>
            {why !== undefined && <small>{why}</small>}
          </span>
          {step}
        </li>
      ))}
    </ul>
  );
}
