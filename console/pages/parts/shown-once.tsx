import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';

/** A secret that is shown once: neither Escape nor a click beside it loses it, and leaving the page is asked about. */
export function ShownOnce({
  title,
  where = 'Store it where only your program reads it.',
  stored = 'I have stored it',
  close,
  children,
}: {
  readonly title: string;
  /** Where the secret is to be kept. */
  readonly where?: string;
  readonly stored?: string;
  readonly close: () => void;
  /** The secret, and more about it. */
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
      <p>
        <strong>Shown now and never again.</strong> {where}
      </p>
      {children}
      <div class="ends stored">
        <label class="tick">
          <input type="checkbox" checked={isStored} onChange={() => setStored(!isStored)} />
          {stored}
        </label>
        <button type="button" class="main" disabled={!isStored} onClick={close}>
          Done
        </button>
      </div>
    </dialog>
  );
}
