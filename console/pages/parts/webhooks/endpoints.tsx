import { useState } from 'preact/hooks';
import { useLoaded } from '../../load.ts';
import { Copied } from '../copy.tsx';
import { Folded } from '../folded.tsx';
import { Shown } from '../notice.tsx';
import { ShownOnce } from '../shown-once.tsx';
import type { EndpointSource } from './endpoint-calls.ts';
import { Endpoint } from './endpoint.tsx';
import { NewEndpoint } from './new-endpoint.tsx';

/** The webhook endpoints of an owner, with what may be done with them. A secret is shown once. */
export function Endpoints<Type extends string>({ calls, groups, change, inDialogs = false }: EndpointSource<Type>) {
  const { loaded, reload } = useLoaded(calls.list);
  const [secret, setSecret] = useState<string>();
  const show = (drawn: string) => {
    setSecret(drawn);
    reload();
  };
  const add = change && <NewEndpoint create={calls.create} groups={groups} change={change} made={show} />;
  return (
    <>
      {secret !== undefined && (
        <ShownOnce title="The endpoint’s secret" close={() => setSecret(undefined)}>
          <Copied text={secret} label="the secret" />
          <p>The receiver checks each delivery with it, by the Standard Webhooks specification.</p>
        </ShownOnce>
      )}
      <Shown loaded={loaded}>
        {({ webhookEndpoints }) => (
          <section class="card endpoints">
            <div class="title">
              <h2>Endpoints</h2>
              {inDialogs && add}
            </div>
            {webhookEndpoints.length === 0 && <p>An endpoint is a URL of your own that events are sent to.</p>}
            {webhookEndpoints.map((endpoint) => (
              <Endpoint
                key={endpoint.id}
                endpoint={endpoint}
                groups={groups}
                calls={calls}
                change={change}
                changed={reload}
                show={show}
              />
            ))}
            {!inDialogs && (
              <div class={webhookEndpoints.length === 0 ? undefined : 'another'}>
                <Folded
                  key={webhookEndpoints.length}
                  label="Add another endpoint"
                  isOpen={webhookEndpoints.length === 0}
                >
                  {add}
                </Folded>
              </div>
            )}
          </section>
        )}
      </Shown>
    </>
  );
}
