import { type ComponentChildren, createContext } from 'preact';
import { useContext, useEffect, useId, useRef, useState } from 'preact/hooks';
import { isRefusal } from '../ask.ts';
import { Fault } from './notice.tsx';

/** Why the code that a form was sent with was refused: told beside the field of the code. */
const RefusedCode = createContext<string | undefined>(undefined);

/** A form that does one thing at a time, shows that it is at work, and why it was refused. */
export function Form({
  act,
  label,
  about,
  danger = false,
  plain = false,
  isReady = true,
  asks,
  beside,
  children,
}: {
  readonly act: () => Promise<void>;
  readonly label: string;
  /** What the button is for, where the label alone does not say it to who only listens. */
  readonly about?: string | undefined;
  readonly danger?: boolean;
  /** One of several things that a page offers, none of which is why one came. */
  readonly plain?: boolean;
  /** Whether sending it would do anything. */
  readonly isReady?: boolean;
  /** What is asked before it is done: the button asks, and the one below the question does it. */
  readonly asks?: string | undefined;
  /** The other ways to end a dialog, which stand with its button wherever one has scrolled to. */
  readonly beside?: ComponentChildren;
  readonly children?: ComponentChildren;
}) {
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const [isAsked, setAsked] = useState(false);
  const asking = useRef<HTMLButtonElement>(null);
  const doing = useRef<HTMLButtonElement>(null);
  const isBack = useRef(false);
  useEffect(() => {
    if (isAsked) doing.current?.focus();
    else if (isBack.current) asking.current?.focus();
    isBack.current = false;
  }, [isAsked]);
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    if (isBusy) return;
    // What is wrong with a field is said beside it; the way there is shown.
    const wrong = (event.currentTarget as HTMLFormElement).querySelector<HTMLElement>('[data-wrong] [aria-invalid]');
    if (wrong) {
      wrong.focus();
      return;
    }
    if (asks !== undefined && event.submitter !== doing.current) {
      setAsked(!isAsked);
      return;
    }
    setBusy(true);
    setError(undefined);
    try {
      await act();
    } catch (fault) {
      setError(fault);
    } finally {
      setBusy(false);
      setAsked(false);
    }
  };
  const refusedCode = isRefusal(error, 'totp_invalid') ? error.detail : undefined;
  return (
    <form
      onSubmit={(event) => void submit(event)}
      onInput={() => {
        setAsked(false);
        if (refusedCode !== undefined) setError(undefined);
      }}
      aria-busy={isBusy}
    >
      <RefusedCode.Provider value={refusedCode}>{children}</RefusedCode.Provider>
      {error !== undefined && refusedCode === undefined && <Fault error={error} />}
      <div class="ends">
        {beside}
        <button
          ref={asking}
          type="submit"
          class={danger ? 'danger' : plain ? undefined : 'main'}
          disabled={isBusy || !isReady}
        >
          {isBusy && !isAsked ? 'One moment …' : label}
          {about !== undefined && <span class="hidden"> {about}</span>}
        </button>
      </div>
      {isAsked && asks !== undefined && (
        <div class="notice asked">
          <p role="status">
            <strong>{asks.slice(0, asks.indexOf('?') + 1)}</strong>
            {asks.slice(asks.indexOf('?') + 1)}
          </p>
          <div class="side-by-side">
            <button ref={doing} type="submit" class={danger ? 'danger' : 'main'} disabled={isBusy}>
              {isBusy ? 'One moment …' : `Yes, ${label[0]?.toLowerCase()}${label.slice(1)}`}
            </button>
            <button
              type="button"
              onClick={() => {
                isBack.current = true;
                setAsked(false);
              }}
            >
              Cancel
            </button>
          </div>
        </div>
      )}
    </form>
  );
}

/** What a control of a field is named and explained by. */
export interface ControlAttributes {
  readonly id: string;
  readonly 'aria-describedby': string | undefined;
  readonly 'aria-invalid': true | undefined;
}

/**
 * A field with its label, and below it what may help, and what is wrong with what was typed. What is missing when its form
 * is sent is said there too, until somebody types.
 */
