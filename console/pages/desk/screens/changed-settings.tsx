import { showSum } from '../../format.ts';
import { upperFirst } from '../parts/deeds.ts';
import { OldAndNew } from '../parts/step.tsx';
import { showPercent } from '../parts/percent.ts';
import { settingNames } from '../parts/setting-names.ts';
import { Value } from '../parts/value.tsx';
import type { ExchangeSettings } from '../schema.d.ts';

interface Difference {
  readonly name: string;
  /** What the interface calls it. */
  readonly field: string;
  readonly old: unknown;
  readonly next: unknown;
}

/** The fields of a coin's terms by the name under which people know them. */
export const termNames: Readonly<Record<string, string>> = {
  maxNotional: 'order limit, USDT',
  venue: 'hedged at',
  inner: 'inner bound, USDT',
  outer: 'outer bound, USDT',
  maxAgeSeconds: 'wait, seconds',
  maxHedge: 'hedge limit, USDT',
  limitBps: 'price limit',
  feeBps: 'venue’s fee',
  spreadBps: 'spread',
};

/** Where withdrawals go, by the mode. */
export const allowlistModes = { off: 'any address', strict: 'approved addresses alone' } as const;

/** Settings that are in USDT, and those that are in the asset of which they have a value each. */
const inUsdt = ['reviewThreshold', 'dailyHedgeVolume', 'dailyLoss', 'maxAtVenues', 'fallbackPrices'];
const inAsset = ['supplyCaps', 'exposure', 'approvalAbove', 'fees', 'minimums', 'depositMinimums'];

/** A value as people read it: an amount with its unit, and what is stored in hundredths of a percent, in percent. */
function inUnits(name: string, value: unknown, unit: string | undefined) {
  if (value === 'off' || value === 'strict') return allowlistModes[value];
  if (unit !== undefined && typeof value === 'string') return showSum(value, unit);
  return name.endsWith('Bps') && typeof value === 'number' ? showPercent(value) : value;
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

/** Every single value that a change of one setting changes; `field` is what the interface calls it. */
function compare(
  name: string,
  field: string,
  old: unknown,
  next: unknown,
  isWhole: boolean,
  unit = inUsdt.includes(field) ? 'USDT' : undefined,
): readonly Difference[] {
  if (!isMap(next)) {
    const before = isMap(old) && 'price' in old ? old['price'] : old;
    if (JSON.stringify(before) === JSON.stringify(next)) return [];
    return [{ name, field, old: inUnits(field, before, unit), next: inUnits(field, next, unit) }];
  }
  const before = isMap(old) ? old : {};
  const keys = isWhole ? [...new Set([...Object.keys(before), ...Object.keys(next)])] : Object.keys(next);
  return keys.flatMap((key) =>
    compare(
      `${name}, ${termNames[key] ?? key}`,
      key,
      before[key],
      next[key] ?? (isMap(before[key]) ? {} : undefined),
      isWhole,
      unit ?? (inAsset.includes(field) ? key : undefined),
    ),
  );
}

/** Every single value that a change of the settings changes. What a coin does not have of its own is what holds then. */
export function compareSettings(change: Readonly<Record<string, unknown>>, settings: ExchangeSettings) {
  const standing: Readonly<Record<string, string>> = {
    spreadBps: `${showPercent(settings.spreadBps)} (default)`,
    maxNotional: 'no limit',
  };
  return Object.entries(change)
    .flatMap(([name, next]) =>
      compare(settingNames[name] ?? name, name, settings[name as keyof ExchangeSettings], next, wholes.includes(name)),
    )
    .map(({ field, old, next, ...difference }) => ({
      ...difference,
      old: old ?? standing[field],
      next: next ?? standing[field],
    }));
}

/** What a name begins with that the title of a dialog has said. */
const SAID = /^Terms of coins, \w+, (hedging, )?/;

/** What a change of the settings changes, each with its old and new value. */
export function ChangedSettings({
  change,
  settings,
  isTitled = false,
}: {
  readonly change: Readonly<Record<string, unknown>>;
  readonly settings: ExchangeSettings;
  /** Whether the title of a dialog says of which coin they are. */
  readonly isTitled?: boolean;
}) {
  const differences = compareSettings(change, settings);
  if (differences.length === 0) return <p class="quiet">It changes nothing: the settings are so already.</p>;
  return (
    <>
      {differences.map(({ name, old, next }) => (
        <OldAndNew
          key={name}
          name={isTitled ? upperFirst(name.replace(SAID, '')) : name}
          old={<Value of={old} />}
          next={<Value of={next} />}
        />
      ))}
    </>
  );
}
