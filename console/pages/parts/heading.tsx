import { useEffect, useRef } from 'preact/hooks';

let isFirst = true;

/** The heading of a page. It takes the focus when another page is shown, so that who listens hears where they are. */
export function Heading({ text }: { readonly text: string }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (!isFirst) heading.current?.focus();
    isFirst = false;
  }, []);
  return (
    <h1 ref={heading} tabIndex={-1}>
      {text}
    </h1>
  );
}
