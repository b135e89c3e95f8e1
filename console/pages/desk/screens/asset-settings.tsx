import { useState } from 'preact/hooks';
import { showSum } from '../../format.ts';
import { Choice, TextField } from '../../parts/form.tsx';
import { Time } from '../parts/names.tsx';
import { type Column, Records } from '../parts/records.tsx';
import type { ExchangeSettings } from '../schema.d.ts';
import { useMay } from '../staff.ts';
import { settingNames } from './changed-settings.tsx';
import { ChangeStep, type SettingsPart } from './change-step.tsx';

type Name = 'supplyCaps' | 'exposure' | 'fallbackPrices';
type Asset = keyof ExchangeSettings['supplyCaps'];

/** In what a setting is, and who may change it. Only a fallback price has a default to which it can return. */
const rules = {
  supplyCaps: { duty: 'set_caps', unitOf: (asset: Asset) => asset, isRequired: true },
  exposure: { duty: 'set_caps', unitOf: (asset: Asset) => asset, isRequired: true },
  fallbackPrices: { duty: 'change_settings', unitOf: () => 'USDT', isRequired: false },
} as const;

const meanings = {
  supplyCaps: 'The supply limit is how much of an asset clients may own in all.',
  exposure: 'The position limit is how far the house may be short of an asset, or long of a coin.',
  fallbackPrices: 'A price that is shown while no venue has one. Nothing is traded at it.',
} as const;

const columnNames = { supplyCaps: 'Supply limit', exposure: 'Position limit', fallbackPrices: 'Price' } as const;

type Valued = string | { readonly price: string; readonly setAt: string } | undefined;

const valueOf = (settings: ExchangeSettings, name: Name, asset: Asset): Valued =>
  (settings[name] as Readonly<Record<string, Valued>>)[asset];

/** The value of an asset as text; a price without its date. */
const textOf = (value: Valued) => (typeof value === 'object' ? value.price : (value ?? ''));

/** Settings that have a value for each asset, one beside the other. */
export function AssetSettings({
  title,
  names,
  ...part
}: SettingsPart & { readonly title: string; readonly names: readonly Name[] }) {
  const may = useMay();
  const { settings } = part;
  const [first = 'supplyCaps'] = names;
  const assets = Object.keys(settings[first]) as Asset[];
  const times = new Set(
    assets.flatMap((asset) => {
      const value = valueOf(settings, first, asset);
      return typeof value === 'object' ? [value.setAt] : [];
    }),
  );
  const [only] = times.size === 1 && assets.length > 1 ? times : [];
  const column = (name: Name): Column<Asset> => ({
    name: columnNames[name],
    isNumber: true,
    show: (asset) => {
      const value = valueOf(settings, name, asset);
      return (
        <>
          {value === undefined ? (
            <span class="quiet">the default</span>
          ) : (
            showSum(textOf(value), rules[name].unitOf(asset))
          )}
          {typeof value === 'object' && only === undefined && (
            <small class="below">
              set <Time iso={value.setAt} />
            </small>
          )}
        </>
      );
    },
  });
  return (
    <section class="card">
      <h2>{title}</h2>
      <p class="quiet">
        {names.map((name) => meanings[name]).join(' ')}
        {only !== undefined && (
          <>
            {' '}
            All were set <Time iso={only} />.
          </>
        )}
      </p>
      <Records
        isSmall={names.length === 1}
        label={title}
        rows={assets}
        keyOf={(asset) => asset}
        columns={[
          { name: 'Asset', show: (asset) => asset },
          ...names.map(column),
          ...(names.every((name) => may(rules[name].duty))
            ? [
                {
                  name: 'Change',
                  isStep: true,
                  narrow: 'by-row' as const,
                  show: (asset: Asset) => <SetAsset {...part} title={title} names={names} asset={asset} />,
                },
              ]
            : []),
        ]}
        empty=""
      />
    </section>
  );
}

function SetAsset({
  title,
  names,
  asset,
  ...part
}: SettingsPart & { readonly title: string; readonly names: readonly Name[]; readonly asset: Asset }) {
  const stored = (name: Name) => textOf(valueOf(part.settings, name, asset));
  const [texts, setTexts] = useState<Partial<Record<Name, string>>>({});
  const typed = (name: Name) => (texts[name] ?? stored(name)).trim();
  const changed = names.filter((name) => typed(name) !== stored(name));
  const isReady = names.every((name) => typed(name) !== '' || !rules[name].isRequired);
  const change = Object.fromEntries(changed.map((name) => [name, { [asset]: typed(name) || null }]));
  return (
    <ChangeStep
      {...part}
      label="Change"
      about={`${title}, ${asset}`}
      title={`Change ${asset}`}
      change={isReady ? change : undefined}
    >
      {names.map((name) => (
        <TextField
          key={name}
          label={name === 'fallbackPrices' ? 'Price' : (settingNames[name] ?? name)}
          unit={rules[name].unitOf(asset)}
          help={rules[name].isRequired ? undefined : 'If empty: the default'}
          inputMode="decimal"
          required={rules[name].isRequired}
          value={texts[name] ?? stored(name)}
          set={(text) => setTexts((known) => ({ ...known, [name]: text }))}
        />
      ))}
    </ChangeStep>
  );
}

/** What one person alone may credit by hand: nothing, unless it is set for the asset. */
export function HandCredits(part: SettingsPart) {
  const may = useMay();
  const set = part.settings.approvalAbove;
  return (
    <section class="card">
      <h2>Credits by hand</h2>
      <p class="quiet">
        How much of an asset one person may credit by hand in 24 hours. More needs a second person, once there are two
        admins.
      </p>
      <Records
        isSmall
        label="Credits by hand"
        rows={Object.entries(set)}
        keyOf={([asset]) => asset}
        columns={[
          { name: 'Asset', show: ([asset]) => asset },
          { name: 'Limit of one person', isNumber: true, show: ([asset, amount]) => showSum(amount, asset) },
        ]}
        empty="No limit is set: every credit needs a second person."
      />
      {may('change_settings') && (
        <div class="steps">
          <SetHandCredit {...part} />
        </div>
      )}
    </section>
  );
}

function SetHandCredit(part: SettingsPart) {
  const assets = Object.keys(part.settings.supplyCaps) as Asset[];
  const stored: Readonly<Partial<Record<Asset, string>>> = part.settings.approvalAbove;
  const [asset, setAsset] = useState<Asset>('USDT');
  const [text, setText] = useState(stored.USDT ?? '');
  const { [asset]: _before, ...others } = stored;
  const amount = text.trim();
  // Replaced whole, so it names the others as they are.
  const change = { approvalAbove: { ...others, ...(amount !== '' && { [asset]: amount }) } };
  return (
    <ChangeStep {...part} label="Set a limit" title="Limit of one person’s credits" change={change}>
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
        help="If empty: every credit needs two people"
        inputMode="decimal"
        value={text}
        set={setText}
      />
    </ChangeStep>
  );
}
