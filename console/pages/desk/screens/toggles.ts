import { assetSymbols, coinSymbols } from '../../assets.ts';
import { inWords } from '../../format.ts';
import { type Network, nameAlone, networks } from '../../networks.ts';
import type { ChangeSettings, ExchangeSettings } from '../schema.d.ts';

type Coin = ExchangeSettings['haltedCoins'][number];
type Asset = ExchangeSettings['pausedDeposits']['assets'][number];

/** One thing that is on or off. */
export interface Toggled {
  readonly isOn: boolean;
  /** Whether two people are needed to switch it on again. */
  readonly isHalt: boolean;
  /** What is said of it while it is off. */
  readonly told: string;
  /** What its button does, and of what if it is not all. */
  readonly label: string;
  readonly about?: string | undefined;
  /** What switching it means. */
  readonly says: string;
  readonly change: ChangeSettings;
}

function toggleOf(
  isOn: boolean,
  verb: 'Halt' | 'Pause',
  thing: 'trading' | 'hedging' | 'deposits' | 'withdrawals',
  about: string | undefined,
  stops: string,
  change: ChangeSettings,
): Toggled {
  const isHalt = verb === 'Halt';
  return {
    isOn,
    isHalt,
    told: [
      inWords(thing),
      ...(about === undefined ? [] : [about]),
      thing.endsWith('s') ? 'are' : 'is',
      isHalt ? 'halted' : 'paused',
    ].join(' '),
    label: `${isOn ? verb : 'Resume'} ${thing}`,
    about,
    says: isOn ? stops : 'It takes effect within seconds.',
    change,
  };
}

/** The switch of a name that is off while it is listed. */
function toggleNamed<Name extends string>(
  off: readonly Name[],
  name: Name,
  verb: 'Halt' | 'Pause',
  thing: 'trading' | 'deposits' | 'withdrawals',
  about: string,
  stops: string,
  change: (off: Name[]) => ChangeSettings,
): Toggled {
  const isOn = !off.includes(name);
  const next = isOn ? [...off, name] : off.filter((one) => one !== name);
  return toggleOf(isOn, verb, thing, about, stops, change(next));
}

const halts = {
  tradingHalted: ['trading', 'No order is taken. Reads, deposits and withdrawals go on.'],
  withdrawalsHalted: ['withdrawals', 'Nothing is paid out. Reads, deposits and orders go on.'],
  hedgingHalted: ['hedging', 'Positions are no longer covered. A hedge that is open is still ended.'],
} as const;

export type Halt = keyof typeof halts;

/** The switch of a part of the whole exchange. */
export function toggleWhole(settings: ExchangeSettings, halt: Halt): Toggled {
  const isHalted = settings[halt];
  const [thing, stops] = halts[halt];
  return toggleOf(!isHalted, 'Halt', thing, undefined, stops, { [halt]: !isHalted });
}

export const toggleTrading = ({ haltedCoins }: ExchangeSettings, coin: Coin) =>
  toggleNamed(
    haltedCoins,
    coin,
    'Halt',
    'trading',
    `of ${coin}`,
    `Every order of ${coin} is refused. It can still be held, deposited and withdrawn.`,
    (off) => ({ haltedCoins: off }),
  );

const NO_ADDRESS = 'Holders are shown no address. What is sent to one that they know is still credited.';

export const toggleDepositsOf = ({ pausedDeposits }: ExchangeSettings, asset: Asset) =>
  toggleNamed(pausedDeposits.assets, asset, 'Pause', 'deposits', `of ${asset}`, NO_ADDRESS, (assets) => ({
    pausedDeposits: { ...pausedDeposits, assets },
  }));

export const toggleDepositsOver = ({ pausedDeposits }: ExchangeSettings, network: Network) =>
  toggleNamed(
    pausedDeposits.networks,
    network,
    'Pause',
    'deposits',
    `over ${nameAlone(network)}`,
    NO_ADDRESS,
    (paused) => ({ pausedDeposits: { ...pausedDeposits, networks: paused } }),
  );

export const toggleWithdrawalsOver = ({ pausedNetworks }: ExchangeSettings, network: Network) =>
  toggleNamed(
    pausedNetworks,
    network,
    'Pause',
    'withdrawals',
    `over ${nameAlone(network)}`,
    'None is taken, or sent to the custodian. What the custodian already has is paid.',
    (off) => ({ pausedNetworks: off }),
  );

/** Everything that can be switched singly. */
export const listToggles = (settings: ExchangeSettings): readonly Toggled[] => [
  ...coinSymbols.map((coin) => toggleTrading(settings, coin)),
  ...assetSymbols.map((asset) => toggleDepositsOf(settings, asset)),
  ...networks.map((network) => toggleDepositsOver(settings, network)),
  ...networks.map((network) => toggleWithdrawalsOver(settings, network)),
];
