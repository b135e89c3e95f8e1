import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Reader, CHANGELOG } from './navigation.ts';
import { escapeHtml } from './escape-html.ts';
import type { Page } from './page.ts';
import { type Release, readRelease } from './for-machines.ts';
import { type ListedPage, markdownPath } from './markdown-pages.ts';
import { type RenderedDocument, type ResolveLink, renderDocument, renderPart } from './render-markdown.ts';
import { readPictures } from './static-files.ts';

const DOCUMENTS = 'docs';

const pictures = readPictures();

/** The documents for those who use the exchange, in reading order. */
const forTraders = [
  'guides/first-order',
  'guides/idempotent-retries',
  'guides/withdrawals-and-2fa',
  'guides/be-told',
  'guides/streams',
  'guides/errors',
  'guides/rate-limits',
  'guides/market-data',
  'guides/sandbox',
  'guides/tax',
  'guides/console',
  'guides/moving',
  'guides/questions',
];

/**
 * The first documents for an operator, in reading order. Every other document outside `design` is for operators too,
 * and follows them.
 */
const forOperators = ['guides/operating', 'guides/desk', 'guides/going-live', 'guides/liquidity', 'guides/real-chains'];

/** Whether a document is for those who change the code. */
const isForContributors = (name: string) => name === 'words' || name.startsWith('design/');

export interface DocumentPage extends RenderedDocument {
  /** Its path below `docs`, without the ending. */
  readonly name: string;
  readonly path: string;
  /** Its source, whose links lead to the Markdown of other pages. */
  readonly markdown: string;
}

export interface Documents {
  readonly forTraders: readonly DocumentPage[];
  readonly forOperators: readonly DocumentPage[];
  readonly forContributors: readonly DocumentPage[];
}

/** Renders every Markdown file below `docs`. Throws when a listed one is missing or a link is broken. */
export function readDocuments(): Documents {
  const found = readdirSync(DOCUMENTS, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.md'))
    .map((file) => file.slice(0, -'.md'.length))
    .toSorted();
  const isOther = (name: string) => !forTraders.includes(name) && !forOperators.includes(name);
  const others = found.filter((name) => isOther(name) && !isForContributors(name));
  return {
    forTraders: [...forTraders.map(readDocument), readPage(CHANGELOG_FILE, 'changelog')],
    forOperators: [...forOperators, ...others].map(readDocument),
    forContributors: found.filter(isForContributors).map(readDocument),
  };
}

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

/** Source files that have a page of the site. */
const pagesOfSources: Readonly<Record<string, string>> = { 'src/http/problems.ts': '/errors' };

/** A link to another document leads to its page; a link to another file of the repository works on GitHub only. */
function resolveFrom(file: string): ResolveLink {
  return (href) => {
    if (/^(https?:|#)/.test(href)) return href;
    const [target = '', anchor] = href.split('#');
    const path = join(dirname(file), target);
    if (!existsSync(path)) throw new Error(`the link ${href} leads nowhere`);
    const [picture] = pictures.get(path) ?? [];
    if (picture !== undefined) return picture;
    if (!path.startsWith(`${DOCUMENTS}/`) || !path.endsWith('.md')) return pagesOfSources[path];
    return `/${path.slice(0, -'.md'.length)}${anchor === undefined ? '' : `#${anchor}`}`;
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
      return `[${text}](${isPage ? markdownPath(path) : path}${anchor === undefined ? '' : `#${anchor}`})`;
    });
  });
  return linked.join('');
}

export function composeDocumentPage(document: DocumentPage, reader: Reader, next: DocumentPage | undefined): Page {
  const on = next ? `<p class="next">Next: <a href="${next.path}">${escapeHtml(next.title)}</a></p>` : '';
  return {
    path: document.path,
    reader,
    title: document.title,
    description: document.summary,
    markdown: document.markdown,
    ...(document.path === CHANGELOG.path && { head: FEED_LINK }),
    body: `<article>${document.html}</article>${on}`,
    headings: document.parts.filter(({ id, depth }) => id !== '' && depth === 2),
  };
}

const firstSentence = (text: string) => /^.*?[.](?= [A-Z/]|$)/.exec(text)?.[0] ?? text;

export function listDocuments(heading: string, documents: readonly ListedPage[]): string {
  const entries = documents.map(
    ({ path, title, summary }) =>
      `<li><a href="${path}">${escapeHtml(title)}</a><span>${escapeHtml(firstSentence(summary))}</span></li>`,
  );
  return `<section><h2>${escapeHtml(heading)}</h2><ul class="documents">${entries.join('')}</ul></section>`;
}
