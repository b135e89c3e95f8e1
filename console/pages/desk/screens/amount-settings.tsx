import { useState } from 'preact/hooks';
import { showAmount } from '../../format.ts';
import { api } from '../../ask.ts';
import { useLoaded } from '../../load.ts';
import { Choice, TextField } from '../../parts/form.tsx';
import { type Column, Records } from '../parts/records.tsx';
import { Time } from '../parts/names.tsx';
import { Value } from '../parts/value.tsx';
import type { ChangeSettings, ExchangeSettings } from '../schema.d.ts';
import { useMay } from '../staff.ts';
import { settingNames } from './changed-settings.tsx';
import { ChangeStep, type SettingsPart } from './change-step.tsx';

type AssetSetting = 'supplyCaps' | 'exposure' | 'approvalAbove' | 'fallbackPrices';
type NetworkSetting = 'fees' | 'minimums' | 'depositMinimums';
type Asset = keyof ExchangeSettings['supplyCaps'];

/** Who may change them, and what an empty field means where it may be left empty. */
const rules = {
  supplyCaps: { duty: 'set_caps', empty: undefined },
  exposure: { duty: 'set_caps', empty: undefined },
  approvalAbove: { duty: 'change_settings', empty: 'two people in any case' },
  fallbackPrices: { duty: 'change_settings', empty: 'the default' },
} as const;

/** The value of an asset as text; a price without its date. */
function textOf(value: string | { readonly price: string } | undefined): string {
  return typeof value === 'object' ? value.price : (value ?? '');
}

/** A setting with a value for each asset. */
export function AssetAmounts({ name, settings, changed }: SettingsPart & { readonly name: AssetSetting }) {
  const may = useMay();
  const values: Readonly<Record<string, string | { readonly price: string; readonly setAt: string }>> = settings[name];
  const isPrice = name === 'fallbackPrices';
  const offered = Object.keys(isPrice ? values : settings.supplyCaps) as Asset[];
  const { duty, empty } = rules[name];
  return (
    <section class="card">
      <h2>{settingNames[name]}</h2>
      <Records
        label={settingNames[name] ?? name}
        rows={offered}
        keyOf={(asset) => asset}
        columns={[
          { name: 'Asset', show: (asset) => asset },
          {
            name: 'Value',
            isNumber: true,
            show: (asset) =>
              values[asset] === undefined ? (
                <span class="quiet">{empty}</span>
              ) : (
                `${showAmount(textOf(values[asset]))} ${isPrice ? 'USDT' : asset}`
              ),
          },
          ...(isPrice
            ? [
                {
                  name: 'Set',
                  show: (asset: Asset) => {
                    const value = values[asset];
                    return typeof value === 'object' && <Time iso={value.setAt} />;
                  },
                },
              ]
            : []),
          ...(may(duty)
            ? [
                {
                  name: 'Change',
                  show: (asset: Asset) => <SetAmount name={name} asset={asset} settings={settings} changed={changed} />,
                },
              ]
            : []),
        ]}
        empty=""
      />
    </section>
  );
}

function SetAmount({ name, asset, ...part }: SettingsPart & { readonly name: AssetSetting; readonly asset: Asset }) {
  const values: Readonly<Record<string, string | { readonly price: string }>> = part.settings[name];
  const [text, setText] = useState(textOf(values[asset]));
  const { empty } = rules[name];
  const amount = text.trim();
  return (
    <ChangeStep
      {...part}
      label="Change"
      about={`${settingNames[name]}, ${asset}`}
      change={describeChange(name, part.settings, asset, amount)}
    >
      <TextField
        label={empty === undefined ? 'New value' : `New value (empty: ${empty})`}
        inputMode="decimal"
        required={empty === undefined}
        value={text}
        set={setText}
      />
    </ChangeStep>
  );
}

