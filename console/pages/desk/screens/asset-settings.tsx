import { useState } from 'preact/hooks';
import { showAmount } from '../../format.ts';
import { Choice, TextField } from '../../parts/form.tsx';
import { type Column, Records } from '../parts/records.tsx';
import { settingNames } from '../parts/setting-names.ts';
import type { ExchangeSettings } from '../schema.d.ts';
import { ChangeStep, type SettingsPart, useChangeColumn } from './change-step.tsx';

type Name = 'supplyCaps' | 'exposure';
type Asset = keyof ExchangeSettings['supplyCaps'];

const names: readonly Name[] = ['supplyCaps', 'exposure'];

/** What clients may own of each asset, and how far the house may be short or long of it. */
export function AssetLimits(part: SettingsPart) {
  const { settings } = part;
  const changes = useChangeColumn((asset: Asset) => <SetLimits {...part} asset={asset} />, 'set_caps');
  const column = (name: Name): Column<Asset> => ({
    name: settingNames[name] ?? name,
    isNumber: true,
    show: (asset) => showAmount(settings[name][asset] ?? ''),
  });
  return (
    <section class="card">
      <h2>Limits of each asset</h2>
      <p class="quiet">
        The supply limit is how much of an asset clients may own in all. The position limit is how far the house may be
        short or long of it; of USDT, only short. Amounts are in the asset.
      </p>
      <Records
        label="Limits of each asset"
        rows={Object.keys(settings.supplyCaps) as Asset[]}
        keyOf={(asset) => asset}
        columns={[{ name: 'Asset', show: (asset) => asset }, ...names.map(column), ...changes]}
        empty=""
      />
    </section>
  );
}

function SetLimits({ asset, ...part }: SettingsPart & { readonly asset: Asset }) {
  const [texts, setTexts] = useState<Partial<Record<Name, string>>>({});
  const stored = (name: Name) => part.settings[name][asset] ?? '';
  const typed = (name: Name) => (texts[name] ?? stored(name)).trim();
  const changed = names.filter((name) => typed(name) !== stored(name));
  const change = Object.fromEntries(changed.map((name) => [name, { [asset]: typed(name) }]));
  return (
    <ChangeStep
      {...part}
      label="Change"
      about={`Limits of each asset, ${asset}`}
      title={`Change ${asset}`}
      change={names.every((name) => typed(name) !== '') ? change : undefined}
    >
      {names.map((name) => (
        <TextField
          key={name}
          label={settingNames[name] ?? name}
          unit={asset}
          inputMode="decimal"
          required
          value={texts[name] ?? stored(name)}
          set={(text) => setTexts((known) => ({ ...known, [name]: text }))}
        />
      ))}
    </ChangeStep>
  );
}

/** What one person alone may credit by hand: nothing, unless it is set for the asset. */
export function SetHandCredit(part: SettingsPart) {
  const assets = Object.keys(part.settings.supplyCaps) as Asset[];
  const stored: Readonly<Partial<Record<Asset, string>>> = part.settings.approvalAbove;
  const [asset, setAsset] = useState<Asset>('USDT');
  const [text, setText] = useState(stored.USDT ?? '');
  const { [asset]: _before, ...others } = stored;
  const amount = text.trim();
  // Replaced whole, so it names the others as they are.
  const change = { approvalAbove: { ...others, ...(amount !== '' && { [asset]: amount }) } };
  return (
    <ChangeStep {...part} label="Change" about="the credits without a second person" change={change}>
      <Choice
        label="Asset"
        value={asset}
        set={(next) => {
          setAsset(next);
          setText(stored[next] ?? '');
        }}
        options={assets.map((one) => [one, one] as const)}
      />
      <TextField
        label="In 24 hours"
        unit={asset}
        help="Leave empty if every credit needs a second person"
        inputMode="decimal"
        value={text}
        set={setText}
      />
    </ChangeStep>
  );
}
