import { escapeHtml } from './escape-html.ts';

/** The kinds of readers. Each has its own pages, and a menu that lists no others. */
export type Reader = 'trader' | 'operator' | 'contributor';

export interface MenuEntry {
  readonly path: string;
  readonly title: string;
}

/** The first page of each kind of reader, and its name in the header. */
export const readers: Readonly<Record<Reader, { readonly path: string; readonly label: string }>> = {
  trader: { path: '/docs', label: 'Trade' },
  operator: { path: '/docs/operate', label: 'Operate' },
  contributor: { path: '/docs/contribute', label: 'Contribute' },
};

/** The first page of a reader, as his menu lists it. */
export const startOf = (reader: Reader): MenuEntry => ({ path: readers[reader].path, title: 'Overview' });

/** What follows the first guides in a trader's menu. */
export const REFERENCE: MenuEntry = { path: '/docs/reference', title: 'Reference' };
export const CHANGELOG: MenuEntry = { path: '/docs/changelog', title: 'Changelog' };
export const ERRORS: MenuEntry = { path: '/errors', title: 'Errors' };

/** Pages about one thing. */
export interface MenuGroup {
  readonly title: string;
  readonly entries: readonly MenuEntry[];
}

/** Links for the menu. `current` marks the page that is open; of an error, which no menu lists, the list of all. */
export function listLinks(entries: readonly MenuEntry[], current?: string): string {
  const items = entries.map((entry) => {
    const isAbove = entry.path === ERRORS.path && current?.startsWith(`${entry.path}/`);
    const mark = entry.path === current ? ' aria-current="page"' : isAbove ? ' aria-current="true"' : '';
    return `<li><a href="${entry.path}"${mark}>${escapeHtml(entry.title)}</a></li>`;
  });
  return `<ul>${items.join('')}</ul>`;
}

/** The same below what they are about. */
export function listGroup({ title, entries }: MenuGroup, current?: string): string {
  return `<p>${escapeHtml(title)}</p>${listLinks(entries, current)}`;
}

export function composeContents(headings: readonly { readonly id: string; readonly title: string }[]): string {
  if (headings.length < 2) return '';
  const items = headings.map(({ id, title }) => `<li><a href="#${id}">${escapeHtml(title)}</a></li>`);
  return `<nav class="contents" id="contents" popover aria-label="On this page"><p>On this page</p><ul>${items.join('')}</ul></nav>`;
}
