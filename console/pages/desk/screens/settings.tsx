import { useLoaded } from '../../load.ts';
import { Shown } from '../../parts/notice.tsx';
import { operate } from '../operate.ts';
import { Tabs, shownOf } from '../parts/tabs.tsx';
import type { Place } from '../place.ts';
import { useMay } from '../staff.ts';
import { AssetLimits } from './asset-settings.tsx';
import type { SettingsPart } from './change-step.tsx';
import { CoinTerms } from './coin-terms.tsx';
import { GeneralSettings } from './general-settings.tsx';
import { NetworkSettings } from './network-settings.tsx';

const groups = {
  trading: 'Trading',
  networks: 'Networks',
  accounts: 'Accounts',
  risk: 'Risk',
} as const;

/** The settings of the exchange, by what they are about; each change is shown with its old and its new value first. */
export function Settings({ query }: Place) {
  const { loaded, reload } = useLoaded(async () => (await operate('get /settings')).settings);
  const may = useMay();
  const shown = shownOf(groups, query);
  return (
    <>
      <div class="top">
        <h1>Settings</h1>
        <a href="/desk/audit?action=change_settings">Who changed settings</a>
      </div>
      <Tabs label="Of settings" path="/desk/settings" of={groups} shown={shown} />
      {!may('change_settings') && (
        <p class="notice">
          {may('set_caps')
            ? 'Your role changes the limits of each asset. An admin changes the others.'
            : 'Only an admin changes settings.'}
        </p>
      )}
      <Shown loaded={loaded}>{(settings) => <Group name={shown} settings={settings} changed={reload} />}</Shown>
    </>
  );
}

function Group({ name, ...part }: SettingsPart & { readonly name: keyof typeof groups }) {
  switch (name) {
    case 'trading':
      return <CoinTerms {...part} />;
    case 'networks':
      return <NetworkSettings {...part} />;
    case 'accounts':
      return <AccountSettings {...part} />;
    case 'risk':
      return (
        <>
          <GeneralSettings
            {...part}
            title="Limits of the whole house"
            names={['dailyLoss', 'dailyHedgeVolume', 'maxAtVenues']}
          />
          <AssetLimits {...part} />
        </>
      );
  }
}

function AccountSettings(part: SettingsPart) {
  const { loaded } = useLoaded(async () => (await operate('get /reconciliation')).reconciliation.ledgers.length);
  // With one ledger there is nothing to choose.
  const isDivided = loaded.state === 'here' && loaded.value > 1;
  return (
    <GeneralSettings
      {...part}
      title="All accounts"
      names={['reviewThreshold', 'allowlistMode', 'approvalAbove', ...(isDivided ? (['openingWeights'] as const) : [])]}
    />
  );
}
