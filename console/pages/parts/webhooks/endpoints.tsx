import { useState } from 'preact/hooks';
import { useLoaded } from '../../load.ts';
import { Copied } from '../copy.tsx';
import { Shown } from '../notice.tsx';
import { ShownOnce } from '../shown-once.tsx';
import type { EndpointSource } from './endpoint-calls.ts';
import { Endpoint } from './endpoint.tsx';
import { NewEndpoint } from './new-endpoint.tsx';

const MEANING = 'An endpoint is a URL of your own that events are sent to.';

/** The webhook endpoints of an owner, with what may be done with them. A secret is shown once. */
export function Endpoints<Type extends string>({
  calls,
  groups,
  change,
  inDialogs = false,
  children,
}: EndpointSource<Type>) {
  const { loaded, reload } = useLoaded(calls.list);
  const [secret, setSecret] = useState<string>();
  const [isAdding, setAdding] = useState(false);
  const show = (drawn: string) => {
    setSecret(drawn);
    setAdding(false);
    reload();
  };
  const hasForm = (known: readonly unknown[]) => isAdding || known.length === 0;
  const add = change && <NewEndpoint create={calls.create} groups={groups} change={change} made={show} />;
  return (
    <>
      {secret !== undefined && (
        <ShownOnce title="The endpoint’s secret" close={() => setSecret(undefined)}>
          <Copied isMain text={secret} label="the secret" />
          <p>Your receiver checks the signature of each delivery with it.</p>
        </ShownOnce>
      )}
      <Shown loaded={loaded}>
        {({ webhookEndpoints }) => (
          <>
            {(inDialogs || webhookEndpoints.length > 0) && (
              <section class="card endpoints">
                <div class="title">
                  <h2>Endpoints</h2>
                  {inDialogs
                    ? add
                    : !isAdding && (
                        <button type="button" onClick={() => setAdding(true)}>
                          Add another endpoint
                        </button>
                      )}
                </div>
                {webhookEndpoints.length === 0 && <p>{MEANING}</p>}
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
              </section>
            )}
            {!inDialogs && (
              <div class={hasForm(webhookEndpoints) ? 'split' : undefined}>
                {hasForm(webhookEndpoints) && (
                  <section class="card">
                    <h2>Add an endpoint</h2>
                    <p>{MEANING}</p>
                    {add}
                  </section>
                )}
                {children?.(hasForm(webhookEndpoints))}
              </div>
            )}
          </>
        )}
      </Shown>
    </>
  );
}
