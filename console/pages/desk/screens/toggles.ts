import { assetSymbols, coinSymbols } from '../../assets.ts';
import { type Network, networks } from '../../networks.ts';
import type { ChangeSettings, ExchangeSettings } from '../schema.d.ts';

type Coin = ExchangeSettings['haltedCoins'][number];
type Asset = ExchangeSettings['pausedDeposits']['assets'][number];

/** The names with this one among them if it was not, and without it if it was. */
function toggle<Name extends string>(names: readonly Name[], name: Name): Name[] {
  return names.includes(name) ? names.filter((one) => one !== name) : [...names, name];
}

/** One thing that is on or off. */
export interface Toggled {
  readonly isOn: boolean;
  /** What is said of it while it is off. */
  readonly told: string;
  /** What its button does, and of what. */
  readonly label: string;
  readonly about?: string | undefined;
  /** What it is that is switched, and the word for its being off. */
  readonly thing: string;
  readonly stopped: 'halted' | 'paused';
  /** What stops, and what goes on. */
  readonly meanings: readonly (readonly [name: string, words: string])[];
  /** Who may switch it on again. */
  readonly end: string;
  readonly change: ChangeSettings;
}

/** What each switch says, with the name of its coin or network. */
interface Words {
  readonly told: string;
  readonly stop: string;
  readonly of: string;
  readonly resume: string;
  readonly thing: string;
  readonly stops: string;
  readonly goesOn: string;
}

const depositWords = (of: string) => ({
  told: `Deposits ${of} are paused`,
  stop: 'Pause deposits',
  of,
  thing: `Deposits ${of}`,
  stops: 'No address is shown, and holders see that deposits are paused.',
  goesOn: 'What is sent to a known address is still credited.',
});

/** The switch of a name that is off while it is listed. A coin's halt is lifted as every other halt is. */
function toggleOf<Name extends string>(
  off: readonly Name[],
  name: Name,
  { told, stop, of, resume, thing, stops, goesOn }: Words,
  change: (off: Name[]) => ChangeSettings,
): Toggled {
  const isOn = !off.includes(name);
  const isHalt = stop === 'Halt';
  return {
    isOn,
    told,
    label: isOn ? stop : resume,
    about: isOn ? of : undefined,
    thing,
    stopped: isHalt ? 'halted' : 'paused',
    meanings: [
      ['What stops', stops],
      ['What goes on', goesOn],
    ],
    end: isHalt ? 'An admin, and a second one once there are two.' : 'An admin, alone, on this page.',
    change: change(toggle(off, name)),
  };
}

export const toggleTrading = ({ haltedCoins }: ExchangeSettings, coin: Coin) =>
  toggleOf(
    haltedCoins,
    coin,
    {
      told: `${coin} is not traded`,
      stop: 'Halt',
      of: coin,
      resume: `Trade ${coin} again`,
      thing: `Trading of ${coin}`,
      stops: `Every order of ${coin} is refused.`,
      goesOn: `${coin} can be held, deposited and withdrawn.`,
    },
    (off) => ({ haltedCoins: off }),
  );

export const toggleDepositsOf = ({ pausedDeposits }: ExchangeSettings, asset: Asset) =>
  toggleOf(
    pausedDeposits.assets,
    asset,
    { ...depositWords(`of ${asset}`), resume: `Take deposits of ${asset} again` },
    (assets) => ({ pausedDeposits: { ...pausedDeposits, assets } }),
  );

export const toggleDepositsOver = ({ pausedDeposits }: ExchangeSettings, network: Network) =>
  toggleOf(
    pausedDeposits.networks,
    network,
    { ...depositWords(`over the ${network} network`), resume: `Take deposits over the ${network} network` },
    (paused) => ({ pausedDeposits: { ...pausedDeposits, networks: paused } }),
  );

export const toggleWithdrawalsOver = ({ pausedNetworks }: ExchangeSettings, network: Network) =>
  toggleOf(
    pausedNetworks,
    network,
    {
      told: `Withdrawals over the ${network} network are paused`,
      stop: 'Pause withdrawals',
      of: `over the ${network} network`,
      resume: `Pay over the ${network} network again`,
      thing: `Withdrawals over the ${network} network`,
      stops: `No withdrawal over the ${network} network is taken, or sent to the custodian.`,
      goesOn: 'What the custodian already has is paid.',
    },
    (off) => ({ pausedNetworks: off }),
  );

/** Everything that can be switched singly. */
export const listToggles = (settings: ExchangeSettings): readonly Toggled[] => [
  ...coinSymbols.map((coin) => toggleTrading(settings, coin)),
  ...assetSymbols.map((asset) => toggleDepositsOf(settings, asset)),
  ...networks.map((network) => toggleDepositsOver(settings, network)),
  ...networks.map((network) => toggleWithdrawalsOver(settings, network)),
];
