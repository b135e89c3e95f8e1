import { type Document, listOperations } from './document.ts';
import type { Schema } from './flatten-schema.ts';

const HEAD = `"""The types of the API's document. Written by \`npm run openapi\`: do not edit."""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict, Union
`;

const LONGEST_LINE = 120;
const scalars: Readonly<Record<string, string>> = {
  string: 'str',
  integer: 'int',
  number: 'float',
  boolean: 'bool',
  null: 'None',
};

/** The values that Python writes differently from JSON. */
const constants: Readonly<Record<string, string>> = { true: 'True', false: 'False', null: 'None' };

/** Names that Python keeps for itself, of those that a field may have: a class cannot have such a field. */
const keywords = ['from', 'class', 'import', 'in', 'is', 'pass', 'return', 'global'];

/**
 * Returns a Python module with a \`TypedDict\` for every schema of an OpenAPI document, for every answer that is
 * described in place, which is named after its operation, and for every object inside of one, which is named after its
 * field; and with \`ProblemCode\`, every code that an operation may answer with. A schema that is one of several is
 * their union.
 */
export function drawPythonTypes(document: Document): string {
  const classes: string[] = [];
  const unions: string[] = [];
  for (const [name, schema] of Object.entries(document.components?.schemas ?? {})) {
    if (schema.oneOf) unions.push(drawUnion(name, schema.oneOf));
    else drawClass(name, schema, classes);
  }
  const codes = new Set<string>();
  for (const { operation } of listOperations(document)) {
    for (const [status, { content }] of Object.entries(operation.responses ?? {})) {
      const result = status.startsWith('2') ? content?.['application/json']?.schema : undefined;
      if (result?.properties) drawClass(`${upperFirst(operation.operationId ?? '')}Result`, result, classes);
      for (const code of listCodes(content?.['application/problem+json']?.schema)) codes.add(code);
    }
  }
  return [HEAD, ...classes, ...unions, `ProblemCode = ${drawLiteral([...codes].toSorted(), '')}\n`].join('\n\n');
}

function drawClass(name: string, schema: Schema, classes: string[]): void {
  const fields = Object.entries(schema.properties ?? {}).map(([field, value]) => {
    const type = typeOf(value, innerName(name, field, value.items !== undefined), classes);
    return { field, value, type: schema.required?.includes(field) ? type : `NotRequired[${type}]` };
  });
  if (fields.length === 0) throw new Error(`${name} has no fields`);
  if (fields.some(({ field }) => keywords.includes(field))) {
    const entries = fields.map(({ field, type }) => `        "${field}": ${JSON.stringify(type)},\n`);
    classes.push(`${name} = TypedDict(\n    "${name}",\n    {\n${entries.join('')}    },\n)\n`);
    return;
  }
  const lines = fields.map(({ field, type, value }) => `    ${field}: ${type}\n${drawDescription(value)}`);
  classes.push(`class ${name}(TypedDict):\n${lines.join('')}`);
}

/** The alternatives are classes of their own, which stand above. */
function drawUnion(name: string, alternatives: readonly Schema[]): string {
  const names = alternatives.map((one) => `    ${typeOf(one, name, [])},\n`);
  return `${name} = Union[\n${names.join('')}]\n`;
}

function innerName(owner: string, field: string, isList: boolean): string {
  if (owner === 'Problem' && field === 'errors') return 'FieldError';
  return `${owner}${upperFirst(isList ? field.replace(/s$/, '') : field)}`;
}

function typeOf(schema: Schema, name: string, classes: string[]): string {
  if (schema.$ref !== undefined) return schema.$ref.split('/').at(-1) ?? '';
  if (schema.enum) return drawLiteral(schema.enum, '    ');
  const kinds = [schema.type ?? []].flat();
  const types = kinds.map((kind) => {
    if (kind === 'array') return `list[${typeOf(schema.items ?? {}, name, classes)}]`;
    if (kind !== 'object') return scalars[kind];
    if (!schema.properties) return 'dict[str, Any]';
    drawClass(name, schema, classes);
    return name;
  });
  if (types.length === 0 || types.includes(undefined)) throw new Error(`${name} has a type without a name in Python`);
  return types.join(' | ');
}

function drawLiteral(values: NonNullable<Schema['enum']>, indent: string): string {
  const quoted = values.map((value) => constants[String(value)] ?? JSON.stringify(value));
  const line = `Literal[${quoted.join(', ')}]`;
  if (line.length <= LONGEST_LINE / 2) return line;
  return `Literal[\n${quoted.map((value) => `${indent}    ${value},\n`).join('')}${indent}]`;
}

function drawDescription({ description }: Schema): string {
  if (description === undefined) return '';
  const text = description.replaceAll('\\', '\\\\').replaceAll('"""', "'''");
  return `    """${text}"""\n`;
}

function listCodes(schema: Schema | undefined): readonly string[] {
  if (!schema) return [];
  return [...(schema.properties?.['code']?.enum ?? []).map(String), ...(schema.allOf ?? []).flatMap(listCodes)];
}

function upperFirst(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}
