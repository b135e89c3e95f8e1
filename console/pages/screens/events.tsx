import { useState } from 'preact/hooks';
import { api } from '../ask.ts';
import { useLoaded } from '../load.ts';
import { Shown } from '../parts/notice.tsx';
import { useSignedIn } from '../parts/session.ts';
import { ShownOnce } from '../parts/shown-once.tsx';
import { Endpoint } from './events/endpoint.tsx';
import { NewEndpoint } from './events/new-endpoint.tsx';

/** Where the account's events are sent, so that no program has to ask again and again. */
export function Events() {
  const { session } = useSignedIn();
  if (session.level === 'look') return <p class="notice">Use a passkey to see where your events are sent.</p>;
  return <Endpoints />;
}

function Endpoints() {
  const { loaded, reload } = useLoaded(() => api.listWebhookEndpoints());
  const [secret, setSecret] = useState<string>();
  const show = (drawn: string) => {
    setSecret(drawn);
    reload();
  };
  return (
    <>
      <p>
        An event says what happened to the account: a deposit, the end of a withdrawal, a freeze. Each is sent to your
        addresses once it has happened, in order and signed, so that a program of yours need not ask.
      </p>
      {secret !== undefined && (
        <ShownOnce title="The endpoint’s secret" secret={secret} label="the secret" close={() => setSecret(undefined)}>
          <p>Your receiver checks each delivery with it, by the Standard Webhooks specification.</p>
        </ShownOnce>
      )}
      <Shown loaded={loaded}>
        {({ webhookEndpoints }) => (
          <>
            {webhookEndpoints.length === 0 && (
              <section class="card">
                <h2>Your endpoints</h2>
                <p>There are none yet. Add the address of a receiver below; it must answer over https.</p>
              </section>
            )}
            {webhookEndpoints.map((endpoint) => (
              <Endpoint key={endpoint.id} endpoint={endpoint} changed={reload} show={show} />
            ))}
            <NewEndpoint made={show} />
          </>
        )}
      </Shown>
    </>
  );
}
