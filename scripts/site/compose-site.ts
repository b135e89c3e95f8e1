import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { composeDocumentPage, listDocuments, readDocuments } from './document-pages.ts';
import { composeErrorPages } from './error-pages.ts';
import { headersFile, redirectsFile } from './headers.ts';
import { type Page, composePage } from './page.ts';
import { composeViewer, readViewerFiles } from './viewer.ts';

/** What a file holds. */
export type SiteFile = string | Uint8Array;

const SOURCES = 'scripts/site';

/** A file of the site's own, under a name that changes with its content. */
function readStatic(name: string): readonly [path: string, content: Uint8Array] {
  const content = readFileSync(`${SOURCES}/${name}`);
  const digest = createHash('sha256').update(content).digest('hex').slice(0, 12);
  return [`/docs/static/${name.replace('.', `.${digest}.`)}`, content];
}

/** The whole site: every file by its path. The same sources give the same files. */
export function composeSite(): Map<string, SiteFile> {
  const stylesheet = readStatic('site.css');
  const startViewer = readStatic('start-viewer.js');
  const favicon = readStatic('favicon.svg');
  const { forTraders, forOperators, forContributors } = readDocuments();
  const viewer = composeViewer(startViewer[0]);
  const landing: Page = {
    path: '/docs',
    section: 'docs',
    title: 'Documentation',
    description: 'Guides and reference of the Bureau API: wallet, spot orders and market data.',
    head: viewer.head,
    body: `<h1>Bureau</h1>
<p>An exchange with a REST API. Every order fills at once, whole or not at all, at the market’s price.</p>
<div class="readers">${listDocuments('Use it', forTraders)}${listDocuments('Run it', forOperators)}${listDocuments('Understand it', forContributors)}</div>
${viewer.body}`,
  };
  const documents = [forTraders, forOperators, forContributors].flatMap((list) =>
    list.map((document, place) => composeDocumentPage(document, list[place + 1])),
  );
  const pages = [landing, ...documents, ...composeErrorPages()];
  return new Map<string, SiteFile>([
    ...pages.map((page) => [`${page.path}.html`, composePage(page, stylesheet[0], favicon[0])] as const),
    stylesheet,
    startViewer,
    favicon,
    ...readViewerFiles(),
    ['/_headers', headersFile],
    ['/_redirects', redirectsFile],
  ]);
}
