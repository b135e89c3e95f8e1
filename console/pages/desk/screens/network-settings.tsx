import { useState } from 'preact/hooks';
import { api } from '../../ask.ts';
import { showAmount } from '../../format.ts';
import { useLoaded } from '../../load.ts';
import { Shown } from '../../parts/notice.tsx';
import { TextField } from '../../parts/form.tsx';
import { NetworkName } from '../parts/names.tsx';
import { type Column, Records } from '../parts/records.tsx';
import { settingNames } from '../parts/setting-names.ts';
import type { ExchangeSettings } from '../schema.d.ts';
import { ChangeStep, type SettingsPart, useChangeColumn } from './change-step.tsx';

/** The settings by the field of the public API that says what is in force. */
const fields = { fees: 'withdrawFee', minimums: 'minWithdrawal', depositMinimums: 'minDeposit' } as const;

type Name = keyof typeof fields;

const names = Object.keys(fields) as Name[];

interface Pair {
  readonly asset: string;
  readonly network: string;
  readonly inForce: Readonly<Record<Name, string>>;
}

/** What the public API says of each asset and network: the values in force, those that were never set among them. */
async function readPairs(): Promise<readonly Pair[]> {
  const { assets } = await api.listAssets();
  return assets.flatMap(({ asset, networks }) =>
    networks.map((row) => ({
      asset,
      network: row.network,
      inForce: { fees: row.withdrawFee, minimums: row.minWithdrawal, depositMinimums: row.minDeposit },
    })),
  );
}

type Amounts = Readonly<Record<string, Readonly<Record<string, string>> | undefined>>;

const storedOf = (settings: ExchangeSettings, name: Name, { asset, network }: Pair): string | undefined =>
  (settings[name] as Amounts)[asset]?.[network];

/** What a withdrawal over each network costs, and the smallest amounts; each has a default until it is set. */
export function NetworkSettings(part: SettingsPart) {
  const { loaded, reload } = useLoaded(readPairs);
  const changed = () => {
    part.changed();
    reload();
  };
  const changes = useChangeColumn((pair: Pair) => <SetPair {...part} changed={changed} pair={pair} />);
  const column = (name: Name): Column<Pair> => ({
    name: settingNames[name] ?? name,
    isNumber: true,
    show: (pair) => {
      const amount = showAmount(pair.inForce[name]);
      return storedOf(part.settings, name, pair) === undefined ? amount : <strong>{amount}</strong>;
    },
  });
  return (
    <section class="card">
      <h2>Fees and smallest amounts</h2>
      <Shown loaded={loaded}>
        {(pairs) => (
          <>
            <p class="quiet">
              {pairs.some((pair) => names.some((name) => storedOf(part.settings, name, pair) !== undefined))
                ? 'What was set here is bold; everything else has its default.'
                : 'Nothing was changed: these are the defaults.'}
            </p>
            <Records
              isSmall
              label="Fees and smallest amounts"
              rows={pairs}
              keyOf={({ asset, network }) => `${asset} ${network}`}
              groupOf={({ asset }) => `Amounts in ${asset}`}
              columns={[
                { name: 'Network', show: ({ network }) => <NetworkName network={network} /> },
                ...names.map(column),
                ...changes,
              ]}
              empty=""
            />
          </>
        )}
      </Shown>
    </section>
  );
}

function SetPair({ pair, ...part }: SettingsPart & { readonly pair: Pair }) {
  const { asset, network } = pair;
  const stored = (name: Name) => storedOf(part.settings, name, pair) ?? '';
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
          help={`Now ${showAmount(pair.inForce[name])}. If empty: the default`}
          inputMode="decimal"
          value={texts[name] ?? stored(name)}
          set={(text) => setTexts((known) => ({ ...known, [name]: text }))}
        />
      ))}
    </ChangeStep>
  );
}
