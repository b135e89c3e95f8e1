import { useState } from 'preact/hooks';
import { showSum } from '../../format.ts';
import { Choice, TextField } from '../../parts/form.tsx';
import { lowerFirst } from '../parts/deeds.ts';
import { Records } from '../parts/records.tsx';
import { settingNames } from '../parts/setting-names.ts';
import { Value } from '../parts/value.tsx';
import { SetHandCredit } from './asset-settings.tsx';
import { allowlistModes } from './changed-settings.tsx';
import { ChangeStep, type SettingsPart, useChangeColumn } from './change-step.tsx';

type Limit = 'reviewThreshold' | 'dailyHedgeVolume' | 'dailyLoss' | 'maxAtVenues';

/** A setting with one value: what it means, and how it is changed. */
interface Single {
  readonly name: Limit | 'allowlistMode' | 'openingWeights' | 'approvalAbove';
  readonly meaning: string;
  /** What holds while a limit is not set. */
  readonly empty?: string;
}

/** A limit in USDT that may be none. */
function SetLimit({ name, meaning, empty = '', ...part }: SettingsPart & Single & { readonly name: Limit }) {
  const [text, setText] = useState(part.settings[name] ?? '');
  const value = text.trim() === '' ? null : text.trim();
  const label = settingNames[name] ?? name;
  return (
    <ChangeStep {...part} label="Change" about={`the ${lowerFirst(label)}`} change={{ [name]: value }}>
      <p>{meaning}</p>
      <TextField
        label={label}
        unit="USDT"
        help={`Leave empty for ${empty}`}
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

function SetOpeningWeights({ meaning, ...part }: SettingsPart & Single) {
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
      <p>{meaning}</p>
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

function SetSingle(part: SettingsPart & Single) {
  const { name } = part;
  if (name === 'allowlistMode') return <SetAllowlist {...part} />;
  if (name === 'approvalAbove') return <SetHandCredit {...part} />;
  return name === 'openingWeights' ? <SetOpeningWeights {...part} /> : <SetLimit {...part} name={name} />;
}

const singles: readonly Single[] = [
  {
    name: 'reviewThreshold',
    empty: 'no reviews',
    meaning: 'When an account withdraws more than this in 24 hours, the withdrawal waits for a review.',
  },
  { name: 'allowlistMode', meaning: 'Whether accounts withdraw to any address, or only to approved ones.' },
  {
    name: 'approvalAbove',
    meaning: 'What one admin may credit by hand in 24 hours. More needs a second admin, where there is one.',
  },
  {
    name: 'dailyHedgeVolume',
    empty: 'no limit',
    meaning: 'How much may be hedged in a day (UTC). More waits for the next day.',
  },
  {
    name: 'dailyLoss',
    empty: 'no limit',
    meaning: 'How much the house may lose in a day (UTC). Above it, trading is halted.',
  },
  {
    name: 'maxAtVenues',
    empty: 'the house’s own capital',
    meaning: 'How much of the house’s money may be at venues.',
  },
  { name: 'openingWeights', meaning: 'In which ledgers new accounts are opened, and how many of them in each.' },
];

/** A value in the unit that people read. What was never set says what then holds. */
function showSetting({ name, empty }: Single, settings: SettingsPart['settings']) {
  if (name === 'openingWeights') {
    const weights = Object.entries(settings.openingWeights);
    if (weights.length === 1) return `all in ledger ${weights[0]?.[0]}`;
    return weights.map(([ledger, weight]) => `ledger ${ledger}: ${weight}`).join(', ');
  }
  if (name === 'allowlistMode') return allowlistModes[settings.allowlistMode];
  if (name === 'approvalAbove') {
    const limits = Object.entries(settings.approvalAbove).map(([asset, amount]) => showSum(amount, asset));
    return limits.length === 0 ? 'none' : `up to ${limits.join(', ')}`;
  }
  const value = settings[name];
  if (value === null) return empty;
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
          { name: 'Value', narrow: 'beside', show: (single) => showSetting(single, settings) },
          ...useChangeColumn((single: Single) => <SetSingle settings={settings} changed={changed} {...single} />),
        ]}
        empty=""
      />
    </section>
  );
}