export function Field({
  label,
  help,
  fault,
  children,
}: {
  readonly label: string;
  readonly help?: string | undefined;
  readonly fault?: string | undefined;
  readonly children: (named: ControlAttributes) => ComponentChildren;
}) {
  const id = useId();
  const [missing, setMissing] = useState<string>();
  const refused = useRef<HTMLInputElement>(null);
  // A button beside a field may have filled it, or a choice below it made it right.
  useEffect(() => {
    if (missing !== undefined && refused.current?.validity.valid) setMissing(undefined);
  });
  const wrong = fault ?? missing;
  const described = help === undefined && wrong === undefined ? undefined : `${id}-help`;
  const refuse = (event: Event) => {
    // In place of the browser's own bubble, which goes after a moment.
    event.preventDefault();
    const control = event.target as HTMLInputElement;
    refused.current = control;
    setMissing(control.value ? control.validationMessage : 'Fill this in.');
    // The first of them, which a fieldset is not.
    if (control.form?.querySelector(':invalid:not(fieldset)') === control) control.focus();
  };
  return (
    <div
      class="field"
      data-wrong={fault === undefined ? undefined : ''}
      onInvalidCapture={refuse}
      onInput={() => setMissing(undefined)}
    >
      <label for={id}>{label}</label>
      {children({ id, 'aria-describedby': described, 'aria-invalid': wrong === undefined ? undefined : true })}
      <span id={described} aria-live="polite">
        {wrong !== undefined && <small class="wrong">{wrong}</small>}
        {help !== undefined && wrong === undefined && <small>{help}</small>}
      </span>
    </div>
  );
}

/** A field for one line of text. */
export function TextField({
  label,
  unit,
  help,
  value,
  set,
  ...more
}: {
  readonly label: string;
  /** In what it is, shown at its end. */
  readonly unit?: string;
  readonly help?: string | undefined;
  readonly value: string;
  readonly set: (value: string) => void;
  readonly type?: 'text' | 'email' | 'url' | 'date' | 'datetime-local';
  readonly inputMode?: 'decimal' | 'numeric' | 'email';
  readonly autoComplete?: string;
  readonly placeholder?: string;
  readonly required?: boolean;
  readonly pattern?: string;
  readonly maxLength?: number;
  /** Where a dialog begins, if not at its first field. */
  readonly autofocus?: boolean;
}) {
  const refusedCode = useContext(RefusedCode);
  return (
    <Field label={label} help={help} fault={more.autoComplete === 'one-time-code' ? refusedCode : undefined}>
      {(named) => {
        const input = (
          <input {...named} value={value} onInput={(event) => set(event.currentTarget.value)} {...(more as object)} />
        );
        if (unit === undefined) return input;
        return (
          <span class="measured">
            {input}
            <span class="unit">{unit}</span>
          </span>
        );
      }}
    </Field>
  );
}

/** A field for a few lines of text. */
export function LinesField({
  label,
  help,
  value,
  set,
  ...more
}: {
  readonly label: string;
  readonly help?: string;
  readonly value: string;
  readonly set: (value: string) => void;
  readonly required?: boolean;
  readonly maxLength?: number;
}) {
  return (
    <Field label={label} help={help}>
      {(named) => (
        <textarea {...named} rows={3} value={value} onInput={(event) => set(event.currentTarget.value)} {...more} />
      )}
    </Field>
  );
}

interface Options<T extends string> {
  readonly label: string;
  readonly value: T;
  readonly set: (value: T) => void;
  readonly options: readonly (readonly [value: T, text: string])[];
}

/** A choice of two or three, all of them shown. */
export function Switch<T extends string>({ label, value, set, options }: Options<T>) {
  const name = useId();
  return (
    <fieldset class="switch">
      <legend class="hidden">{label}</legend>
      {options.map(([option, text]) => (
        <label key={option}>
          <input type="radio" name={name} checked={option === value} onChange={() => set(option)} />
          <span>{text}</span>
        </label>
      ))}
    </fieldset>
  );
}

/** A question of which no answer is chosen beforehand: its form is not sent without one. */
export function Question<T extends string>({
  label,
  value,
  set,
  options,
}: Omit<Options<T>, 'value'> & { readonly value: T | undefined }) {
  const name = useId();
  return (
    <fieldset class="question">
      <legend>{label}</legend>
      {options.map(([option, text]) => (
        <label key={option} class="tick">
          <input type="radio" name={name} required checked={option === value} onChange={() => set(option)} />
          {text}
        </label>
      ))}
    </fieldset>
  );
}

/** A choice of a few. A form in which one is `required` is not sent while the empty one is chosen. */
export function Choice<T extends string>({
  label,
  required,
  value,
  set,
  options,
}: Options<T> & { readonly required?: boolean }) {
  return (
    <Field label={label}>
      {(named) => (
        <select {...named} required={required} value={value} onChange={(event) => set(event.currentTarget.value as T)}>
          {options.map(([option, text]) => (
            <option key={option} value={option}>
              {text}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}
