import { escapeHtml } from './escape-html.ts';

/** The kinds of readers. Each has its own pages, and a menu that lists no others. */
export type Reader = 'trader' | 'operator' | 'contributor';

export interface MenuEntry {
  readonly path: string;
  readonly title: string;
  /** Whether pages lie below its path that are not below it in the menu. */
  readonly isFront?: true;
}

/** The first page of each kind of reader, and its name in the header. */
export const readers: Readonly<Record<Reader, { readonly path: string; readonly label: string }>> = {
  trader: { path: '/docs', label: 'Trade' },
  operator: { path: '/docs/operate', label: 'Operate' },
  contributor: { path: '/docs/contribute', label: 'Contribute' },
};

/** That page, as a menu lists it. */
export const frontOf = (reader: Reader): MenuEntry => ({
  path: readers[reader].path,
  title: 'Overview',
  isFront: true,
});

/** The reference and the errors, which follow the first guides in a trader's menu. */
export const REFERENCE: MenuEntry = { path: '/docs/reference', title: 'Reference' };
export const CHANGELOG: MenuEntry = { path: '/docs/changelog', title: 'Changelog' };
export const ERRORS: MenuEntry = { path: '/errors', title: 'Errors' };

/** Pages about one thing. */
export interface MenuGroup {
  readonly title: string;
  readonly entries: readonly MenuEntry[];
}

/** A list of links for the menu, below what they are about. `current` marks the page that is open, or the one above it. */
export function listLinks(title: string, entries: readonly MenuEntry[], current?: string): string {
  const items = entries.map((entry) => {
    const isAbove = !entry.isFront && current?.startsWith(`${entry.path}/`);
    const mark = entry.path === current ? ' aria-current="page"' : isAbove ? ' aria-current="true"' : '';
    return `<li><a href="${entry.path}"${mark}>${escapeHtml(entry.title)}</a></li>`;
  });
  return `<p>${title}</p><ul>${items.join('')}</ul>`;
}

export function composeContents(headings: readonly { readonly id: string; readonly title: string }[]): string {
  if (headings.length < 2) return '';
  const items = headings.map(({ id, title }) => `<li><a href="#${id}">${escapeHtml(title)}</a></li>`);
  return `<nav class="contents" id="contents" popover aria-label="On this page"><p>On this page</p><ul>${items.join('')}</ul></nav>`;
}
