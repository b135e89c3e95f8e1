import { useState } from 'preact/hooks';

/** A button that copies a text. */
export function CopyButton({ text, label }: { readonly text: string; readonly label: string }) {
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
    setTimeout(() => setCopied(false), 2_000);
  };
  return (
    <button type="button" onClick={() => void copy()} aria-label={`Copy ${label}`}>
      {isCopied ? 'Copied' : 'Copy'}
    </button>
  );
}

/** A text to copy, whole, with its button. */
export function Copied({
  text,
  label,
  shown,
}: {
  readonly text: string;
  readonly label: string;
  /** The text in groups, if it has them. */
  readonly shown?: string;
}) {
  return (
    <div class="copied">
      <code class={shown === undefined ? 'ungrouped' : undefined}>{shown ?? text}</code>
      <CopyButton text={text} label={label} />
    </div>
  );
}
