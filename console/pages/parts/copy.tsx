import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';

/** A button that copies a text, and says what it copies, unless it stands right beside it. */
export function CopyButton({
  text,
  label,
  isBeside = false,
  isMain = false,
}: {
  readonly text: string;
  readonly label: string;
  readonly isBeside?: boolean;
  readonly isMain?: boolean;
}) {
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
    setTimeout(() => setCopied(false), 2_000);
  };
  return (
    <button type="button" class={isMain ? 'main' : undefined} onClick={() => void copy()} aria-label={`Copy ${label}`}>
      {isCopied ? 'Copied' : isBeside ? 'Copy' : `Copy ${label}`}
    </button>
  );
}

/** A text to copy, whole, with its button. */
export function Copied({
  text,
  shown,
  ...more
}: {
  readonly text: string;
  readonly label: string;
  /** Whether the button stands beside a short text, on a telephone as well. */
  readonly isBeside?: boolean;
  readonly isMain?: boolean;
  /** The text in groups, if it has them. */
  readonly shown?: ComponentChildren;
}) {
  return (
    <div class={more.isBeside ? 'copied beside' : 'copied'}>
      <code class={shown === undefined ? 'ungrouped' : undefined}>{shown ?? text}</code>
      <CopyButton text={text} {...more} />
    </div>
  );
}
