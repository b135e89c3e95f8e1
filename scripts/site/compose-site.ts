import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { type Chapter, describeApi } from './describe-api.ts';
import {
  type DocumentPage,
  type Documents,
  composeDocumentPage,
  listDocuments,
  pagesOf,
  readDocuments,
  readReleases,
} from './document-pages.ts';
import { composeErrorPages } from './error-pages.ts';
import { showBlock, showExample, showPrinted } from './example.ts';
import { writeExample, writeRequest } from './example-request.ts';
import { robots, writeFeed, writeLlms } from './for-machines.ts';
import { headersFile, redirectsFile } from './headers.ts';
import { type ListedPage, markdownPath, writeLinks, writeReference } from './markdown-pages.ts';
import { CHANGELOG, ERRORS, type MenuGroup, REFERENCE, type Reader, readers } from './navigation.ts';
import { type Page, composePage } from './page.ts';
import type { Document } from '../openapi/document.ts';
import { composeReference, composeReferenceMenu } from './reference-page.ts';
import { composeSearchIndex } from './search-index.ts';
import { type StaticFile, nameStatic, readPictures } from './static-files.ts';

export type SiteFile = string | Uint8Array;

const SOURCES = 'scripts/site';

function readStatic(name: string): StaticFile {
  return nameStatic(name, readFileSync(`${SOURCES}/${name}`));
}

function readSearchLibrary(): StaticFile[] {
  const main = createRequire(import.meta.url).resolve('minisearch');
  const read = (file: string) => readFileSync(join(dirname(main), '../..', file));
  return [
    nameStatic('minisearch.js', read('dist/umd/index.js')),
    nameStatic('minisearch-licence.txt', read('LICENSE.txt')),
  ];
}

/** The first page for a kind of reader: what he finds, and his pages. */
function composeStart(
  reader: Reader,
  title: string,
  description: string,
  body: string,
  pages: readonly ListedPage[],
): Page {
  const markdown = `# ${title}\n\n${description}\n\n${writeLinks(pages)}\n`;
  return {
    path: readers[reader].path,
    reader,
    title,
    description,
    body: `<h1>${title}</h1>\n<p class="lead">${description}</p>\n${body}`,
    markdown,
  };
}

/** The three ways in, by what somebody came for. */
const ways = [
  ['/docs/guides/first-order', 'Trade by API', 'Place a first order, in curl, TypeScript or Python.'],
  [readers.operator.path, 'Run your own', 'Put it on Cloudflare, with your prices and custodian.'],
  [REFERENCE.path, 'Read the reference', 'Look up any operation, and send it from the page.'],
] as const;

function listWays(): string {
  const links = ways.map(([path, name, about]) => `<li><a href="${path}">${name}</a><small>${about}</small></li>`);
  return `<ul class="documents ways">${links.join('')}</ul>`;
}

const REFERENCE_SUMMARY = 'Every operation of the Bureau API, with what it takes, answers and refuses.';

const listedReference: readonly ListedPage[] = [
  { ...REFERENCE, summary: REFERENCE_SUMMARY },
  { ...ERRORS, summary: 'Every error code, and what to do.' },
];

/** The page for an address that does not exist, which the Worker answers with. */
function composeNotFound(forTraders: readonly DocumentPage[]): Page {
  const [title, advice] = ['There is nothing at this address', 'It may have been mistyped, or the page has moved.'];
  const guides = forTraders.filter(({ name }) => ['guides/first-order', 'guides/questions'].includes(name));
  const operate = {
    path: readers.operator.path,
    title: 'Operate an exchange',
    summary: 'Put a Bureau of your own on Cloudflare.',
  };
  const pages = [...guides, ...listedReference, operate];
  return {
    path: '/docs/not-found',
    reader: 'trader',
    title: 'Nothing here',
    description: `${title}.`,
    body: `<h1>${title}</h1><p>${advice} The search above finds every guide, operation and error.</p>
${listDocuments('Or begin here', pages)}`,
    markdown: `# ${title}\n\n${advice}\n\n${writeLinks(pages)}\n`,
  };
}

/** What a request needs beside itself. */
const FROM_START = `URL=http://127.0.0.1:8787
KEY=bk_test_…`;

/** An order and its answer, as the reference has them. */
function showFirstOrder(chapters: readonly Chapter[]): string {
  const order = chapters.flatMap(({ operations }) => operations).find(({ id }) => id === 'placeOrder');
  if (!order) throw new Error('the document has no placeOrder');
  // The request gives the order no name.
  const answer = JSON.parse(JSON.stringify(order.answerExample), (name, value: unknown) =>
    name === 'clientOrderId' ? undefined : value,
  );
  return `<div class="pair">${showExample('An order', `${FROM_START}\n\n${writeRequest(order)}`, 'sh')}
${showPrinted(`Answer <span>${order.status}</span>`, writeExample(answer), 'json')}</div>
<p class="quiet">Not writing code? <a href="/docs/guides/console">Use the console</a> in a browser.</p>`;
}

