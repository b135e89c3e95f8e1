import type { ComponentChildren } from 'preact';
import { operate } from '../operate.ts';
import type { Column } from '../parts/records.tsx';
import { Step } from '../parts/step.tsx';
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

/** A step that changes settings, with each old and new value. */
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
  const isChange = change !== undefined && compareSettings(change, settings).length > 0;
  return (
    <Step
      label={label}
      about={about}
      title={title}
      isReady={!change || isChange}
      act={() => operate('patch /settings', { body: change ?? {} })}
      done={changed}
    >
      {children}
      {isChange && <ChangedSettings change={change} settings={settings} />}
    </Step>
  );
}
