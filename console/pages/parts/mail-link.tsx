import { useSignedIn } from './session.ts';

/** Where a holder writes to the exchange. */
export function MailLink() {
  const { mailFrom } = useSignedIn().session;
  return <a href={`mailto:${mailFrom}`}>{mailFrom}</a>;
}