/** An exchange on one's own machine, and then one on Cloudflare. */
function showFirstSteps(): string {
  return `<ol class="first-steps">
<li><h2>1. Try it on your machine</h2><p>You need Node 22.12 or later, and a clone of the repository. In it, run:</p>${showBlock('npm ci\nnpm start', 'sh')}
<p>It prints the address of the exchange, and a link that signs you in to <a href="/docs/guides/desk">its desk</a>.</p></li>
<li><h2>2. Deploy it to Cloudflare</h2><p>You need:</p><ul><li>a Cloudflare account on the Workers Paid plan, with Zero Trust for your staff</li><li>a domain in that account, set up to send mail</li><li>a <a href="/docs/custody">custodian</a> to hold the coins and pay withdrawals, or staff who pay them by hand</li></ul>
<p><a class="go-on" href="/docs/guides/going-live">Go live, step by step</a></p></li>
</ol>`;
}

interface ListedGroup {
  readonly title: string;
  readonly entries: readonly ListedPage[];
}

/** A trader's pages, also those that are no document. */
function listForTraders({ forTraders: [start, ...others], changelog }: Documents): ListedGroup[] {
  const api = { title: 'The API', entries: [...listedReference, changelog] };
  return [...(start ? [start] : []), api, ...others];
}

const listGroups = (groups: readonly ListedGroup[]) =>
  groups.map(({ title, entries }) => listDocuments(title, entries)).join('\n');

function composePages(documents: Documents, chapters: readonly Chapter[], script: string): Page[] {
  const { forTraders, forOperators, forContributors, changelog } = documents;
  const reference: Page = {
    path: REFERENCE.path,
    reader: 'trader',
    title: 'Reference',
    description: REFERENCE_SUMMARY,
    markdown: writeReference(chapters),
    head: `\n<script type="module" src="${script}"></script>`,
    menu: composeReferenceMenu(chapters),
    body: composeReference(chapters),
  };
  const starts = [
    composeStart(
      'trader',
      'A crypto exchange with one REST API',
      'Bureau is for programs that trade, and for those who want an exchange of their own. Every order fills at once, whole or not at all, at the market’s price.',
      `${listWays()}
${showFirstOrder(chapters)}
${listGroups(listForTraders(documents))}`,
      [...listedReference, ...pagesOf(forTraders), changelog],
    ),
    composeStart(
      'operator',
      'Operate an exchange',
      'Put a Bureau of your own on Cloudflare, keep it running, connect the money, and act when something breaks.',
      `${showFirstSteps()}
${listGroups(forOperators)}`,
      pagesOf(forOperators),
    ),
    composeStart(
      'contributor',
      'Change the code',
      'How Bureau is built, and why: one page for each part of the design.',
      listGroups(forContributors),
      pagesOf(forContributors),
    ),
  ];
  const byReader = {
    trader: [...pagesOf(forTraders), changelog],
    operator: pagesOf(forOperators),
    contributor: pagesOf(forContributors),
  };
  const pages = (Object.keys(byReader) as Reader[]).flatMap((reader) =>
    byReader[reader].map((document) => composeDocumentPage(document, reader, byReader[reader])),
  );
  return [...starts, reference, ...pages, ...composeErrorPages(), composeNotFound(pagesOf(forTraders))];
}

/** The whole site: every file by its path. The same sources give the same files. */
export function composeSite(): Map<string, SiteFile> {
  const documents = readDocuments();
  const { forTraders, forOperators, forContributors, changelog } = documents;
  const stylesheet = readStatic('site.css');
  const script = readStatic('site.js');
  const referenceScript = readStatic('reference.js');
  const favicon = readStatic('favicon.svg');
  const library = readSearchLibrary();
  const api = JSON.parse(readFileSync('docs/openapi.json', 'utf8')) as Document;
  const index = nameStatic('search.json', new TextEncoder().encode(composeSearchIndex(documents, api)));
  const menus: Record<Reader, readonly MenuGroup[]> = {
    trader: listForTraders(documents),
    operator: forOperators,
    contributor: forContributors,
  };
  const assets = {
    stylesheet: stylesheet[0],
    script: script[0],
    favicon: favicon[0],
    searchLibrary: library[0]?.[0] ?? '',
    searchIndex: index[0],
  };
  const pages = composePages(documents, describeApi(api), referenceScript[0]);
  const guides = [...pagesOf(forTraders), changelog];
  const others = [...pagesOf(forOperators), ...pagesOf(forContributors)];
  return new Map<string, SiteFile>([
    ...pages.map((page) => [`${page.path}.html`, composePage(page, menus[page.reader], assets)] as const),
    stylesheet,
    script,
    referenceScript,
    favicon,
    index,
    ...library,
    ...readPictures().values(),
    ...pages.map(({ path, markdown }) => [markdownPath(path), markdown] as const),
    ['/llms.txt', writeLlms({ guides, reference: listedReference, others })],
    ['/robots.txt', robots],
    [`${CHANGELOG.path}.atom`, writeFeed(readReleases(), CHANGELOG.path)],
    ['/_headers', headersFile],
    ['/_redirects', redirectsFile],
  ]);
}
