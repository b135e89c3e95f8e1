import { nameAlone } from '../../networks.ts';
import { operate } from '../operate.ts';
import { Unbound } from '../parts/key-risks.tsx';
import { Day, ShortId, State, Time, Whole } from '../parts/names.tsx';
import { Records } from '../parts/records.tsx';
import { Step } from '../parts/step.tsx';
import type { AllowlistEntry, ApiKey } from '../schema.d.ts';
import { useMay } from '../staff.ts';
import type { AccountView } from './account-view.ts';

/** The keys, the approved addresses and the second factor of an account, each to be taken away. */
export function AccountSecurity({ account, changed }: AccountView) {
  const may = useMay();
  const { id, totp } = account;
  return (
    <>
      <section class="card">
        <h2>API keys</h2>
        <Records
          label="API keys"
          rows={account.apiKeys}
          keyOf={(key) => key.id}
          columns={[
            {
              name: 'Name',
              show: ({ id: keyId, label }) => (
                <>
                  {label}
                  <small class="below">
                    <ShortId id={keyId} />
                  </small>
                </>
              ),
            },
            { name: 'Permissions', show: ({ scopes }) => scopes.join(', ') },
            {
              name: 'IP addresses',
              narrow: 'half',
              show: (key) => key.ipAllowlist?.join(', ') ?? <Unbound of={key} words="any" />,
            },
            { name: 'Expires', narrow: 'half', show: (key) => <KeyEnd apiKey={key} /> },
            { name: 'Created', narrow: 'half', show: ({ createdAt }) => <Day iso={createdAt} /> },
            {
              name: 'Last used',
              narrow: 'half',
              show: ({ lastUsedAt }) => (lastUsedAt === null ? 'none known' : <Time iso={lastUsedAt} />),
            },
            {
              name: 'Revoke',
              isStep: true,
              narrow: 'beside',
              show: (key) => may('revoke_keys') && key.revokedAt === null && <Revoke apiKey={key} revoked={changed} />,
            },
          ]}
          empty="It has no API key. Its holder makes one in the console."
        />
      </section>
      <section class="card">
        <h2>Approved addresses</h2>
        <Records
          label="Approved addresses"
          rows={account.allowlist}
          keyOf={(entry) => entry.id}
          columns={[
            {
              name: 'Name',
              show: ({ label, network }) => (
                <>
                  {label}
                  <small class="below">{nameAlone(network)}</small>
                </>
              ),
            },
            { name: 'Address', narrow: 'bare', show: ({ address }) => <Whole isCode>{address}</Whole> },
            {
              name: 'Approved',
              show: ({ createdAt, usableAt }) => (
                <>
                  <Time iso={createdAt} />
                  {usableAt !== createdAt && (
                    <small class="below">
                      usable from <Time iso={usableAt} />
                    </small>
                  )}
                </>
              ),
            },
            {
              name: 'Remove',
              isStep: true,
              narrow: 'beside',
              show: (entry) =>
                may('remove_approvals') && <RemoveApproval accountId={id} entry={entry} removed={changed} />,
            },
          ]}
          empty="No address is approved. Its holder approves one in the console."
        />
      </section>
      <section class="card">
        <h2>Two-factor authentication</h2>
        <p class="quiet">While it is on, the holder and API keys need a code to withdraw.</p>
        <div class="top small-steps">
          <State of={totp.enabled ? 'ok' : 'unknown'} words={totp.enabled ? 'On' : 'Off'} />
          {totp.enabled && may('set_second_factor') && <SwitchOff id={id} done={changed} />}
        </div>
      </section>
    </>
  );
}

function KeyEnd({ apiKey }: { readonly apiKey: ApiKey }) {
  const { revokedAt, expiresAt } = apiKey;
  if (revokedAt !== null) {
    return (
      <>
        revoked <Time iso={revokedAt} />
      </>
    );
  }
  return expiresAt === null ? <Unbound of={apiKey} words="never" /> : <Day iso={expiresAt} />;
}

function Revoke({ apiKey, revoked }: { readonly apiKey: ApiKey; readonly revoked: () => void }) {
  return (
    <Step
      danger
      label="Revoke"
      title={`Revoke the key ${apiKey.label}`}
      act={() =>
        operate('delete /accounts/{id}/api-keys/{keyId}', { path: { id: apiKey.accountId, keyId: apiKey.id } })
      }
      done={revoked}
    >
      <p>It is refused from its next request on, for good.</p>
    </Step>
  );
}

function RemoveApproval({
  accountId,
  entry,
  removed,
}: {
  readonly accountId: string;
  readonly entry: AllowlistEntry;
  readonly removed: () => void;
}) {
  return (
    <Step
      danger
      label="Remove"
      title={`Remove ${entry.label}`}
      act={() => operate('delete /accounts/{id}/allowlist/{entryId}', { path: { id: accountId, entryId: entry.id } })}
      done={removed}
    >
      <p>
        <code>{entry.address}</code> on {nameAlone(entry.network)} is no longer approved, at once.
      </p>
    </Step>
  );
}

function SwitchOff({ id, done }: { readonly id: string; readonly done: () => void }) {
  return (
    <Step
      danger
      needsTwo
      label="Switch off two-factor"
      title="Switch two-factor authentication off"
      act={() => operate('delete /accounts/{id}/totp', { path: { id } })}
      done={done}
    >
      <p>
        Only once you know that the holder has lost it. API keys then withdraw without a code, and the holder cannot
        withdraw in the console until it is set up again.
      </p>
    </Step>
  );
}
