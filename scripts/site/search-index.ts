import MiniSearch from 'minisearch';
import { type ProblemCode, definitionOf, problems } from '../../src/http/problems.ts';
import { type Document, listOperations } from '../openapi/document.ts';
import type { DocumentPage } from './document-pages.ts';
import { errorGuide } from './error-guide.ts';
import { REFERENCE } from './navigation.ts';

/** A result of the search: a place on the site. */
interface Place {
  readonly id: string;
  readonly title: string;
  /** The page or the part of the interface that it belongs to. */
  readonly within: string;
  /** Names that users type exactly: an error's code, an operation's path. */
  readonly names: string;
  readonly text: string;
}

/** The options of the index, which the browser needs to read it: see `site.js`. */
const OPTIONS = { fields: ['title', 'names', 'text'], storeFields: ['title', 'within', 'text'] };

/** The index of the whole site, for a browser: every part of every document, every error code, every operation. */
export function composeSearchIndex(documents: readonly DocumentPage[], document: Document): string {
  const index = new MiniSearch<Place>(OPTIONS);
  index.addAll([...documents.flatMap(listParts), ...listErrors(), ...listPlaces(document)]);
  return JSON.stringify(index);
}

function listParts({ path, title, parts }: DocumentPage): Place[] {
  return parts.map((part) => ({
    id: part.id === '' ? path : `${path}#${part.id}`,
    title: part.title,
    within: part.id === '' ? 'Guide' : title,
    names: '',
    text: part.text.replaceAll(/```.*?```/gs, ''),
  }));
}

function listErrors(): Place[] {
  return (Object.keys(problems) as ProblemCode[]).map((code) => ({
    id: `/errors/${code}`,
    title: definitionOf(code).title,
    within: `Error ${code}`,
    names: code,
    text: `${errorGuide[code].meaning} ${errorGuide[code].remedy}`,
  }));
}

function listPlaces(document: Document): Place[] {
  return listOperations(document).map(({ path, method, operation }) => ({
    id: `${REFERENCE.path}#${operation.operationId}`,
    title: operation.summary ?? '',
    within: `${method.toUpperCase()} ${path}`,
    names: `${operation.operationId} ${path}`,
    text: operation.description ?? '',
  }));
}
