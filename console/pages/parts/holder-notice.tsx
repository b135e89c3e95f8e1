import { useLoaded } from '../load.ts';
import { ask } from '../ask.ts';

const EVERY_MS = 60_000;

/** A banner with what the exchange tells all holders, while there is something. It is text, and never a link. */
export function HolderNotice() {
  const { loaded } = useLoaded(() => ask<{ notice: string | null }>('GET', '/account/notice'), EVERY_MS);
  const notice = loaded.state === 'here' ? loaded.value.notice : null;
  return (
    <div role="status" class="banner">
      {notice !== null && <p class="notice">{notice}</p>}
    </div>
  );
}
