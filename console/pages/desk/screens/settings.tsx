import type { ComponentChildren } from 'preact';
import { useLoaded } from '../../load.ts';
import { Shown } from '../../parts/notice.tsx';
import { operate } from '../operate.ts';
import { useMay } from '../staff.ts';
import { AssetAmounts, NetworkAmountsCard } from './amount-settings.tsx';
import { CoinTermsCard } from './coin-terms.tsx';
import { GeneralSettings } from './general-settings.tsx';

const groups = {
  trading: 'Trading',
  withdrawals: 'Withdrawals',
  deposits: 'Deposits',
  risk: 'The house’s risk',
  accounts: 'Accounts',
} as const;

/** Settings about one thing, to which the links above them lead. */
function Group({ id, children }: { readonly id: keyof typeof groups; readonly children: ComponentChildren }) {
  return (
    <section class="group" id={id} aria-label={groups[id]}>
      <h2>{groups[id]}</h2>
      {children}
    </section>
  );
}

/** The settings of the exchange; each change is shown with its old and its new value before it is made. */
export function Settings() {
  const { loaded, reload } = useLoaded(async () => (await operate('get /settings')).settings);
  const may = useMay();
  return (
    <>
      <div class="top">
        <h1>Settings</h1>
        <a href="/desk/audit?action=change_settings">Who changed them</a>
      </div>
      {!may('change_settings') && (
        <p class="notice">
          {may('set_caps') ? 'Your role changes caps and exposure. ' : 'Your role changes no settings. '}
          An admin changes the others.
        </p>
      )}
      <Shown loaded={loaded}>
        {(settings) => {
          const part = { settings, changed: reload };
          return (
            <>
              <nav class="side-by-side" aria-label="Groups of settings">
                {Object.entries(groups).map(([id, name]) => (
                  <a key={id} href={`#${id}`}>
                    {name}
                  </a>
                ))}
              </nav>
              <Group id="trading">
                <GeneralSettings {...part} title="Prices" names={['spreadBps']} />
                <CoinTermsCard {...part} />
                <div class="grid">
                  <AssetAmounts name="fallbackPrices" {...part} />
                </div>
              </Group>
              <Group id="withdrawals">
                <GeneralSettings {...part} title="Reviews and addresses" names={['reviewThreshold', 'allowlistMode']} />
                <div class="grid">
                  <NetworkAmountsCard name="fees" {...part} />
                  <NetworkAmountsCard name="minimums" {...part} />
                </div>
              </Group>
              <Group id="deposits">
                <div class="grid">
                  <NetworkAmountsCard name="depositMinimums" {...part} />
                  <AssetAmounts name="approvalAbove" {...part} />
                </div>
              </Group>
              <Group id="risk">
                <GeneralSettings
                  {...part}
                  title="Bounds of a day, and of venues"
                  names={['dailyLoss', 'dailyHedgeVolume', 'maxAtVenues']}
                />
                <div class="grid">
                  <AssetAmounts name="supplyCaps" {...part} />
                  <AssetAmounts name="exposure" {...part} />
                </div>
              </Group>
              <Group id="accounts">
                <GeneralSettings {...part} title="New accounts" names={['openingWeights']} />
              </Group>
            </>
          );
        }}
      </Shown>
    </>
  );
}
