import { escapeHtml } from './escape-html.ts';
import { markdownPath } from './markdown-pages.ts';
import { type MenuGroup, type Reader, composeContents, listGroup, listLinks, readers, startOf } from './navigation.ts';

/** A part of a page, listed in its contents and found by the search. */
export interface Heading {
  readonly id: string;
  readonly title: string;
}

export interface Page {
  /** Its path, without an ending: `/docs/guides/errors`. */
  readonly path: string;
  readonly reader: Reader;
  readonly title: string;
  /** One sentence, in plain text. */
  readonly description: string;
  readonly body: string;
  /** The same for programs, at the page's path with the ending `.md`. */
  readonly markdown: string;
  readonly headings?: readonly Heading[];
  /** Lists of its own for the menu, in the place of its reader's. */
  readonly menu?: string;
  /** Additions to the head: the scripts and styles of this page alone. */
  readonly head?: string;
}

/** The addresses of the files that every page loads, and of the search's files, which are loaded when it is used. */
export interface PageAssets {
  readonly stylesheet: string;
  readonly favicon: string;
  readonly script: string;
  readonly searchLibrary: string;
  readonly searchIndex: string;
}

/** The three kinds of readers, each with the way to his pages. */
function linkReaders(page: Page): string[] {
  return Object.entries(readers).map(([name, { label, path }]) => {
    const current = name === page.reader ? ` aria-current="${path === page.path ? 'page' : 'true'}"` : '';
    return `<a href="${path}"${current}>${label}</a>`;
  });
}

/** Beside the page; folded behind a button where the screen is too narrow for it. */
function composeMenu(page: Page, groups: readonly MenuGroup[]): string {
  const lists =
    page.menu ??
    listLinks([startOf(page.reader)], page.path) + groups.map((group) => listGroup(group, page.path)).join('');
  return `<nav class="menu" id="menu" popover aria-label="Pages"><div class="readers">${linkReaders(page).join('')}</div>${lists}</nav>`;
}

/** Where the parts of the page have no room beside it, a button below the header names the one that is read and shows all. */
function composeHere({ menu, headings = [] }: Page): string {
  if (menu === undefined && headings.length < 2) return '';
  const [list, label] = menu === undefined ? ['contents', 'On this page'] : ['menu', 'Operations'];
  return `<button type="button" class="here" popovertarget="${list}"><span>${label}</span> <b></b></button>`;
}

/** A page in the frame of the site, with search, menu and contents. It loads everything from its own origin. */
export function composePage(page: Page, menu: readonly MenuGroup[], assets: PageAssets): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="description" content="${escapeHtml(page.description)}">
<title>${escapeHtml(page.title)} · Bureau</title>
<link rel="icon" type="image/svg+xml" href="${assets.favicon}">
<link rel="stylesheet" href="${assets.stylesheet}">
<link rel="alternate" type="text/markdown" href="${markdownPath(page.path)}">
<script defer src="${assets.script}"></script>${page.head ?? ''}
</head>
<body>
<a class="skip" href="#content">To the content</a>
<header><button type="button" class="open-menu" popovertarget="menu" aria-label="Menu"><svg viewBox="0 0 24 24" aria-hidden="true"><path class="open" d="M3 6h18M3 12h18M3 18h18"/><path class="close" d="M5 5l14 14M19 5L5 19"/></svg></button>
<a class="name" href="/docs"><img src="${assets.favicon}" alt="">Bureau</a><nav aria-label="Site">${linkReaders(page).join('')}</nav>
<search hidden data-library="${assets.searchLibrary}" data-index="${assets.searchIndex}"><input type="search" role="combobox" placeholder="Search" aria-label="Search the documentation" aria-autocomplete="list" aria-controls="found" aria-expanded="false" autocomplete="off" spellcheck="false"><kbd aria-hidden="true">/</kbd>
<div class="found"><div id="found" role="listbox" aria-label="Found" hidden></div><p role="status"></p></div></search>${composeHere(page)}</header>
<div class="frame">
${composeMenu(page, menu)}
<main id="content" tabindex="-1">
${page.body}
</main>
${composeContents(page.headings ?? [])}
</div>
</body>
</html>
`;
}
