import { useState } from 'preact/hooks';
import { api } from '../api.ts';
import { ask } from '../ask.ts';
import { inGroups } from '../format.ts';
import { useLoaded } from '../load.ts';
import { nameAlone } from '../networks.ts';
import { CopyButton } from '../parts/copy.tsx';
import { Choice, Form, TextField } from '../parts/form.tsx';
import { None } from '../parts/none.tsx';
import { Shown } from '../parts/notice.tsx';
import { mayAdd, useSignedIn } from '../parts/session.ts';
import { withPasskey } from '../passkey.ts';
import type { Entry } from './withdraw/withdrawal-form.tsx';
import { CannotAdd } from '../parts/cannot-add.tsx';
import { Time } from '../parts/time.tsx';

async function read() {
  const [{ entries }, { assets }] = await Promise.all([
    ask<{ entries: Entry[] }>('GET', '/account/addresses'),
    api.listAssets(),
  ]);
  /** The assets by the networks they move over. */
  const networks = new Map<string, string[]>();
  for (const asset of assets)
    for (const { network } of asset.networks) networks.set(network, [...(networks.get(network) ?? []), asset.asset]);
  return { entries, networks };
}

/** The addresses that withdrawals may go to, and approving one more. */
export function Addresses() {
  const signedIn = useSignedIn();
  const { loaded, reload } = useLoaded(read);
  const { mode } = signedIn.account.allowlist;
  return (
    <>
      <p class="about">
        {mode === 'strict'
          ? 'Withdrawals go only to addresses that you approved here.'
          : 'Approve an address once, then choose it by its name when you withdraw.'}
      </p>
      <Shown loaded={loaded}>
        {({ entries, networks }) => (
          <div class={mayAdd(signedIn) || entries.length > 0 ? 'split' : undefined}>
            <section class="card">
              <h2>Approved addresses</h2>
              {entries.length > 0 ? (
                <ul class="plain">
                  {entries.map((entry) => (
                    <Approved
                      key={entry.id}
                      entry={entry}
                      assets={networks.get(entry.network) ?? []}
                      removed={reload}
                    />
                  ))}
                </ul>
              ) : (
                <None
                  title="No approved addresses yet"
                  end={!mayAdd(signedIn) && <CannotAdd act="approve an address" />}
                >
                  {mayAdd(signedIn) && 'You choose among them when you withdraw.'}
                </None>
              )}
            </section>
            {mayAdd(signedIn) ? (
              <section class="card">
                <h2>Approve an address</h2>
                <NewAddress networks={networks} approved={reload} />
              </section>
            ) : (
              entries.length > 0 && (
                <section class="card">
                  <h2>Approve an address</h2>
                  <CannotAdd act="approve an address" />
                </section>
              )
            )}
          </div>
        )}
      </Shown>
    </>
  );
}

function Approved({
  entry,
  assets,
  removed,
}: {
  readonly entry: Entry;
  readonly assets: readonly string[];
  readonly removed: () => void;
}) {
  const isCooling = Date.parse(entry.usableAt) > Date.now();
  return (
    <li class="entry">
      <div class="title">
        <strong>{entry.label}</strong>
        <span class={`pill ${isCooling ? 'pending' : 'completed'}`}>{isCooling ? 'Waits' : 'Ready'}</span>
      </div>
      <code class="boxed">{inGroups(entry.address)}</code>
      <span class="quiet">
        On {nameAlone(entry.network)}, for {assets.join(', ')}. {isCooling ? 'Can be used from' : 'Ready since'}{' '}
        <Time at={entry.usableAt} />
      </span>
      <div class="side-by-side">
        <CopyButton isBeside text={entry.address} label={`the address of ${entry.label}`} />
        {!isCooling && (
          <a href={`/withdraw?to=${entry.id}`}>
            Withdraw<span class="hidden"> to {entry.label}</span>
          </a>
        )}
        <Form
          danger
          label="Remove"
          about={entry.label}
          act={async () => {
            await withPasskey(() => ask('DELETE', `/account/addresses/${entry.id}`));
            removed();
          }}
        />
      </div>
    </li>
  );
}

function NewAddress({
  networks,
  approved,
}: {
  readonly networks: ReadonlyMap<string, readonly string[]>;
  readonly approved: () => void;
}) {
  const { cooling_hours: hours } = useSignedIn().account.allowlist;
  const [network, setNetwork] = useState('ETH');
  const [address, setAddress] = useState('');
  const [label, setLabel] = useState('');
  return (
    <Form
      label="Approve the address"
      act={async () => {
        const body = { network, address: address.trim(), label };
        await withPasskey(() => ask('POST', '/account/addresses', body));
        setAddress('');
        setLabel('');
        approved();
      }}
    >
      <Choice
        label="Network"
        value={network}
        set={setNetwork}
        options={[...networks].map(([name, assets]) => [name, `${nameAlone(name)}: ${assets.join(', ')}`] as const)}
      />
      <TextField label="Address" autoComplete="off" required value={address} set={setAddress} />
      <TextField
        label="Name"
        help="A name for you to know it by, such as “cold wallet”."
        required
        maxLength={128}
        value={label}
        set={setLabel}
      />
      <p class="quiet">
        You confirm with your passkey. The address can be used {hours > 0 ? `after ${hours} hours` : 'at once'}.
      </p>
    </Form>
  );
}
