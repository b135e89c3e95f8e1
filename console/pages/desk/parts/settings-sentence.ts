import { inWords, showAmount, showSum } from '../../format.ts';
import { nameAlone } from '../../networks.ts';
import { showPercent } from './percent.ts';

type Values = Readonly<Record<string, unknown>>;

/** More amounts than this are counted and not listed: who needs them opens the row. */
const MOST_LISTED = 3;

const isValues = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const listOf = (value: unknown) => (Array.isArray(value) ? value.map(String) : []);

const listNetworks = (value: unknown) => listOf(value).map(nameAlone).join(', ');

const amount = (value: unknown) => showAmount(String(value));

const usdt = (value: unknown) => showSum(String(value), 'USDT');

/** Every amount of a setting with what it is for: of an asset, and over a network where it has one. */
const listAmounts = (value: unknown): readonly (readonly [of: string, amount: unknown])[] =>
  Object.entries(isValues(value) ? value : {}).flatMap(([asset, of]) =>
    isValues(of)
      ? Object.entries(of).map(([network, one]) => [`${asset} over ${nameAlone(network)}`, one] as const)
      : [[asset, of] as const],
  );

const setAmounts = (one: string, many: string) => (value: unknown) => {
  const amounts = listAmounts(value);
  if (amounts.length === 0) return `took all ${many} away`;
  if (amounts.length > MOST_LISTED) return `set ${amounts.length} ${many}`;
  return amounts
    .map(([of, next]) =>
      next === null ? `took the ${one} of ${of} away` : `set the ${one} of ${of} to ${amount(next)}`,
    )
    .join(', and ');
};

const setLimit = (name: string) => (value: unknown) =>
  value === null ? `took the ${name} away` : `set the ${name} to ${usdt(value)}`;

/** What each setting was changed to, in a sentence without whoever did it. */
const told: Readonly<Record<string, (value: unknown) => string>> = {
  allowlistMode: (value) =>
    value === 'strict' ? 'let withdrawals go to approved addresses alone' : 'let withdrawals go to any address',
  tradingHalted: (value) => (value === true ? 'halted trading' : 'resumed trading'),
  withdrawalsHalted: (value) => (value === true ? 'halted withdrawals' : 'resumed withdrawals'),
  hedgingHalted: (value) => (value === true ? 'halted hedging' : 'resumed hedging'),
  notice: (value) => (isValues(value) ? `told all holders: ${String(value['text'])}` : 'took the notice away'),
  haltedCoins: (value) =>
    listOf(value).length === 0 ? 'let all coins trade' : `halted the trading of ${listOf(value).join(', ')}`,
  pausedNetworks: (value) =>
    listOf(value).length === 0
      ? 'let withdrawals go over all networks'
      : `paused withdrawals over ${listNetworks(value)}`,
  pausedDeposits: (value) => {
    const { networks, assets } = isValues(value) ? value : {};
    const paused = [
      ...(listOf(networks).length === 0 ? [] : [`over ${listNetworks(networks)}`]),
      ...(listOf(assets).length === 0 ? [] : [`of ${listOf(assets).join(', ')}`]),
    ];
    return paused.length === 0 ? 'let all deposits come in' : `paused deposits ${paused.join(' and ')}`;
  },
  reviewThreshold: setLimit('review limit'),
  dailyHedgeVolume: setLimit('daily hedging limit'),
  dailyLoss: setLimit('daily loss limit'),
  maxAtVenues: setLimit('limit at venues'),
  spreadBps: (value) => `set the spread to ${showPercent(Number(value))}`,
  supplyCaps: setAmounts('supply limit', 'supply limits'),
  exposure: setAmounts('position limit', 'position limits'),
  approvalAbove: setAmounts('limit of one person’s credits', 'limits of one person’s credits'),
  fallbackPrices: setAmounts('fallback price', 'fallback prices'),
  fees: setAmounts('withdrawal fee', 'withdrawal fees'),
  minimums: setAmounts('minimum withdrawal', 'minimum withdrawals'),
  depositMinimums: setAmounts('minimum deposit', 'minimum deposits'),
  coinTerms: (value) => {
    const coins = Object.keys(isValues(value) ? value : {});
    return coins.length === 0 ? 'took all terms of coins away' : `set the terms of ${coins.join(', ')}`;
  },
  openingWeights: (value) =>
    `set the weights by which ledgers open accounts to ${Object.entries(isValues(value) ? value : {})
      .map(([ledger, weight]) => `${ledger}: ${String(weight)}`)
      .join(', ')}`,
};

/** The settings that have a sentence. */
export const toldSettings = Object.keys(told);

const tellEach = (change: Values) =>
  Object.entries(change).map(
    ([name, value]) => told[name]?.(value) ?? `set ${inWords(name).toLowerCase()} to ${JSON.stringify(value)}`,
  );

/** A change of the settings in a sentence, without whoever made it. A setting that has none is named with its value. */
export const tellSettings = (change: Values) => tellEach(change).join(', and ');

/** The verbs above that are another word before the change is made. */
const verbs: Readonly<Record<string, string>> = {
  halted: 'halt',
  paused: 'pause',
  resumed: 'resume',
  told: 'tell',
  took: 'take',
};

/** The same for a change that is proposed. */
export const proposeSettings = (change: Values) =>
  tellEach(change)
    .map((part) => part.replace(/^\w+/, (verb) => verbs[verb] ?? verb))
    .join(', and ');
