import { type Document, type Media, type Operation, listOperations, listParameters } from '../openapi/document.ts';
import { type Schema, type Schemas, flattenSchema, typesOf, valuesOf } from '../openapi/flatten-schema.ts';

/** A member of a body, or a parameter. Members of members have a dotted name; `[]` stands for each of a list. */
export interface Field {
  readonly name: string;
  readonly type: string;
  readonly isRequired: boolean;
  readonly description: string;
}

/** A parameter in the path, the query or a header, which `in` says. */
export interface DescribedParameter extends Field {
  readonly in: string;
  readonly example: string;
}

export interface DescribedOperation {
  readonly id: string;
  readonly tag: string;
  readonly method: string;
  readonly path: string;
  readonly summary: string;
  readonly description: string;
  /** The scopes of the key that it needs; empty for any key, `undefined` for none. */
  readonly scopes: readonly string[] | undefined;
  readonly parameters: readonly DescribedParameter[];
  readonly body: readonly Field[];
  /** With the members that it must have; with all of them when it need have none. */
  readonly bodyExample: unknown;
  /** Of the answer when all went well: a 2xx, or 101 when it opens a WebSocket. */
  readonly status: string;
  /** What that answer is, in a few words. */
  readonly outcome: string;
  readonly answer: readonly Field[];
  readonly answerExample: unknown;
  readonly refusals: readonly { readonly code: string; readonly status: string }[];
}

/** The operations of one tag. */
export interface Chapter {
  readonly name: string;
  readonly description: string;
  readonly operations: readonly DescribedOperation[];
}

/** Sent with every request, and explained once. */
const COMMON_PARAMETER = 'X-Request-Id';

const MAX_DEPTH = 4;

/** How a schema's type is written: `string`, `"BUY" | "SELL"`, `Order[]`. */
function nameType(schema: Schema, schemas: Schemas): string {
  const flat = flattenSchema(schema, schemas);
  const values = valuesOf(flat);
  if (values) return values.map((value) => JSON.stringify(value)).join(' | ');
  const choices = flat.anyOf ?? flat.oneOf;
  if (choices) return [...new Set(choices.map((choice) => nameType(choice, schemas)))].join(' | ');
  const types = typesOf(flat) ?? ['any'];
  const named = types.map((type) => (type === 'array' ? `${nameType(flat.items ?? {}, schemas)}[]` : type));
  return named.join(' | ');
}

/** How a parameter's values are written: their type, their bounds, and which one counts when none is sent. */
function nameValues(schema: Schema, schemas: Schemas): string {
  const { minimum, maximum, default: unless } = flattenSchema(schema, schemas);
  const bounds = maximum === undefined ? minimum !== undefined && `from ${minimum}` : `${minimum} to ${maximum}`;
  const parts = [nameType(schema, schemas), bounds, unless !== undefined && `default ${JSON.stringify(unless)}`];
  return parts.filter((part) => part !== false).join(', ');
}

/** The members of a schema, each followed by its own. */
function listFields(schema: Schema, schemas: Schemas, within = '', depth = 0): Field[] {
  const flat = flattenSchema(schema, schemas);
  if (depth > MAX_DEPTH) return [];
  if (flat.items) return listFields(flat.items, schemas, `${within}[]`, depth);
  const rest = flat.anyOf ?? flat.oneOf ?? [];
  const own = Object.entries(flat.properties ?? {}).flatMap(([name, member]) => {
    const path = within === '' ? name : `${within}.${name}`;
    const described = flattenSchema(member, schemas).description ?? '';
    const isRequired = flat.required?.includes(name) ?? false;
    const field = { name: path, type: nameType(member, schemas), isRequired, description: described };
    return [field, ...listFields(member, schemas, path, depth + 1)];
  });
  const chosen = rest.flatMap((choice) => listFields(choice, schemas, within, depth + 1));
  const known = new Set(own.map(({ name }) => name));
  return [...own, ...chosen.filter(({ name }) => !known.has(name) && known.add(name))];
}

function keepRequired(example: unknown, fields: readonly Field[]): unknown {
  const required = new Set(fields.filter(({ isRequired }) => isRequired).map(({ name }) => name));
  const kept = Object.entries(example ?? {}).filter(([name]) => required.has(name));
  return kept.length === 0 ? example : Object.fromEntries(kept);
}

function describeOperation(document: Document, path: string, method: string, operation: Operation): DescribedOperation {
  const schemas = document.components?.schemas ?? {};
  const { operationId = '', tags = [], summary = '', description = '', responses = {}, security = [] } = operation;
  const parameters = listParameters(operation, document)
    .filter(({ name }) => name !== COMMON_PARAMETER)
    .map(({ name = '', in: place = '', required = false, schema = {}, description: text = '', example }) => {
      const type = nameValues(schema, schemas);
      const shown = typeof example === 'string' ? example : JSON.stringify(example ?? null);
      const about = text || (schema.description ?? '');
      return { name, in: place, type, isRequired: required, description: about, example: shown };
    });
  const [status, answer] = Object.entries(responses).find(([code]) => /^(2..|101)$/.test(code)) ?? ['', {}];
  const { schema: bodySchema = {}, example: fullBody }: Media =
    operation.requestBody?.content?.['application/json'] ?? {};
  const body = listFields(bodySchema, schemas);
  const answered: Media = answer.content?.['application/json'] ?? {};
  const refusals = Object.entries(responses).flatMap(([code, response]) =>
    Object.keys(response.content?.['application/problem+json']?.examples ?? {}).map((name) => ({
      code: name,
      status: code,
    })),
  );
  const [keyed] = security;
  return {
    id: operationId,
    tag: tags[0] ?? '',
    method: method.toUpperCase(),
    path,
    summary,
    description,
    scopes: keyed && Object.values(keyed)[0],
    parameters,
    body,
    bodyExample: keepRequired(fullBody, body),
    status,
    outcome: answer.description ?? '',
    answer: listFields(answered.schema ?? {}, schemas),
    answerExample: answered.example,
    refusals,
  };
}

/** The operations of a document by their tags, as a page shows them: both in the document's order. */
export function describeApi(document: Document): Chapter[] {
  const operations = listOperations(document).map(({ path, method, operation }) =>
    describeOperation(document, path, method, operation),
  );
  return (document.tags ?? []).map(({ name, description = '' }) => ({
    name,
    description,
    operations: operations.filter(({ tag }) => tag === name),
  }));
}
