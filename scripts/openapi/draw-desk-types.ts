import { type Document, type Operation, listOperations } from './document.ts';
import type { Schema } from './flatten-schema.ts';

const HEAD = "/** The operator's API, by its document. Written by `npm run openapi`: do not edit. */\n";
const PREFIX = '/operator/v1';
const JSON_TYPE = 'application/json';

const scalars: Readonly<Record<string, string>> = {
  string: 'string',
  integer: 'number',
  number: 'number',
  boolean: 'boolean',
  null: 'null',
};

/**
 * Returns a module of types for the desk's pages: every schema of the operator's document by its name, and `Operations`,
 * which says for each method and path what it takes (`query`, `body`) and answers with, the 202 of a proposal included.
 * Refusals are not among them: all of them are problems, as the public API's are.
 */
export function drawDeskTypes(document: Document): string {
  const schemas = Object.entries(document.components?.schemas ?? {});
  const types = schemas.map(([name, schema]) => `export type ${name} = ${draw(schema)};\n`);
  const operations = listOperations(document).map(({ method, path, operation }) =>
    drawOperation(method, path, operation),
  );
  return `${[HEAD, ...types].join('\n')}\nexport interface Operations {\n${operations.join('')}}\n`;
}

function drawOperation(
  method: string,
  path: string,
  { parameters = [], requestBody, responses = {} }: Operation,
): string {
  const query = parameters.filter((parameter) => parameter.in === 'query');
  const fields = query.map(({ name = '', schema = {} }) => [name, schema] as const);
  const required = query.filter((parameter) => parameter.required).map(({ name = '' }) => name);
  const answers = Object.entries(responses)
    .filter(([status]) => status.startsWith('2'))
    .map(([, answer]) => drawContent(answer));
  return [
    `  '${method} ${path.replace(PREFIX, '')}': {`,
    `    query: ${query.length === 0 ? 'undefined' : drawFields(fields, required)};`,
    `    body: ${drawContent(requestBody)};`,
    `    answer: ${[...new Set(answers)].join(' | ')};`,
    '  };\n',
  ].join('\n');
}

function drawContent(content: Operation['requestBody']): string {
  const schema = content?.content?.[JSON_TYPE]?.schema;
  return schema ? draw(schema) : 'undefined';
}

function draw(schema: Schema): string {
  if (schema.$ref !== undefined) return schema.$ref.split('/').at(-1) ?? 'unknown';
  const values = schema.const === undefined ? schema.enum : [schema.const];
  if (values) return values.map((value) => JSON.stringify(value)).join(' | ');
  const several = schema.oneOf ?? schema.anyOf;
  if (several) return several.map(draw).join(' | ');
  // A part without a type only narrows the others.
  if (schema.allOf)
    return schema.allOf
      .map(draw)
      .filter((part) => part !== 'unknown')
      .join(' & ');
  const types = typeof schema.type === 'string' ? [schema.type] : (schema.type ?? []);
  return types.map((type) => drawType(type, schema)).join(' | ') || 'unknown';
}

function drawType(type: string, { items = {}, properties, additionalProperties, required = [] }: Schema): string {
  if (type === 'array') return `readonly (${draw(items)})[]`;
  if (type !== 'object') return scalars[type] ?? 'unknown';
  if (properties) return drawFields(Object.entries(properties), required);
  const values = typeof additionalProperties === 'object' ? draw(additionalProperties) : 'unknown';
  return `{ readonly [name: string]: ${values} }`;
}

function drawFields(fields: readonly (readonly [string, Schema])[], required: readonly string[]): string {
  const drawn = fields.map(
    ([name, schema]) => `readonly ${name}${required.includes(name) ? '' : '?'}: ${draw(schema)}`,
  );
  return `{ ${drawn.join('; ')} }`;
}
