import { useState } from 'preact/hooks';

/** A text to copy, whole, with its button. */
export function Copied({
  text,
  label,
  shown = text,
}: {
  readonly text: string;
  readonly label: string;
  readonly shown?: string;
}) {
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
    setTimeout(() => setCopied(false), 2_000);
  };
  return (
    <div class="copied">
      <code>{shown}</code>
      <button type="button" onClick={() => void copy()} aria-label={`Copy ${label}`}>
        {isCopied ? 'Copied' : 'Copy'}
      </button>
    </div>
  );
}
