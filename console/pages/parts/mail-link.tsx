import { useLoaded } from '../load.ts';
import { readOffer } from '../offer.ts';

/** Where one writes to the exchange, signed in or not: its address, or other words for it. */
export function MailLink({ words }: { readonly words?: string }) {
  const { loaded } = useLoaded(readOffer);
  if (loaded.state !== 'here') return <>{words ?? 'its address'}</>;
  const { mailFrom } = loaded.value;
  return <a href={`mailto:${mailFrom}`}>{words ?? mailFrom}</a>;
}
