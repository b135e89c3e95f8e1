import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { Choice, TextField } from '../../parts/form.tsx';
import { Records } from '../parts/records.tsx';
import { Value } from '../parts/value.tsx';
import type { ChangeSettings } from '../schema.d.ts';
import { useMay } from '../staff.ts';
import { allowlistModes, settingNames } from './changed-settings.tsx';
import { ChangeStep, type SettingsPart } from './change-step.tsx';

/** A setting with one value: what it means, and how it is changed. */
interface Single {
  readonly name: keyof ChangeSettings;
  readonly meaning: string;
  /** What holds while it is not set. */
  readonly empty?: string;
  readonly step: (part: SettingsPart) => ComponentChildren;
}

/** A bound in USDT that may be none. */
function SetBound({
  name,
  about,
  empty,
  ...part
}: SettingsPart & {
  readonly name: 'reviewThreshold' | 'dailyHedgeVolume' | 'dailyLoss' | 'maxAtVenues';
  readonly about: string;
  readonly empty: string;
}) {
  const [text, setText] = useState(part.settings[name] ?? '');
  const value = text.trim() === '' ? null : text.trim();
  return (
    <ChangeStep {...part} label="Change" about={about} change={{ [name]: value }}>
      <p class="quiet">{singles.find((one) => one.name === name)?.meaning}</p>
      <TextField
        label={`${settingNames[name]}, USDT`}
        help={`Empty: ${empty}`}
        inputMode="decimal"
        value={text}
        set={setText}
      />
    </ChangeStep>
  );
}

const WEIGHTS_PATTERN = String.raw`\s*\d{1,4}\s*:\s*\d{1,4}\s*(,\s*\d{1,4}\s*:\s*\d{1,4}\s*)*`;

/** Reads weights such as `0: 1, 2: 3`; `undefined` for another text. */
function readWeights(text: string): Record<string, number> | undefined {
  const pairs = text.split(',').map((pair) => /^\s*(\d{1,4})\s*:\s*(\d{1,4})\s*$/.exec(pair));
  const read = pairs.map((pair) => [pair?.[1], Number(pair?.[2])] as const);
  return pairs.includes(null) ? undefined : Object.fromEntries(read);
}

function SetOpeningWeights(part: SettingsPart) {
  const shown = Object.entries(part.settings.openingWeights).map(([ledger, weight]) => `${ledger}: ${weight}`);
  const [text, setText] = useState(shown.join(', '));
  const openingWeights = readWeights(text);
  return (
    <ChangeStep
      {...part}
      label="Change"
      about="where accounts are opened"
      change={openingWeights && { openingWeights }}
    >
      <TextField
        label="Weights by ledger, such as 0: 1, 1: 3"
        pattern={WEIGHTS_PATTERN}
        required
        value={text}
        set={setText}
      />
    </ChangeStep>
  );
}

const modes = Object.entries(allowlistModes) as [keyof typeof allowlistModes, string][];

function SetAllowlist(part: SettingsPart) {
  const [allowlistMode, setMode] = useState(part.settings.allowlistMode);
  return (
    <ChangeStep {...part} label="Change" about="the mode of approved addresses" change={{ allowlistMode }}>
      <Choice label="Withdrawals go to" value={allowlistMode} set={setMode} options={modes} />
    </ChangeStep>
  );
}

const singles: readonly Single[] = [
  {
    name: 'reviewThreshold',
    empty: 'no reviews',
    meaning:
      'All withdrawals of an account in 24 hours count together. A person reviews each one that goes beyond this.',
    step: (part) => <SetBound {...part} name="reviewThreshold" about="the review threshold" empty="no reviews" />,
  },
  {
    name: 'allowlistMode',
    meaning: 'Holders approve addresses of their own. With approved addresses only, nothing is sent elsewhere.',
    step: (part) => <SetAllowlist {...part} />,
  },
  {
    name: 'dailyHedgeVolume',
    empty: 'no limit',
    meaning: 'Beyond it nothing more is hedged on that day (UTC).',
    step: (part) => <SetBound {...part} name="dailyHedgeVolume" about="the day’s hedges" empty="no limit" />,
  },
  {
    name: 'dailyLoss',
    empty: 'no limit',
    meaning: 'When the house loses more in a day (UTC), trading is halted.',
    step: (part) => <SetBound {...part} name="dailyLoss" about="the loss that halts" empty="no loss halts trading" />,
  },
  {
    name: 'maxAtVenues',
    empty: 'the house’s own capital',
    meaning: 'The most that the house may have at venues.',
    step: (part) => (
      <SetBound {...part} name="maxAtVenues" about="the most at venues" empty="the house’s own capital" />
    ),
  },
  {
    name: 'openingWeights',
    meaning: 'In which ledgers new accounts are opened, in proportion.',
    step: (part) => <SetOpeningWeights {...part} />,
  },
];

/** A value in the unit that people read. What was never set says what then holds. */
function showSetting(name: Single['name'], settings: SettingsPart['settings']) {
  if (name === 'openingWeights') {
    const weights = Object.entries(settings.openingWeights);
    if (weights.length === 1) return `all in ledger ${weights[0]?.[0]}`;
    return weights.map(([ledger, weight]) => `ledger ${ledger}: ${weight}`).join(', ');
  }
  if (name === 'allowlistMode') return allowlistModes[settings.allowlistMode];
  const value = settings[name];
  if (value === null) return singles.find((one) => one.name === name)?.empty;
  return (
    <>
      <Value of={value} /> USDT
    </>
  );
}

/** Settings with one value, each with what it means and its change. */
export function GeneralSettings({
  settings,
  changed,
  title,
  names,
}: SettingsPart & { readonly title: string; readonly names: readonly Single['name'][] }) {
  const may = useMay();
  return (
    <section class="card">
      <h2>{title}</h2>
      <Records
        label={title}
        rows={singles.filter(({ name }) => names.includes(name))}
        keyOf={({ name }) => name}
        columns={[
          {
            name: 'Setting',
            show: ({ name, meaning }) => (
              <>
                {settingNames[name]}
                <small class="below meaning">{meaning}</small>
              </>
            ),
          },
          { name: 'Value', narrow: 'beside', show: ({ name }) => showSetting(name, settings) },
          ...(may('change_settings')
            ? [
                {
                  name: 'Change',
                  isStep: true,
                  narrow: 'by-row' as const,
                  show: ({ step }: Single) => step({ settings, changed }),
                },
              ]
            : []),
        ]}
        empty=""
      />
    </section>
  );
}
