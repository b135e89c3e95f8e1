import type { ComponentChildren } from 'preact';
import { operate } from '../operate.ts';
import type { Column } from '../parts/records.tsx';
import { OldAndNew, Step } from '../parts/step.tsx';
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
  main = false,
  danger = false,
  settings,
  change,
  changed,
  compared,
  shows,
  children,
}: SettingsPart & {
  readonly label: string;
  readonly about?: string | undefined;
  readonly title?: string;
  /** What one came to the page for. */
  readonly main?: boolean;
  readonly danger?: boolean;
  /** `undefined` while the fields hold nothing that could be set. */
  readonly change: ChangeSettings | undefined;
  /** What it changes, and from what to what, where the settings themselves say it less clearly. */
  readonly compared?: readonly [name: string, old: string, next: string];
  /** See `Step`. */
  readonly shows?: ComponentChildren;
  readonly children?: ComponentChildren;
}) {
  const isChange = change !== undefined && compareSettings(change, settings).length > 0;
  return (
    <Step
      label={label}
      about={about}
      main={main}
      danger={danger}
      shows={shows}
      title={title}
      isReady={!change || isChange}
      act={() => operate('patch /settings', { body: change ?? {} })}
      done={changed}
    >
      {children}
      {isChange &&
        (compared ? (
          <OldAndNew name={compared[0]} old={compared[1]} next={compared[2]} />
        ) : (
          <ChangedSettings change={change} settings={settings} />
        ))}
    </Step>
  );
}
