import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Reader, CHANGELOG, ERRORS, REFERENCE, startOf } from './navigation.ts';
import { escapeHtml } from './escape-html.ts';
import type { Page } from './page.ts';
import { type Release, readRelease } from './for-machines.ts';
import { type ListedPage, markdownPath } from './markdown-pages.ts';
import { type RenderedDocument, type ResolveLink, renderDocument, renderPart } from './render-markdown.ts';
import { readPictures } from './static-files.ts';

const DOCUMENTS = 'docs';

const pictures = readPictures();

/** The documents of a kind of reader by what they are about, all in reading order. */
type Groups = Readonly<Record<string, readonly string[]>>;

/** The documents for those who use the exchange. */
const forTraders: Groups = {
  Start: ['guides/first-order', 'guides/idempotent-retries', 'guides/withdrawals-and-2fa'],
  'Events and data': ['guides/be-told', 'guides/streams', 'guides/market-data'],
  'Failures and limits': ['guides/errors', 'guides/rate-limits', 'guides/sandbox'],
  'Your account': ['guides/console', 'guides/tax'],
  'Good to know': ['guides/moving', 'guides/questions'],
};

const forOperators: Groups = {
  Start: ['guides/going-live', 'guides/real-chains'],
  Run: ['guides/operating', 'guides/desk', 'performance'],
  Money: ['custody', 'guides/liquidity', 'dealing', 'arbitrage'],
  Incidents: ['operations', 'faults'],
};

/** The documents for those who change the code. */
const forContributors: Groups = {
  Money: ['design/ledger', 'design/deposits', 'design/withdrawals', 'design/reconciliation'],
  Trading: ['design/orders', 'design/markets', 'design/liquidity'],
  'Who may do what': ['design/keys', 'design/rate-limits', 'design/two-people', 'design/console'],
  'Words and proof': ['words', 'design/events', 'design/documents', 'design/simulation'],
};

export interface DocumentPage extends RenderedDocument {
  /** Its path below `docs`, without the ending. */
  readonly name: string;
  readonly path: string;
  /** Its source, whose links lead to the Markdown of other pages. */
  readonly markdown: string;
}

/** Documents about one thing. */
export interface DocumentGroup {
  readonly title: string;
  readonly entries: readonly DocumentPage[];
}

export interface Documents {
  readonly forTraders: readonly DocumentGroup[];
  readonly forOperators: readonly DocumentGroup[];
  readonly forContributors: readonly DocumentGroup[];
  readonly changelog: DocumentPage;
}

/** The documents of groups, in their order. */
export const pagesOf = (groups: readonly DocumentGroup[]): DocumentPage[] => groups.flatMap(({ entries }) => entries);

/** Renders every Markdown file below `docs`. Throws when one is listed nowhere, a listed one is missing or a link is broken. */
export function readDocuments(): Documents {
  const listed = [forTraders, forOperators, forContributors].flatMap((groups) => Object.values(groups).flat());
  for (const file of readdirSync(DOCUMENTS, { recursive: true, encoding: 'utf8' })) {
    const isListed = listed.includes(file.replace(/\.md$/, ''));
    if (file.endsWith('.md') && !isListed) throw new Error(`no reader is led to ${file}`);
  }
  return {
    forTraders: readGroups(forTraders),
    forOperators: readGroups(forOperators),
    forContributors: readGroups(forContributors),
    changelog: readPage(CHANGELOG_FILE, 'changelog'),
  };
}

const readGroups = (groups: Groups): DocumentGroup[] =>
  Object.entries(groups).map(([title, names]) => ({ title, entries: names.map(readDocument) }));

const CHANGELOG_FILE = 'CHANGELOG.md';

