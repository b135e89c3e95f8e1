import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { readAmount } from '../../amount.ts';
import { isGreater } from '../../exact.ts';
import { operate } from '../operate.ts';
import type { Column } from '../parts/records.tsx';
import { ReasonField, Step } from '../parts/step.tsx';
import type { ChangeSettings, ExchangeSettings } from '../schema.d.ts';
import { useMay } from '../staff.ts';
import { ChangedSettings, compareSettings } from './changed-settings.tsx';

export interface SettingsPart {
  readonly settings: ExchangeSettings;
  readonly changed: () => void;
}

/** The column with the change of each row, for who may make it. */
export function useChangeColumn<Row>(
  show: (row: Row) => ComponentChildren,
  duty: 'change_settings' | 'set_caps' = 'change_settings',
): readonly Column<Row>[] {
  return useMay()(duty) ? [{ name: 'Change', isStep: true, narrow: 'by-row', show }] : [];
}

/** What two people agree on, however it is changed; of a limit they do when it is higher than before, or is none. */
const always = ['coinTerms', 'allowlistMode', 'approvalAbove'];

const isForTwo = (change: ChangeSettings, settings: ExchangeSettings) =>
  Object.entries(change).some(([name, next]) => {
    const old: unknown = settings[name as keyof ExchangeSettings];
    if (typeof old !== 'string' || always.includes(name)) return always.includes(name);
    return next === null || isGreater(readAmount(next as string).amount ?? '0', old);
  });

/** A step that changes settings, with each old and new value, and why: whoever else must agree judges by that. */
export function ChangeStep({
  label,
  about,
  title = about === undefined ? label : `${label} ${about}`,
  settings,
  change,
  changed,
  children,
}: SettingsPart & {
  readonly label: string;
  readonly about?: string | undefined;
  readonly title?: string;
  /** `undefined` while the fields hold nothing that could be set. */
  readonly change: ChangeSettings | undefined;
  readonly children?: ComponentChildren;
}) {
  const [reason, setReason] = useState('');
  const isChange = change !== undefined && compareSettings(change, settings).length > 0;
  const needsTwo = isChange && isForTwo(change, settings);
  return (
    <Step
      label={label}
      about={about}
      title={title}
      isReady={!change || isChange}
      needsTwo={needsTwo}
      act={() => operate('patch /settings', { body: { ...change, ...(reason !== '' && { reason }) } })}
      done={() => {
        setReason('');
        changed();
      }}
    >
      {children}
      {isChange && <ChangedSettings isTitled change={change} settings={settings} />}
      <ReasonField required={needsTwo} value={reason} set={setReason} />
    </Step>
  );
}
