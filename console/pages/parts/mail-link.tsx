import { ask } from '../ask.ts';
import { useLoaded } from '../load.ts';

/** Where one writes to the exchange, signed in or not. */
export function MailLink() {
  const { loaded } = useLoaded(() => ask<{ mailFrom: string }>('GET', '/session/offer'));
  if (loaded.state !== 'here') return <>its address</>;
  const { mailFrom } = loaded.value;
  return <a href={`mailto:${mailFrom}`}>{mailFrom}</a>;
}
