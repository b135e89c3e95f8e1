import { assetSymbols, coinSymbols } from '../../parts/coin.tsx';
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
  /** What holds while it is off. */
  readonly meaning: string;
  readonly change: ChangeSettings;
}

/** What each switch says, with the name of its coin or network. */
type Words = readonly [told: string, stop: string, of: string, resume: string, meaning: string];

const NO_DEPOSITS = 'Holders see that deposits are paused. What still arrives is credited.';

/** The switch of a name that is off while it is listed. */
function toggleOf<Name extends string>(
  off: readonly Name[],
  name: Name,
  [told, stop, of, resume, meaning]: Words,
  change: (off: Name[]) => ChangeSettings,
): Toggled {
  const isOn = !off.includes(name);
  const label = isOn ? stop : resume;
  return { isOn, told, label, about: isOn ? of : undefined, meaning, change: change(toggle(off, name)) };
}

export const toggleTrading = ({ haltedCoins }: ExchangeSettings, coin: Coin) =>
  toggleOf(
    haltedCoins,
    coin,
    [
      `${coin} is not traded`,
      'Halt',
      coin,
      `Trade ${coin} again`,
      `Every order of ${coin} is refused. It can be deposited and withdrawn.`,
    ],
    (off) => ({
      haltedCoins: off,
    }),
  );

export const toggleDepositsOf = ({ pausedDeposits }: ExchangeSettings, asset: Asset) =>
  toggleOf(
    pausedDeposits.assets,
    asset,
    [
      `Deposits of ${asset} are paused`,
      'Pause deposits',
      `of ${asset}`,
      `Take deposits of ${asset} again`,
      NO_DEPOSITS,
    ],
    (assets) => ({ pausedDeposits: { ...pausedDeposits, assets } }),
  );

export const toggleDepositsOver = ({ pausedDeposits }: ExchangeSettings, network: Network) =>
  toggleOf(
    pausedDeposits.networks,
    network,
    [
      `Deposits over ${network} are paused`,
      'Pause deposits',
      `over ${network}`,
      `Take deposits over ${network}`,
      NO_DEPOSITS,
    ],
    (paused) => ({ pausedDeposits: { ...pausedDeposits, networks: paused } }),
  );

export const toggleWithdrawalsOver = ({ pausedNetworks }: ExchangeSettings, network: Network) =>
  toggleOf(
    pausedNetworks,
    network,
    [
      `Withdrawals over ${network} are paused`,
      'Pause withdrawals',
      `over ${network}`,
      `Pay over ${network} again`,
      `Every new withdrawal over the network ${network} is refused.`,
    ],
    (off) => ({ pausedNetworks: off }),
  );

/** Everything that can be switched singly. */
export const listToggles = (settings: ExchangeSettings): readonly Toggled[] => [
  ...coinSymbols.map((coin) => toggleTrading(settings, coin)),
  ...assetSymbols.map((asset) => toggleDepositsOf(settings, asset)),
  ...networks.map((network) => toggleDepositsOver(settings, network)),
  ...networks.map((network) => toggleWithdrawalsOver(settings, network)),
];
