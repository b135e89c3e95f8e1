import type { ComponentChildren } from 'preact';

/** In place of a list that has nothing yet: what would be in it. */
export function None({
  title,
  path,
  act,
  end,
  children,
}: {
  readonly title: string;
  /** Where the first one comes from, and what one does there. */
  readonly path?: string;
  readonly act?: string;
  /** Why it cannot be made yet. */
  readonly end?: ComponentChildren;
  readonly children?: ComponentChildren;
}) {
  return (
    <div class="none">
      <strong>{title}</strong>
      {children && <span class="quiet">{children}</span>}
      {path !== undefined && (
        <div class="side-by-side">
          <a class="main" href={path}>
            {act}
          </a>
        </div>
      )}
      {end}
    </div>
  );
}