/** The request for one asset. `approvalAbove` is replaced whole, so it names the others as they are. */
function describeChange(
  name: AssetSetting,
  settings: ExchangeSettings,
  asset: Asset,
  amount: string,
): ChangeSettings | undefined {
  if (name === 'fallbackPrices') return { [name]: { [asset]: amount === '' ? null : amount } };
  if (name !== 'approvalAbove') return amount === '' ? undefined : { [name]: { [asset]: amount } };
  const { [asset]: _before, ...others } = settings.approvalAbove;
  return { approvalAbove: { ...others, ...(amount !== '' && { [asset]: amount }) } };
}

interface Pair {
  readonly asset: string;
  readonly network: string;
  readonly amount: string;
}

const key = ({ asset, network }: Omit<Pair, 'amount'>) => `${asset} ${network}`;

const pairColumns: readonly Column<Pair>[] = [
  { name: 'Asset', show: ({ asset }) => asset },
  { name: 'Network', show: ({ network }) => network },
  { name: 'Value', isNumber: true, show: ({ amount }) => <Value of={amount} /> },
];

/** What the public API says of each asset and network: the values in force, those that were never set among them. */
async function readInForce(name: NetworkSetting): Promise<readonly Pair[]> {
  const { assets } = await api.listAssets();
  return assets.flatMap(({ asset, networks }) =>
    networks.map((row) => ({
      asset,
      network: row.network,
      amount: { fees: row.withdrawFee, minimums: row.minWithdrawal, depositMinimums: row.minDeposit }[name],
    })),
  );
}

/** A setting with a value for each asset and network; those that were never set have defaults. */
export function NetworkAmountsCard({ name, settings, changed }: SettingsPart & { readonly name: NetworkSetting }) {
  const may = useMay();
  const { loaded } = useLoaded(() => readInForce(name));
  const pairs = loaded.state === 'here' ? loaded.value : [];
  const set: Readonly<Record<string, Readonly<Record<string, string>> | undefined>> = settings[name];
  const rows = Object.entries(set).flatMap(([asset, amounts = {}]) =>
    Object.entries(amounts).map(([network, amount]) => ({ asset, network, amount })),
  );
  return (
    <section class="card">
      <h2>{settingNames[name]}</h2>
      <Records
        label={settingNames[name] ?? name}
        rows={rows}
        keyOf={key}
        columns={pairColumns}
        empty="Every asset and network has its default."
      />
      {pairs.length > 0 && (
        <details class="plain-details">
          <summary>All {pairs.length} in force</summary>
          <Records
            label={`${settingNames[name] ?? name}, in force`}
            rows={pairs}
            keyOf={key}
            columns={pairColumns}
            empty=""
          />
        </details>
      )}
      {may('change_settings') && pairs.length > 0 && (
        <div class="steps">
          <SetNetworkAmount name={name} pairs={pairs} settings={settings} changed={changed} />
        </div>
      )}
    </section>
  );
}

function SetNetworkAmount({
  name,
  pairs,
  ...part
}: SettingsPart & { readonly name: NetworkSetting; readonly pairs: readonly Pair[] }) {
  const [chosen, setChosen] = useState(pairs.map(key)[0] ?? '');
  const pair = pairs.find((known) => key(known) === chosen);
  const [text, setText] = useState(pair?.amount ?? '');
  const [asset = '', network = ''] = chosen.split(' ');
  const set: Readonly<Record<string, Readonly<Record<string, string>> | undefined>> = part.settings[name];
  const { [network]: _before, ...others } = set[asset] ?? {};
  const amount = text.trim();
  // Replaced whole, so it names the others as they are.
  const change = { [name]: { ...set, [asset]: { ...others, ...(amount !== '' && { [network]: amount }) } } };
  return (
    <ChangeStep {...part} label="Change one" change={change}>
      <Choice
        label="Asset and network"
        value={chosen}
        set={(next) => {
          setChosen(next);
          setText(pairs.find((known) => key(known) === next)?.amount ?? '');
        }}
        options={pairs.map((known) => [key(known), `${known.asset} over ${known.network}`] as const)}
      />
      <TextField label={`In ${asset} (empty: the default)`} inputMode="decimal" value={text} set={setText} />
      <p class="quiet">In force now: {pair?.amount}.</p>
    </ChangeStep>
  );
}
