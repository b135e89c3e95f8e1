import type { ComponentChildren } from 'preact';

/** In place of a list that has nothing yet: what would be in it. */
export function None({
  title = 'There are none yet',
  children,
}: {
  readonly title?: string;
  readonly children: ComponentChildren;
}) {
  return (
    <div class="none">
      <strong>{title}</strong>
      <span class="quiet">{children}</span>
    </div>
  );
}
