import MiniSearch from 'minisearch';
import type { ProblemCode } from '../../src/http/problems.ts';
import { definitionOf, problems } from '../../src/http/problems.ts';
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

/** The part of the API's document that the search needs. */
export interface SearchedDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, SearchedOperation>>>>;
}

interface SearchedOperation {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly tags: readonly string[];
}

/** The options of the index, which the browser needs to read it: see `site.js`. */
const OPTIONS = { fields: ['title', 'names', 'text'], storeFields: ['title', 'within'] };

/** The index of the whole site, for a browser: every part of every document, every error code, every operation. */
export function composeSearchIndex(documents: readonly DocumentPage[], document: SearchedDocument): string {
  const index = new MiniSearch<Place>(OPTIONS);
  index.addAll([...documents.flatMap(listParts), ...listErrors(), ...listOperations(document)]);
  return JSON.stringify(index);
}

function listParts({ path, title, parts }: DocumentPage): Place[] {
  return parts.map((part) => ({
    id: part.id === '' ? path : `${path}#${part.id}`,
    title: part.title,
    within: part.id === '' ? 'Guide' : title,
    names: '',
    text: part.text,
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

function listOperations({ paths }: SearchedDocument): Place[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId, summary, description = '', tags }]) => ({
      id: `${REFERENCE.path}#/${tags[0]}/${operationId}`,
      title: summary,
      within: `${method.toUpperCase()} ${path}`,
      names: `${operationId} ${path}`,
      text: description,
    })),
  );
}
