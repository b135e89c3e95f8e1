import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Form, TextField } from '../../parts/form.tsx';
import { findProposal } from '../operate.ts';
import type { Proposal } from '../schema.d.ts';
import { areTwoAdmins } from '../staff.ts';

/**
 * A change with a second look: the button opens a dialog that says what will be done, and only its own button does it.
 * What needs two people becomes a proposal, which is shown with its link.
 */
export function Step({
  label,
  about,
  title,
  does,
  act,
  done,
  danger = false,
  main = false,
  isReady = true,
  needsTwo,
  shows,
  children,
}: {
  /** What both buttons say. */
  readonly label: string;
  /** What the button is for, where its row says it to who looks. */
  readonly about?: string | undefined;
  readonly title: string;
  /** What the dialog's own button says instead of the label. */
  readonly does?: string;
  /** Makes the change, and returns the answer of the exchange. */
  readonly act: () => Promise<unknown>;
  /** After the change was made or proposed. */
  readonly done: () => void;
  readonly danger?: boolean;
  /** What one came to the page for. */
  readonly main?: boolean;
  /** Whether it would change anything. */
  readonly isReady?: boolean;
  /** Whether a second person decides it: always, or where there are two admins. Then the dialog says so. `false` while what is typed needs none. */
  readonly needsTwo?: boolean | 'always';
  /** What the button shows in place of its words, which are left to who listens. */
  readonly shows?: ComponentChildren;
  /** What will be done, and the fields that are needed for it. */
  readonly children?: ComponentChildren;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [isOpen, setOpen] = useState(false);
  const [proposal, setProposal] = useState<Proposal>();
  const [hasTwo, setHasTwo] = useState(false);
  const isForTwo = needsTwo === 'always' || (needsTwo === true && hasTwo);
  const open = () => {
    setProposal(undefined);
    setOpen(true);
    // Where it cannot be read, the answer tells.
    if (needsTwo !== undefined) areTwoAdmins().then(setHasTwo, () => undefined);
  };
  const own = isForTwo ? 'Propose it' : does;
  // Once its fields are there, so that one of them gets the focus.
  useLayoutEffect(() => {
    if (isOpen) dialog.current?.showModal();
  }, [isOpen]);
  const close = () => dialog.current?.close();
  const make = async () => {
    setProposal(findProposal(await act()));
    close();
    done();
  };
  return (
    <div class="step">
      <button type="button" class={danger ? 'danger' : main ? 'main' : undefined} onClick={open}>
        {shows === undefined ? label : <span class="hidden">{label}</span>}
        {about !== undefined && <span class="hidden"> {about}</span>}
        {shows !== undefined && <span aria-hidden="true">{shows}</span>}
      </button>
      {proposal && <Proposed proposal={proposal} />}
      <dialog ref={dialog} aria-label={title} onClose={() => setOpen(false)}>
        {isOpen && (
          <>
            <h2>{title}</h2>
            <Form
              act={make}
              label={own ?? label}
              about={own === undefined ? about : undefined}
              danger={danger}
              isReady={isReady}
              beside={
                <>
                  {isForTwo && <p class="quiet">You propose it, another person approves it.</p>}
                  <button type="button" onClick={close}>
                    Cancel
                  </button>
                </>
              }
            >
              {children}
            </Form>
          </>
        )}
      </dialog>
    </div>
  );
}

/** That a change waits for a second person. */
export function Proposed({ proposal }: { readonly proposal: Proposal }) {
  return (
    <p class="notice" role="status">
      This needs two people, so nothing has changed yet. It is <a href={`/desk/proposals/${proposal.id}`}>a proposal</a>{' '}
      that another person approves within 24 hours.
    </p>
  );
}

/** What a value is, and what it will be. */
export function OldAndNew({
  name,
  old,
  next,
}: {
  readonly name: string;
  readonly old: ComponentChildren;
  readonly next: ComponentChildren;
}) {
  return (
    <dl class="change">
      <dt>{name}</dt>
      <dd>
        <del>{old}</del> <span aria-hidden="true">→</span> <ins>{next}</ins>
      </dd>
    </dl>
  );
}

/** Why something is done, for the audit. */
export function ReasonField({
  required = true,
  value,
  set,
}: {
  readonly required?: boolean;
  readonly value: string;
  readonly set: (value: string) => void;
}) {
  const label = `Reason, for the audit (${required ? 'required' : 'optional'})`;
  return <TextField label={label} required={required} maxLength={500} value={value} set={set} />;
}
