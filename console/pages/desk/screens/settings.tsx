import { useState } from 'preact/hooks';
import { useLoaded } from '../../load.ts';
import { Choice, TextField } from '../../parts/form.tsx';
import { Shown } from '../../parts/notice.tsx';
import { operate } from '../operate.ts';
import { Facts } from '../parts/records.tsx';
import { Value } from '../parts/value.tsx';
import { useMay } from '../staff.ts';
import { AssetAmounts, NetworkAmountsCard } from './amount-settings.tsx';
import { ChangeStep, type SettingsPart } from './change-step.tsx';
import { settingNames } from './changed-settings.tsx';

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
            <General settings={settings} changed={reload} />
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

const shownFirst = ['allowlistMode', 'reviewThreshold', 'spreadBps', 'openingWeights'] as const;

function General({ settings, changed }: SettingsPart) {
  const may = useMay();
  return (
    <section class="card">
      <h2>The exchange</h2>
      <Facts
        of={shownFirst.map((name) => [settingNames[name] ?? name, <Value key={name} of={settings[name]} />] as const)}
      />
      {may('change_settings') && (
        <div class="steps">
          <SetThreshold settings={settings} changed={changed} />
          <SetSpread settings={settings} changed={changed} />
          <SetAllowlist settings={settings} changed={changed} />
          <SetOpeningWeights settings={settings} changed={changed} />
        </div>
      )}
    </section>
  );
}

function SetThreshold(part: SettingsPart) {
  const [text, setText] = useState(part.settings.reviewThreshold ?? '');
  const reviewThreshold = text.trim() === '' ? null : text.trim();
  return (
    <ChangeStep {...part} label="Set the review threshold" change={{ reviewThreshold }}>
      <TextField label="USDT (empty: no reviews)" inputMode="decimal" value={text} set={setText} />
    </ChangeStep>
  );
}

function SetSpread(part: SettingsPart) {
  const [text, setText] = useState(String(part.settings.spreadBps));
  const isWhole = /^\d{1,4}$/.test(text.trim());
  return (
    <ChangeStep {...part} label="Set the spread" change={isWhole ? { spreadBps: Number(text) } : undefined}>
      <TextField
        label="Hundredths of a percent"
        inputMode="numeric"
        pattern="\d{1,4}"
        required
        value={text}
        set={setText}
      />
    </ChangeStep>
  );
}

/** Reads weights such as `0: 1, 2: 3`; `undefined` for another text. */
function readWeights(text: string): Record<string, number> | undefined {
  const pairs = text.split(',').map((pair) => /^\s*(\d{1,4})\s*:\s*(\d{1,4})\s*$/.exec(pair));
  const read = pairs.map((pair) => [pair?.[1], Number(pair?.[2])] as const);
  return pairs.includes(null) ? undefined : Object.fromEntries(read);
}

function SetOpeningWeights(part: SettingsPart) {
  const shown = Object.entries(part.settings.openingWeights).map(([ledger, weight]) => `${ledger}: ${weight}`);
  const [text, setText] = useState(shown.join(', '));
  const openingWeights = readWeights(text);
  return (
    <ChangeStep {...part} label="Set where accounts are opened" change={openingWeights && { openingWeights }}>
      <TextField label="Weights by ledger, such as 0: 1, 1: 3" required value={text} set={setText} />
    </ChangeStep>
  );
}

const modes = [
  ['off', 'off: any address'],
  ['strict', 'strict: approved addresses alone'],
] as const;

function SetAllowlist(part: SettingsPart) {
  const [allowlistMode, setMode] = useState(part.settings.allowlistMode);
  return (
    <ChangeStep {...part} label="Set the allowlist’s mode" change={{ allowlistMode }}>
      <Choice label="Withdrawals go to" value={allowlistMode} set={setMode} options={modes} />
    </ChangeStep>
  );
}
