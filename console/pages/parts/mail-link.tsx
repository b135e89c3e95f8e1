import { useLoaded } from '../load.ts';
import { readOffer } from '../offer.ts';

/** Where one writes to the exchange, signed in or not. */
export function MailLink() {
  const { loaded } = useLoaded(readOffer);
  if (loaded.state !== 'here') return <>its address</>;
  const { mailFrom } = loaded.value;
  return <a href={`mailto:${mailFrom}`}>{mailFrom}</a>;
}

/** The same as a button. */
export function MailButton() {
  const { loaded } = useLoaded(readOffer);
  if (loaded.state !== 'here') return null;
  return <a href={`mailto:${loaded.value.mailFrom}`}>Write to {loaded.value.mailFrom}</a>;
}
