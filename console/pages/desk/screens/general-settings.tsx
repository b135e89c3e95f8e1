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

/** A limit in USDT that may be none. */
function SetLimit({
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
      <p>{singles.find((one) => one.name === name)?.meaning}</p>
      <TextField
        label={settingNames[name] ?? name}
        unit="USDT"
        help={`If empty: ${empty}`}
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
      <p>{singles.find((one) => one.name === 'openingWeights')?.meaning}</p>
      <TextField
        label="Weight of each ledger"
        help="Such as 0: 1, 1: 3"
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
    meaning: 'Withdrawals of one account above this in 24 hours wait for a review.',
    step: (part) => <SetLimit {...part} name="reviewThreshold" about="the review limit" empty="no reviews" />,
  },
  {
    name: 'allowlistMode',
    meaning: 'Any address, or only those that the holder has approved.',
    step: (part) => <SetAllowlist {...part} />,
  },
  {
    name: 'dailyHedgeVolume',
    empty: 'no limit',
    meaning: 'How much may be hedged in a day (UTC). More waits for the next day.',
    step: (part) => <SetLimit {...part} name="dailyHedgeVolume" about="the daily hedging limit" empty="no limit" />,
  },
  {
    name: 'dailyLoss',
    empty: 'no limit',
    meaning: 'How much the house may lose in a day (UTC). Above it, trading is halted.',
    step: (part) => <SetLimit {...part} name="dailyLoss" about="the daily loss limit" empty="no limit" />,
  },
  {
    name: 'maxAtVenues',
    empty: 'the house’s own capital',
    meaning: 'How much of the house’s money may be at venues.',
    step: (part) => (
      <SetLimit {...part} name="maxAtVenues" about="the limit at venues" empty="the house’s own capital" />
    ),
  },
  {
    name: 'openingWeights',
    meaning: 'In which ledgers new accounts are opened, and how many of them in each.',
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
