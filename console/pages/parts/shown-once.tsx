import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { Copied } from './copy.tsx';

/** A secret that is shown once: neither Escape nor a click beside it loses it, and leaving the page is asked about. */
export function ShownOnce({
  title,
  secret,
  label,
  close,
  children,
}: {
  readonly title: string;
  readonly secret: string;
  /** What the secret is, such as "the key". */
  readonly label: string;
  readonly close: () => void;
  readonly children: ComponentChildren;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [isStored, setStored] = useState(false);
  const id = useId();
  useEffect(() => {
    dialog.current?.showModal();
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    // Before the browser asks the dialog, which closes at a second Escape whatever it answers.
    const stay = (event: KeyboardEvent) => event.key === 'Escape' && event.preventDefault();
    addEventListener('beforeunload', warn);
    addEventListener('keydown', stay);
    return () => {
      removeEventListener('beforeunload', warn);
      removeEventListener('keydown', stay);
    };
  }, []);
  return (
    <dialog ref={dialog} aria-labelledby={id} onCancel={(event) => event.preventDefault()}>
      <h2 id={id}>{title}</h2>
      <p>It is shown now and never again. Store it where only your program reads it.</p>
      <Copied text={secret} label={label} />
      {children}
      <label class="tick">
        <input type="checkbox" checked={isStored} onChange={() => setStored(!isStored)} />I have stored it
      </label>
      <button type="button" class="main" disabled={!isStored} onClick={close}>
        Done
      </button>
    </dialog>
  );
}
