import { readAmount } from '../amount.ts';
import { showAmount } from '../format.ts';
import { Field } from './form.tsx';

/** A field for an amount as people write it, which says how it was understood, or why it was not. */
export function AmountField({
  label,
  unit,
  isUnitShown = true,
  value,
  set,
  help,
  fault,
  required = true,
  fills = [],
}: {
  readonly label: string;
  readonly unit: string;
  /** Not where the unit is chosen beside it. */
  readonly isUnitShown?: boolean;
  readonly value: string;
  readonly set: (value: string) => void;
  readonly help?: string | undefined;
  /** Why an amount that was understood is refused. */
  readonly fault?: string | undefined;
  readonly required?: boolean;
  /** Buttons beside the field that fill it, with their names. */
  readonly fills?: readonly { readonly label: string; readonly value: string }[];
}) {
  const typed = value === '' ? undefined : readAmount(value);
  const understood = typed?.amount !== undefined && typed.amount !== value ? `${showAmount(typed.amount)} ${unit}` : '';
  const buttons = fills.map((fill) => (
    <button key={fill.label} type="button" onClick={() => set(fill.value)} aria-label={`${fill.label} of ${unit}`}>
      {fill.label}
    </button>
  ));
  const field = (
    <Field
      label={label}
      help={[understood && `Read as ${understood}.`, help].filter(Boolean).join(' ') || undefined}
      fault={typed?.why ?? fault}
    >
      {(named) => (
        <div class="joined">
          <span class="measured">
            <input
              {...named}
              inputMode="decimal"
              autoComplete="off"
              required={required}
              value={value}
              onInput={(event) => set(event.currentTarget.value)}
            />
            {isUnitShown && <span class="unit">{unit}</span>}
          </span>
          {fills.length === 1 && buttons}
        </div>
      )}
    </Field>
  );
  if (fills.length < 2) return field;
  return (
    <div class="filled">
      {field}
      <div class="fills">{buttons}</div>
    </div>
  );
}
