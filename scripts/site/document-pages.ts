import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Reader } from './navigation.ts';
import { escapeHtml } from './escape-html.ts';
import type { Page } from './page.ts';
import { type RenderedDocument, type ResolveLink, renderDocument } from './render-markdown.ts';
import { readPictures } from './static-files.ts';

const DOCUMENTS = 'docs';

const pictures = readPictures();

/** The documents for those who use the exchange, in reading order. */
const forTraders = [
  'guides/first-order',
  'guides/idempotent-retries',
  'guides/withdrawals-and-2fa',
  'guides/be-told',
  'guides/errors',
  'guides/rate-limits',
  'guides/market-data',
  'guides/sandbox',
  'guides/console',
  'guides/moving',
];

/**
 * The first documents for an operator, in reading order. Every other document outside `design` is for operators too,
 * and follows them.
 */
const forOperators = ['guides/operating', 'guides/desk', 'guides/going-live', 'guides/real-chains'];

/** Whether a document is for those who change the code. */
const isForContributors = (name: string) => name === 'words' || name.startsWith('design/');

export interface DocumentPage extends RenderedDocument {
  /** Its path below `docs`, without the ending. */
  readonly name: string;
  readonly path: string;
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
    forTraders: forTraders.map(readDocument),
    forOperators: [...forOperators, ...others].map(readDocument),
    forContributors: found.filter(isForContributors).map(readDocument),
  };
}

function readDocument(name: string): DocumentPage {
  const file = `${DOCUMENTS}/${name}.md`;
  try {
    const rendered = renderDocument(readFileSync(file, 'utf8'), resolveFrom(file));
    return { name, path: `/${DOCUMENTS}/${name}`, ...rendered };
  } catch (error) {
    throw new Error(`${file} cannot be rendered`, { cause: error });
  }
}

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

export function composeDocumentPage(document: DocumentPage, reader: Reader, next: DocumentPage | undefined): Page {
  const on = next ? `<p class="next">Next: <a href="${next.path}">${escapeHtml(next.title)}</a></p>` : '';
  return {
    path: document.path,
    reader,
    title: document.title,
    description: document.summary,
    body: `<article>${document.html}</article>${on}`,
    headings: document.parts.filter(({ id, depth }) => id !== '' && depth === 2),
  };
}

export function listDocuments(heading: string, documents: readonly DocumentPage[]): string {
  const entries = documents.map(
    ({ path, title, summary }) =>
      `<li><a href="${path}">${escapeHtml(title)}</a><span>${escapeHtml(summary)}</span></li>`,
  );
  return `<section><h2>${escapeHtml(heading)}</h2><ul class="documents">${entries.join('')}</ul></section>`;
}
