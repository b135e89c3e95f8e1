/** A JSON schema of a document. */
export interface Schema {
  readonly $ref?: string;
  readonly description?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly format?: string;
  readonly pattern?: string;
  readonly default?: unknown;
  readonly example?: unknown;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema;
  readonly allOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
}

export type Schemas = Readonly<Record<string, Schema>>;

/** A schema without `$ref` and `allOf` at its top level: their contents are merged into it. */
export function flattenSchema(schema: Schema, components: Schemas): Schema {
  const { $ref, allOf = [], ...own } = schema;
  const referred = $ref === undefined ? [] : [components[$ref.split('/').at(-1) ?? ''] ?? {}];
  return [...referred, ...allOf].map((part) => flattenSchema(part, components)).reduce(merge, own);
}

/** The schema that satisfies both; a field that both describe must satisfy both. */
function merge(one: Schema, other: Schema): Schema {
  const properties: Record<string, Schema> = { ...one.properties };
  for (const [name, schema] of Object.entries(other.properties ?? {})) {
    const known = properties[name];
    properties[name] = known ? { allOf: [known, schema] } : schema;
  }
  const required = [...(one.required ?? []), ...(other.required ?? [])];
  return { ...other, ...one, ...(Object.keys(properties).length > 0 && { properties }), required };
}

/** The types that a schema allows. `undefined` when it names none. */
export function typesOf({ type }: Schema): readonly string[] | undefined {
  return typeof type === 'string' ? [type] : type;
}

/** The values that a schema allows. `undefined` when it lists none. */
export function valuesOf(schema: Schema): readonly unknown[] | undefined {
  return schema.const === undefined ? schema.enum : [schema.const];
}
