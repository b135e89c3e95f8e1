import MiniSearch from 'minisearch';
import { type ProblemCode, problems } from '../../src/http/problems.ts';
import { type Document, listOperations } from '../openapi/document.ts';
import { type DocumentPage, type Documents, pagesOf } from './document-pages.ts';
import { errorGuide } from './error-guide.ts';
import { REFERENCE } from './navigation.ts';
import { nameOperation } from './reference-page.ts';
import { printApostrophes } from './render-markdown.ts';

/** A result of the search: a place on the site. */
interface Place {
  readonly id: string;
  /** What a reader finds there: how to use something, a call, an error, why something is as it is. */
  readonly kind: 'Guide' | 'Reference' | 'Error' | 'Operate' | 'Design' | 'Change';
  readonly title: string;
  /** The page or the part of the interface that it belongs to. */
  readonly within: string;
  /** Names that users type exactly: an error's code, an operation's path. */
  readonly names: string;
  readonly text: string;
}

/** The options of the index, which the browser needs to read it: see `site.js`. */
const OPTIONS = { fields: ['title', 'names', 'text'], storeFields: ['kind', 'title', 'within', 'text'] };

/** The index of the whole site, for a browser: every part of every document, every error code, every operation. */
export function composeSearchIndex(documents: Documents, document: Document): string {
  const index = new MiniSearch<Place>(OPTIONS);
  index.addAll([
    ...pagesOf(documents.forTraders).flatMap((page) => listParts(page, 'Guide')),
    ...pagesOf(documents.forOperators).flatMap((page) => listParts(page, 'Operate')),
    ...pagesOf(documents.forContributors).flatMap((page) => listParts(page, 'Design')),
    ...listParts(documents.changelog, 'Change'),
    ...listErrors(),
    ...listPlaces(document),
  ]);
  return JSON.stringify(index);
}

/** The words of Markdown, without its signs: nobody looks for code, or for the target of a link. */
function writeText(markdown: string): string {
  const words = markdown.replaceAll(/```.*?```/gs, '').replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, '$1');
  // The cells of a table are words of their own.
  const cells = words
    .replaceAll(/^\|[-|: ]+\|$/gm, '')
    .replaceAll(/^\|\s*|\s*\|$/gm, '')
    .replaceAll(/ +\| +/g, ' · ');
  return printApostrophes(cells)
    .replaceAll(/[`*]/g, '')
    .replaceAll(/[{}"#]+|\s+/g, ' ')
    .replaceAll(/ {2,}/g, ' ')
    .trim();
}

function listParts({ path, title, parts }: DocumentPage, kind: Place['kind']): Place[] {
  return parts.map((part) => ({
    id: part.id === '' ? path : `${path}#${part.id}`,
    kind,
    title: part.title,
    within: part.id === '' ? '' : title,
    names: '',
    text: writeText(part.text),
  }));
}

function listErrors(): Place[] {
  return (Object.keys(problems) as ProblemCode[]).map((code) => ({
    id: `/errors/${code}`,
    kind: 'Error',
    title: problems[code].title,
    within: code,
    names: code,
    text: writeText(`${errorGuide[code].meaning} ${errorGuide[code].remedy}`),
  }));
}

function listPlaces(document: Document): Place[] {
  return listOperations(document).map(({ path, method, operation }) => ({
    id: `${REFERENCE.path}#${operation.operationId}`,
    kind: 'Reference',
    title: nameOperation(operation.operationId ?? ''),
    within: `${method.toUpperCase()} ${path}`,
    names: `${operation.operationId} ${path}`,
    text: writeText(`${operation.summary}. ${operation.description ?? ''}`),
  }));
}
