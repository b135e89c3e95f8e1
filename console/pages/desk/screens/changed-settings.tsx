import { OldAndNew } from '../parts/step.tsx';
import { Value } from '../parts/value.tsx';
import type { ExchangeSettings } from '../schema.d.ts';

/** The settings by the name under which people know them. */
export const settingNames: Readonly<Record<string, string>> = {
  allowlistMode: 'Mode of the approved addresses',
  tradingHalted: 'Trading is halted',
  withdrawalsHalted: 'Withdrawals are halted',
  pausedNetworks: 'Networks without withdrawals',
  pausedDeposits: 'Deposits paused',
  haltedCoins: 'Coins that are not traded',
  notice: 'Notice to all holders',
  reviewThreshold: 'Withdrawals worth more wait for a review, USDT',
  coinTerms: 'Terms of coins',
  hedgingHalted: 'Hedging is halted',
  dailyHedgeVolume: 'A day’s hedges at most, USDT',
  dailyLoss: 'The loss of a day that halts trading, USDT',
  maxAtVenues: 'At venues at most, USDT',
  supplyCaps: 'Supply cap',
  fees: 'Withdrawal fee',
  minimums: 'Smallest withdrawal',
  depositMinimums: 'Smallest deposit',
  spreadBps: 'Spread, in hundredths of a percent',
  exposure: 'The most that the house may be short',
  approvalAbove: 'What one person may credit by hand in 24 hours',
  openingWeights: 'Accounts opened in ledger, by weight',
  fallbackPrices: 'Fallback price, USDT',
};

interface Difference {
  readonly name: string;
  readonly old: unknown;
  readonly next: unknown;
}

/** These are replaced whole: what a change does not name is no longer set. */
const wholes = [
  'coinTerms',
  'pausedDeposits',
  'fees',
  'minimums',
  'depositMinimums',
  'approvalAbove',
  'openingWeights',
];

const isMap = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Every single value that a change of one setting changes. */
function compare(name: string, old: unknown, next: unknown, isWhole: boolean): readonly Difference[] {
  if (!isMap(next)) {
    const before = isMap(old) && 'price' in old ? old['price'] : old;
    return JSON.stringify(before) === JSON.stringify(next) ? [] : [{ name, old: before, next }];
  }
  const before = isMap(old) ? old : {};
  const keys = isWhole ? [...new Set([...Object.keys(before), ...Object.keys(next)])] : Object.keys(next);
  return keys.flatMap((key) =>
    compare(`${name}, ${key}`, before[key], next[key] ?? (isMap(before[key]) ? {} : undefined), isWhole),
  );
}

/** What a change of the settings changes, each with its old and new value. */
export function ChangedSettings({
  change,
  settings,
}: {
  readonly change: Readonly<Record<string, unknown>>;
  readonly settings: ExchangeSettings;
}) {
  const differences = Object.entries(change).flatMap(([name, next]) =>
    compare(settingNames[name] ?? name, settings[name as keyof ExchangeSettings], next, wholes.includes(name)),
  );
  if (differences.length === 0) return <p>It changes nothing: the settings are so already.</p>;
  return (
    <>
      {differences.map(({ name, old, next }) => (
        <OldAndNew key={name} name={name} old={<Value of={old} />} next={<Value of={next} />} />
      ))}
    </>
  );
}
