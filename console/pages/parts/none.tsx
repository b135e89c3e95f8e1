import type { ComponentChildren } from 'preact';

/** In place of a list that has nothing yet: what would be in it. */
export function None({ children }: { readonly children: ComponentChildren }) {
  return (
    <div class="none">
      <strong>There are none yet</strong>
      <span class="quiet">{children}</span>
    </div>
  );
}
