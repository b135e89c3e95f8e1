import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';

/** What one seldom came for, behind a button; with `isOpen` it is shown at once. */
export function Folded({
  label,
  isOpen = false,
  isMain = false,
  isLink = false,
  children,
}: {
  readonly label: string;
  readonly isOpen?: boolean;
  /** Whether it is what the page asks for now. */
  readonly isMain?: boolean;
  /** Whether it is another way than what stands beside it. */
  readonly isLink?: boolean;
  readonly children: ComponentChildren;
}) {
  const [isAsked, setAsked] = useState(false);
  const content = useRef<HTMLDivElement>(null);
  // The button is gone, and with it the place where somebody was.
  useEffect(() => {
    if (isAsked) content.current?.querySelector<HTMLElement>('input, button')?.focus();
  }, [isAsked]);
  if (!isOpen && !isAsked) {
    return (
      <button type="button" class={isLink ? 'link' : isMain ? 'main folded' : 'folded'} onClick={() => setAsked(true)}>
        {label}
      </button>
    );
  }
  return (
    <div class="revealed" ref={content}>
      {children}
    </div>
  );
}
