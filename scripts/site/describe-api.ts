import { type Document, type Media, type Operation, listOperations, listParameters } from '../openapi/document.ts';
import { type Schema, type Schemas, flattenSchema, typesOf, valuesOf } from '../openapi/flatten-schema.ts';

/** A member of a body, or a parameter. Members of members have a dotted name; `[]` stands for each of a list. */
export interface Field {
  readonly name: string;
  readonly type: string;
  readonly isRequired: boolean;
  readonly description: string;
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
  /** In the path, the query or a header, which `in` says. */
  readonly parameters: readonly (Field & { readonly in: string })[];
  readonly body: readonly Field[];
  readonly bodyExample: unknown;
  readonly status: string;
  readonly answer: readonly Field[];
  readonly answerExample: unknown;
  readonly refusals: readonly { readonly code: string; readonly status: string }[];
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

function describeOperation(document: Document, path: string, method: string, operation: Operation): DescribedOperation {
  const schemas = document.components?.schemas ?? {};
  const { operationId = '', tags = [], summary = '', description = '', responses = {}, security = [] } = operation;
  const parameters = listParameters(operation, document)
    .filter(({ name }) => name !== COMMON_PARAMETER)
    .map(({ name = '', in: place = '', required = false, schema = {}, description: text = '' }) => {
      const type = nameType(schema, schemas);
      return { name, in: place, type, isRequired: required, description: text || (schema.description ?? '') };
    });
  const [status, answer] = Object.entries(responses).find(([code]) => code.startsWith('2')) ?? ['', {}];
  const body: Media = operation.requestBody?.content?.['application/json'] ?? {};
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
    body: listFields(body.schema ?? {}, schemas),
    bodyExample: body.example,
    status,
    answer: listFields(answered.schema ?? {}, schemas),
    answerExample: answered.example,
    refusals,
  };
}

/** Every operation of a document, in its order, as a page shows it. */
export function describeApi(document: Document): DescribedOperation[] {
  return listOperations(document).map(({ path, method, operation }) =>
    describeOperation(document, path, method, operation),
  );
}
