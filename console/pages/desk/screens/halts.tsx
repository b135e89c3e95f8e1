import type { ComponentChildren } from 'preact';
import { operate } from '../operate.ts';
import { OldAndNew, Step } from '../parts/step.tsx';
import { useMay } from '../staff.ts';
import { ChangeStep, type SettingsPart } from './change-step.tsx';

const halts = {
  tradingHalted: ['trading', 'No order is taken, at once. Reads, deposits and withdrawals go on.'],
  withdrawalsHalted: ['withdrawals', 'Nothing is paid out, at once. Reads, deposits and orders go on.'],
} as const;

/** The step that halts trading or withdrawals, or lifts the halt. */
export function HaltStep({
  name,
  settings,
  changed,
  shows,
}: SettingsPart & { readonly name: keyof typeof halts; readonly shows?: ComponentChildren }) {
  const may = useMay();
  if (!may('change_settings')) return null;
  const [what, meaning] = halts[name];
  const isHalted = settings[name];
  const label = isHalted ? `Lift the halt of ${what}` : `Halt ${what}`;
  return (
    <Step
      danger={!isHalted}
      shows={shows}
      label={label}
      title={label}
      act={() => operate('patch /settings', { body: { [name]: !isHalted } })}
      done={changed}
    >
      <OldAndNew name={`The state of ${what}`} old={isHalted ? 'halted' : 'open'} next={isHalted ? 'open' : 'halted'} />
      <p>{isHalted ? 'Once there are two admins, lifting a halt needs both.' : meaning}</p>
    </Step>
  );
}

/** The step that halts hedging, or resumes it. */
export function HedgingStep({
  main = false,
  ...part
}: SettingsPart & { readonly main?: boolean; readonly shows?: ComponentChildren }) {
  const may = useMay();
  if (!may('change_settings')) return null;
  const { hedgingHalted } = part.settings;
  return (
    <ChangeStep
      {...part}
      main={main}
      danger={!hedgingHalted}
      label={hedgingHalted ? 'Resume hedging' : 'Halt hedging'}
      change={{ hedgingHalted: !hedgingHalted }}
    />
  );
}
