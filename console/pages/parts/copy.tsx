import { useState } from 'preact/hooks';

/** A text to copy, with its button. It is in one line, which scrolls, unless it is shown in another way. */
export function Copied({
  text,
  label,
  shown,
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
      {shown === undefined ? (
        <code class="scrolls" tabIndex={0} role="group" aria-label={label}>
          {text}
        </code>
      ) : (
        <code>{shown}</code>
      )}
      <button type="button" onClick={() => void copy()} aria-label={`Copy ${label}`}>
        {isCopied ? 'Copied' : 'Copy'}
      </button>
    </div>
  );
}