/** The released versions, newest first. */
export function readReleases(): Release[] {
  const [, ...parts] = readFileSync(CHANGELOG_FILE, 'utf8').split(/^## /m);
  return parts.flatMap((part) => {
    const [heading = ''] = part.split('\n', 1);
    return readRelease(heading, renderPart(part.slice(heading.length), resolveFrom(CHANGELOG_FILE))) ?? [];
  });
}

const readDocument = (name: string) => readPage(`${DOCUMENTS}/${name}.md`, name);

function readPage(file: string, name: string): DocumentPage {
  try {
    const source = readFileSync(file, 'utf8');
    const rendered = renderDocument(source, resolveFrom(file));
    return { name, path: `/${DOCUMENTS}/${name}`, markdown: leadToMarkdown(source, resolveFrom(file)), ...rendered };
  } catch (error) {
    throw new Error(`${file} cannot be rendered`, { cause: error });
  }
}

/** Tells browsers and readers of feeds where the feed is. */
const FEED_LINK = `
<link rel="alternate" type="application/atom+xml" title="Changes" href="${CHANGELOG.path}.atom">`;

/** Files that are no document, and have a page of the site. */
const pagesOfFiles: Readonly<Record<string, string>> = {
  'src/http/problems.ts': ERRORS.path,
  'docs/openapi.json': REFERENCE.path,
};

/** A link to another document leads to its page; a link to another file of the repository works on GitHub only. */
function resolveFrom(file: string): ResolveLink {
  return (href) => {
    if (/^(https?:|#)/.test(href)) return href;
    const [target = '', anchor] = href.split('#');
    const path = join(dirname(file), target);
    if (!existsSync(path)) throw new Error(`the link ${href} leads nowhere`);
    const [picture] = pictures.get(path) ?? [];
    if (picture !== undefined) return picture;
    const isDocument = path.startsWith(`${DOCUMENTS}/`) && path.endsWith('.md');
    const page = isDocument ? `/${path.slice(0, -'.md'.length)}` : pagesOfFiles[path];
    return page === undefined || anchor === undefined ? page : `${page}#${anchor}`;
  };
}

/** A document in which a link leads to a page's Markdown; one to a file that the site does not have is its text alone. */
function leadToMarkdown(source: string, resolveLink: ResolveLink): string {
  const blocks = source.split(/^(```[^]*?^```$)/m);
  const linked = blocks.map((block) => {
    if (block.startsWith('```')) return block;
    return block.replaceAll(/\[([^\]]*)\]\(([^)\s]+)\)/g, (_, text: string, href: string) => {
      const target = resolveLink(href);
      if (target === undefined) return text;
      const [path = '', anchor] = target.split('#');
      if (!path.startsWith(`/${DOCUMENTS}/`) && path !== '/errors') return `[${text}](${target})`;
      const isPage = !path.startsWith(`/${DOCUMENTS}/static/`);
      // The reference's anchors are those of its HTML.
      const place = anchor === undefined || path === REFERENCE.path ? '' : `#${anchor}`;
      return `[${text}](${isPage ? markdownPath(path) : path}${place})`;
    });
  });
  return linked.join('');
}

/** The page of a document, with the ways to those before and after it in reading order. */
export function composeDocumentPage(document: DocumentPage, reader: Reader, all: readonly DocumentPage[]): Page {
  const place = all.indexOf(document);
  const [before, after] = [all[place - 1] ?? startOf(reader), all[place + 1]];
  const ways = [
    `<a href="${before.path}"><small>Previous</small> ${escapeHtml(before.title)}</a>`,
    ...(after ? [`<a class="next" href="${after.path}"><small>Next</small> ${escapeHtml(after.title)}</a>`] : []),
  ];
  return {
    path: document.path,
    reader,
    title: document.title,
    description: document.summary,
    markdown: document.markdown,
    ...(document.path === CHANGELOG.path && { head: FEED_LINK }),
    body: `<article>${document.html}</article><nav class="ways-on" aria-label="Reading order">${ways.join('')}</nav>`,
    headings: document.parts.filter(({ id, depth }) => id !== '' && depth === 2),
  };
}

const firstSentence = (text: string) => /^.*?[.](?= [A-Z/]|$)/.exec(text)?.[0] ?? text;

export function listDocuments(heading: string, documents: readonly ListedPage[]): string {
  const entries = documents.map(
    ({ path, title, summary }) =>
      `<li><a href="${path}">${escapeHtml(title)}</a><small>${escapeHtml(firstSentence(summary))}</small></li>`,
  );
  return `<section><h2>${escapeHtml(heading)}</h2><ul class="documents">${entries.join('')}</ul></section>`;
}
