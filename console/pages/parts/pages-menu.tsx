import { useRef } from 'preact/hooks';

/** The ways to all pages: a row where there is room for it, and otherwise a menu behind a button. */
export function PagesMenu({
  pages,
  open,
}: {
  readonly pages: readonly (readonly [path: string, name: string])[];
  /** The path of the page that is open. */
  readonly open: string;
}) {
  const nav = useRef<HTMLElement>(null);
  return (
    <>
      <button type="button" class="menu" popovertarget="pages">
        Menu
      </button>
      <nav id="pages" aria-label="Pages" popover="auto" ref={nav} onClick={() => nav.current?.hidePopover()}>
        {pages.map(([path, name]) => (
          <a key={path} href={path} aria-current={path === open ? 'page' : undefined}>
            {name}
          </a>
        ))}
      </nav>
    </>
  );
}
