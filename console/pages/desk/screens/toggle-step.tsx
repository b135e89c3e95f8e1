import type { ComponentChildren } from 'preact';
import { operate } from '../operate.ts';
import { Step } from '../parts/step.tsx';
import { useMay } from '../staff.ts';
import { type Toggled, nameToggle } from './toggles.ts';

/** The step that switches something off or on. Its title says which, so no old and new value stand below it. */
export function ToggleStep({
  of,
  changed,
  ...look
}: {
  readonly of: Toggled;
  readonly changed: () => void;
  readonly main?: boolean;
  readonly shows?: ComponentChildren;
}) {
  const { isOn, isHalt, label, about, says, change } = of;
  const may = useMay();
  if (!may('change_settings')) return null;
  return (
    <Step
      {...look}
      danger={isOn && about === undefined}
      label={label}
      about={about}
      title={nameToggle(of)}
      {...(isHalt && !isOn && { needsTwo: true })}
      act={() => operate('patch /settings', { body: change })}
      done={changed}
    >
      <p>{says}</p>
    </Step>
  );
}
