import type { ComponentChildren } from 'preact';
import { mustReturn, useSignedIn } from '../../parts/session.ts';

/** Why there is nothing to press. Nothing where there is. */
export function Locked({ children }: { readonly children?: ComponentChildren }) {
  const { session } = useSignedIn();
  if (!mustReturn(session)) return null;
  return <p class="quiet">Get back in, above, to change it.{children}</p>;
}
