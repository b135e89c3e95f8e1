import { useLoaded } from '../load.ts';
import { readOffer } from '../offer.ts';

/** Where one writes to the exchange, signed in or not: its address, or other words for it, and what the mail is about. */
export function MailLink({ words, about }: { readonly words?: string; readonly about?: string }) {
  const { loaded } = useLoaded(readOffer);
  if (loaded.state !== 'here') return <>{words ?? 'its address'}</>;
  const { mailFrom } = loaded.value;
  return (
    <a href={`mailto:${mailFrom}${about === undefined ? '' : `?subject=${encodeURIComponent(about)}`}`}>
      {words ?? mailFrom}
    </a>
  );
}
