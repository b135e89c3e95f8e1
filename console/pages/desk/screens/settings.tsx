import { useLoaded } from '../../load.ts';
import { Shown } from '../../parts/notice.tsx';
import { operate } from '../operate.ts';
import { useMay } from '../staff.ts';
import { AssetAmounts, NetworkAmountsCard } from './amount-settings.tsx';
import { CoinTermsCard } from './coin-terms.tsx';
import { GeneralSettings } from './general-settings.tsx';

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
        {(settings) => (
          <>
            <GeneralSettings settings={settings} changed={reload} />
            <CoinTermsCard settings={settings} changed={reload} />
            <div class="grid">
              <AssetAmounts name="supplyCaps" settings={settings} changed={reload} />
              <AssetAmounts name="exposure" settings={settings} changed={reload} />
              <AssetAmounts name="approvalAbove" settings={settings} changed={reload} />
              <AssetAmounts name="fallbackPrices" settings={settings} changed={reload} />
              <NetworkAmountsCard name="fees" settings={settings} changed={reload} />
              <NetworkAmountsCard name="minimums" settings={settings} changed={reload} />
              <NetworkAmountsCard name="depositMinimums" settings={settings} changed={reload} />
            </div>
          </>
        )}
      </Shown>
    </>
  );
}
