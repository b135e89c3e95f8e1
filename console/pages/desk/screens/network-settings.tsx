import { useState } from 'preact/hooks';
import type { Asset } from '../../../../clients/bureau-client/src/operations.ts';
import { assetSymbols } from '../../assets.ts';
import { showAmount } from '../../format.ts';
import { networks as allNetworks } from '../../networks.ts';
import { useLoaded } from '../../load.ts';
import { Shown } from '../../parts/notice.tsx';
import { readPublic } from '../operate.ts';
import { Choice, TextField } from '../../parts/form.tsx';
import { NetworkName } from '../parts/names.tsx';
import { type Column, Records } from '../parts/records.tsx';
import { settingNames } from '../parts/setting-names.ts';
import type { ExchangeSettings } from '../schema.d.ts';
import { ChangeStep, type SettingsPart, useChangeColumn } from './change-step.tsx';

/** The settings by the field of the public API that says what is in force, also where nothing was set. */
const fields = { fees: 'withdrawFee', minimums: 'minWithdrawal', depositMinimums: 'minDeposit' } as const;

/** Their names where three columns have little room: a deposit costs nothing. */
const heads = { fees: 'Fee', minimums: 'Min. withdrawal', depositMinimums: 'Min. deposit' } as const;

type Name = keyof typeof fields;

const names = Object.keys(fields) as Name[];

type Network = Asset['networks'][number];

/** Every asset has its networks in the same order. */
const orderOf = ({ network }: Network) => allNetworks.indexOf(network);

type Amounts = Readonly<Record<string, Readonly<Record<string, string>> | undefined>>;

const storedOf = (settings: ExchangeSettings, name: Name, asset: string, network: string): string | undefined =>
  (settings[name] as Amounts)[asset]?.[network];

/** What a withdrawal over each network costs, and the minimums; each has a default until it is set. */
export function NetworkSettings(part: SettingsPart) {
  const { loaded, reload } = useLoaded(async () => (await readPublic('/api/v1/assets')).assets);
  const changed = () => {
    part.changed();
    reload();
  };
  const [wanted, setWanted] = useState('');
  const isSet = names.some((name) => Object.values(part.settings[name]).some((set) => Object.keys(set).length > 0));
  return (
    <section class="card costs">
      <div class="top">
        <h2>Fees and minimums</h2>
        <div class="filters">
          <Choice
            label="Asset"
            value={wanted}
            set={setWanted}
            options={[['', 'All'], ...assetSymbols.map((asset) => [asset, asset] as const)]}
          />
        </div>
      </div>
      <p class="quiet">
        Amounts are in the asset. {isSet ? 'Values that are not the default are bold.' : 'All values are the defaults.'}
      </p>
      <Shown loaded={loaded}>
        {(assets) =>
          assets
            .filter(({ asset }) => wanted === '' || asset === wanted)
            .map((one) => <Costs key={one.asset} {...part} changed={changed} {...one} />)
        }
      </Shown>
    </section>
  );
}

/** Each asset has a table of its own, so that the names of the columns are near all values. */
function Costs({ asset, networks, ...part }: SettingsPart & Asset) {
  const column = (name: Name): Column<Network> => ({
    name: heads[name],
    isNumber: true,
    show: (row) => {
      const amount = showAmount(row[fields[name]]);
      return storedOf(part.settings, name, asset, row.network) === undefined ? amount : <strong>{amount}</strong>;
    },
  });
  return (
    <Records
      isSmall
      label={`Fees and minimums of ${asset}`}
      rows={networks.toSorted((one, other) => orderOf(one) - orderOf(other))}
      keyOf={({ network }) => network}
      columns={[
        { name: asset, show: ({ network }) => <NetworkName network={network} /> },
        ...names.map(column),
        ...useChangeColumn((row: Network) => <SetCosts {...part} asset={asset} row={row} />),
      ]}
      empty=""
    />
  );
}

function SetCosts({ asset, row, ...part }: SettingsPart & { readonly asset: string; readonly row: Network }) {
  const { network } = row;
  const stored = (name: Name) => storedOf(part.settings, name, asset, network) ?? '';
  const [texts, setTexts] = useState<Partial<Record<Name, string>>>({});
  const typed = (name: Name) => (texts[name] ?? stored(name)).trim();
  // Each is replaced whole, so it names the others as they are.
  const change = Object.fromEntries(
    names
      .filter((name) => typed(name) !== stored(name))
      .map((name) => {
        const all = part.settings[name] as Amounts;
        const { [network]: _before, ...others } = all[asset] ?? {};
        return [name, { ...all, [asset]: { ...others, ...(typed(name) !== '' && { [network]: typed(name) }) } }];
      }),
  );
  return (
    <ChangeStep {...part} label="Change" about={`${asset} over ${network}`} change={change}>
      {names.map((name) => (
        <TextField
          key={name}
          label={settingNames[name] ?? name}
          unit={asset}
          help={`Now ${showAmount(row[fields[name]])}. Leave empty for the default`}
          inputMode="decimal"
          value={texts[name] ?? stored(name)}
          set={(text) => setTexts((known) => ({ ...known, [name]: text }))}
        />
      ))}
    </ChangeStep>
  );
}
