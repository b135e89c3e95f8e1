import { assetSymbols, coinSymbols } from '../../assets.ts';
import { inWords } from '../../format.ts';
import { type Network, nameAlone, networks } from '../../networks.ts';
import type { AuditEntry, ChangeSettings, ExchangeSettings } from '../schema.d.ts';

type Coin = ExchangeSettings['haltedCoins'][number];
type Asset = ExchangeSettings['pausedDeposits']['assets'][number];

/** What is off singly, in the settings and in a change of them. */
type Singly = Pick<ChangeSettings, 'haltedCoins' | 'pausedDeposits' | 'pausedNetworks'>;

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
  /** Whether it is off by a change of settings; `undefined` by one that is of something else. */
  readonly isOffBy: (change: ChangeSettings) => boolean | undefined;
}

function toggleOf(
  isOn: boolean,
  verb: 'Halt' | 'Pause',
  thing: 'trading' | 'hedging' | 'deposits' | 'withdrawals',
  about: string | undefined,
  stops: string,
  change: ChangeSettings,
  isOffBy: Toggled['isOffBy'],
): Toggled {
  const isHalt = verb === 'Halt';
  const after = isHalt
    ? 'Once there are two admins, resuming needs both.'
    : 'Any admin can resume it without a second person.';
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
    says: [isOn && stops, 'It takes effect within seconds.', isOn && after].filter((part) => part !== false).join(' '),
    change,
    isOffBy,
  };
}

/** What a switch does, and of what. */
export const nameToggle = ({ label, about }: Toggled) => (about === undefined ? label : `${label} ${about}`);

/** The switch of a name that is off while it is listed. */
function toggleNamed<Name extends string>(
  settings: ExchangeSettings,
  listOff: (settings: Singly) => readonly Name[] | undefined,
  name: Name,
  verb: 'Halt' | 'Pause',
  thing: 'trading' | 'deposits' | 'withdrawals',
  about: string,
  stops: string,
  change: (off: Name[]) => ChangeSettings,
): Toggled {
  const off = listOff(settings) ?? [];
  const isOn = !off.includes(name);
  const next = isOn ? [...off, name] : off.filter((one) => one !== name);
  return toggleOf(isOn, verb, thing, about, stops, change(next), (past) => listOff(past)?.includes(name));
}

const halts = {
  tradingHalted: ['trading', 'Nobody can place an order. Deposits and withdrawals go on.'],
  withdrawalsHalted: ['withdrawals', 'Nothing is paid out. Deposits and orders go on.'],
  hedgingHalted: ['hedging', 'Positions are not covered. Open hedges are still ended.'],
} as const;

export type Halt = keyof typeof halts;

/** The switch of a part of the whole exchange. */
export function toggleWhole(settings: ExchangeSettings, halt: Halt): Toggled {
  const isHalted = settings[halt];
  const [thing, stops] = halts[halt];
  return toggleOf(!isHalted, 'Halt', thing, undefined, stops, { [halt]: !isHalted }, (past) => past[halt]);
}

export const toggleTrading = (settings: ExchangeSettings, coin: Coin) =>
  toggleNamed(
    settings,
    (of) => of.haltedCoins,
    coin,
    'Halt',
    'trading',
    `of ${coin}`,
    `Nobody can place an order of ${coin}. Deposits and withdrawals go on.`,
    (off) => ({ haltedCoins: off }),
  );

const tellDeposits = (about: string) =>
  `Holders will not see an address for deposits ${about}. Deposits to addresses they already have are still credited.`;

export const toggleDepositsOf = (settings: ExchangeSettings, asset: Asset) =>
  toggleNamed(
    settings,
    (of) => of.pausedDeposits?.assets,
    asset,
    'Pause',
    'deposits',
    `of ${asset}`,
    tellDeposits(`of ${asset}`),
    (assets) => ({ pausedDeposits: { ...settings.pausedDeposits, assets } }),
  );

export const toggleDepositsOver = (settings: ExchangeSettings, network: Network) =>
  toggleNamed(
    settings,
    (of) => of.pausedDeposits?.networks,
    network,
    'Pause',
    'deposits',
    `over ${nameAlone(network)}`,
    tellDeposits(`over ${nameAlone(network)}`),
    (paused) => ({ pausedDeposits: { ...settings.pausedDeposits, networks: paused } }),
  );

export const toggleWithdrawalsOver = (settings: ExchangeSettings, network: Network) =>
  toggleNamed(
    settings,
    (of) => of.pausedNetworks,
    network,
    'Pause',
    'withdrawals',
    `over ${nameAlone(network)}`,
    'Holders cannot withdraw over it, and nothing is sent to the custodian. Payouts it already has are still made.',
    (off) => ({ pausedNetworks: off }),
  );

/** Everything that can be switched singly. */
export const listToggles = (settings: ExchangeSettings): readonly Toggled[] => [
  ...coinSymbols.map((coin) => toggleTrading(settings, coin)),
  ...assetSymbols.map((asset) => toggleDepositsOf(settings, asset)),
  ...networks.map((network) => toggleDepositsOver(settings, network)),
  ...networks.map((network) => toggleWithdrawalsOver(settings, network)),
];

/** The newest changes of settings, newest first, and whether there are older ones. */
export interface Changes {
  readonly entries: readonly AuditEntry[];
  readonly nextCursor: string | null;
}

/**
 * The change of settings that switched off what is off. `undefined` where it is not among the newest: it may be older, or
 * the exchange may have halted by itself.
 */
export function findSwitchOff({ isOffBy }: Toggled, { entries, nextCursor }: Changes): AuditEntry | undefined {
  const about = entries.filter(({ detail }) => isOffBy(detail) !== undefined);
  const switchedOn = about.findIndex(({ detail }) => isOffBy(detail) === false);
  if (switchedOn === -1) return nextCursor === null ? about.at(-1) : undefined;
  return about[switchedOn - 1];
}
